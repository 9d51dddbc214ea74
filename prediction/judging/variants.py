"""What a judge may be told about a person: the prompt variants of the Overton paper, appendix H.

The templates are files in `prediction/prompts/<version>/`, one for each variant and one of instructions that all
share. A changed text is a new version, since what was predicted from the old one stays in its batch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.canonical import content_sha256

VERSION = "1"
FOLDER = Path(__file__).resolve().parent.parent / "prompts"
PLACEHOLDER = re.compile(r"\{\{ ([a-z_]+) \}\}")


@dataclass(frozen=True, slots=True)
class Variant:
    """A prompt variant: the parts that it needs of a person, without any of which nothing is asked.

    `D` demographics, `FR` the free response, `S` the stance, `FS` ratings of other answers to the same question, `MS`
    ratings of all other answers.
    """

    code: str
    file: str
    needs: tuple[str, ...]


VARIANTS: dict[str, Variant] = {
    variant.code: variant
    for variant in (
        Variant("D", "d.txt", ("D",)),
        Variant("FR", "fr.txt", ("FR",)),
        Variant("FR+S+D", "fr_s_d.txt", ("FR", "S", "D")),
        Variant("FS", "fs.txt", ("FS",)),
        Variant("FS+FR", "fs_fr.txt", ("FS", "FR")),
        Variant("FS+FR+D+S", "fs_fr_d_s.txt", ("FS", "FR", "D", "S")),
        Variant("MS", "ms.txt", ("MS",)),
    )
}


@dataclass(frozen=True, slots=True)
class Template:
    """The texts of a variant with their placeholders, and the hash by which a batch knows them."""

    instructions: str
    body: str
    version: str
    sha256: str

    def messages(self, values: Mapping[str, str]) -> list[dict[str, str]]:
        """The messages with every placeholder filled; what is filled in is not looked at again."""
        texts = {"system": self.instructions, "user": self.body}
        return [
            {"role": role, "content": PLACEHOLDER.sub(lambda match: values[match[1]], text)}
            for role, text in texts.items()
        ]


@cache
def template(code: str) -> Template:
    """The template of a variant."""
    folder = FOLDER / VERSION
    instructions, body = (
        (folder / name).read_text(encoding="utf-8").strip() for name in ("instructions.txt", VARIANTS[code].file)
    )
    return Template(instructions, body, VERSION, content_sha256([instructions, body]))
