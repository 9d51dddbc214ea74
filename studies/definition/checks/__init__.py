"""What keeps a draft from being published, and what its team should think about before."""

from studies.definition.checks.every import CHECKS, found_in, problems
from studies.definition.checks.problem import ERROR, WARNING, Problem

__all__ = ["CHECKS", "ERROR", "WARNING", "Problem", "found_in", "problems"]
