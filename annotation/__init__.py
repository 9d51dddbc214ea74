"""Annotation: campaigns, frozen packets, raters and their judgements. Still to come; this is its place."""
