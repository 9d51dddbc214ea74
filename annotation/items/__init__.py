"""Items of a draft packet: imported from files or drawn from a study."""
