"""Annotation: campaigns, frozen packets, raters and their judgements."""
