"""Ratings files: judgements of many raters in one of four shapes, read without guessing and with all faults named."""

from annotation.files.options import FORMATS, LEVELS, RatingsOptions
from annotation.files.ratings import RatingsFile, read_ratings
from annotation.files.weights import read_weights

__all__ = ["FORMATS", "LEVELS", "RatingsFile", "RatingsOptions", "read_ratings", "read_weights"]
