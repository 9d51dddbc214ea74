"""The definition of a study: as a file, as rows of the draft, as the frozen JSON of a version."""

from studies.definition.checks import Problem, problems
from studies.definition.dumping import canonical, dump, dump_yaml, sha256_of
from studies.definition.loading import Definition, load_bytes, load_file

__all__ = [
    "Definition",
    "Problem",
    "canonical",
    "dump",
    "dump_yaml",
    "load_bytes",
    "load_file",
    "problems",
    "sha256_of",
]
