"""Definitions as files: YAML 1.2 that says where it is wrong, and a writer whose files read back the same.

Stricter than YAML where YAML guesses: text must be text (``yes``, ``010``, ``1.0`` and dates only in quotes), a key
stands once, no anchors, aliases, tags or directives, one document a file. Every problem is found in one pass, with
file, line, column and what to do about it.

>>> spec = Mapping({"slug": Slug(), "questions": ListOf(Mapping({"code": Code(), "text": Text()}), unique="code")})
>>> definition = read(text, "study.yaml", spec)  # doctest: +SKIP
"""

from core.strictyaml.dump import dump
from core.strictyaml.nodes import ListNode, MapNode, Node, ScalarNode, load, locate
from core.strictyaml.schema import INVALID, ListOf, MapOf, Mapping, OneOf, Spec, problem_at, read, validate
from core.strictyaml.values import Anything, Boolean, Choice, Code, Integer, Number, Slug, Text

__all__ = [
    "INVALID",
    "Anything",
    "Boolean",
    "Choice",
    "Code",
    "Integer",
    "ListNode",
    "ListOf",
    "MapNode",
    "MapOf",
    "Mapping",
    "Node",
    "Number",
    "OneOf",
    "ScalarNode",
    "Slug",
    "Spec",
    "Text",
    "dump",
    "load",
    "locate",
    "problem_at",
    "read",
    "validate",
]
