"""Agreement reports: from a campaign, a study or a file to JSON, tables and one self-contained page."""
