"""Definitions of campaigns as files: load, check, dump."""

from annotation.definition.dumping import canonical, dump
from annotation.definition.loading import Definition, load_bytes, load_file

__all__ = ["Definition", "canonical", "dump", "load_bytes", "load_file"]
