"""Votes, ratings and coverages from files, without a study: what `cluster FILE` and `overton FILE` read."""

from __future__ import annotations

from clustering.files.external import read_external
from clustering.files.scores import CoverageFile, RatingsFile, read_scores
from clustering.files.votes import FileVotes, read_votes

__all__ = ["CoverageFile", "FileVotes", "RatingsFile", "read_external", "read_scores", "read_votes"]
