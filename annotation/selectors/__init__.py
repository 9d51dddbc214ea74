"""Reads of audits. `cards` is all that a rater may see; `packets`, `places` and `completeness` are for services."""
