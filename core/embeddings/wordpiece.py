"""BERT's uncased WordPiece tokenizer, read from the vendored tokenizer file.

The same steps in the same order as the reference implementation (the Rust package `tokenizers`), whose Python package
brings a downloader and an HTTP client along: special tokens are found in the raw text; control characters go, white
space becomes a blank, CJK characters stand alone, accents and capitals go; words are split at white space and around
punctuation; each word is cut greedily into the longest pieces that the vocabulary knows, or is unknown as a whole.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

TOKENIZER = Path(__file__).parent / "vendor" / "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
LONGEST_WORD = 100
PREFIX = "##"
SPECIAL = re.compile(r"(\[PAD\]|\[UNK\]|\[CLS\]|\[SEP\]|\[MASK\])")
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_CJK = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WrongFile(ValueError):
    """A file of the embedder is not the one whose vectors are known."""


class WordPiece:
    """Turns a text into token ids with [CLS] before and [SEP] behind, at most `maximum_tokens` of them."""

    def __init__(self, vocabulary: dict[str, int], *, maximum_tokens: int) -> None:
        self._vocabulary = vocabulary
        self._unknown = vocabulary["[UNK]"]
        self._ends = (vocabulary["[CLS]"], vocabulary["[SEP]"])
        self.maximum_tokens = maximum_tokens
        # A study's texts share most of their words.
        self._pieces = lru_cache(maxsize=50_000)(self._cut)

    def encode(self, text: str) -> tuple[list[int], bool]:
        """The ids of a text, and whether it was too long and lost its end."""
        room = self.maximum_tokens - len(self._ends)
        ids: list[int] = []
        for word in self._words(text):
            ids += self._pieces(word)
            if len(ids) > room:
                break
        first, last = self._ends
        return [first, *ids[:room], last], len(ids) > room

    def _words(self, text: str) -> Iterator[str]:
        for part in SPECIAL.split(text):
            if SPECIAL.fullmatch(part):
                yield part
            else:
                yield from _split(_normalised(part))

    def _cut(self, word: str) -> tuple[int, ...]:
        if word in self._vocabulary and SPECIAL.fullmatch(word):
            return (self._vocabulary[word],)
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        ids: list[int] = []
        start = 0
        while start < len(word):
            prefix = PREFIX if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self._vocabulary), None)
            if end is None:
                return (self._unknown,)
            ids.append(self._vocabulary[prefix + word[start:end]])
            start = end
        return tuple(ids)


def load(path: Path = TOKENIZER, *, maximum_tokens: int) -> WordPiece:
    """The tokenizer of the vendored file.

    Raises
    ------
    WrongFile
        If the file is missing or is not the one that the weights were made with.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WrongFile(f"the tokenizer's file {path.name} cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != TOKENIZER_SHA256:
        raise WrongFile(f"the tokenizer's file {path.name} has another SHA-256 than {TOKENIZER_SHA256}")
    vocabulary: dict[str, int] = json.loads(content)["model"]["vocab"]
    return WordPiece(vocabulary, maximum_tokens=maximum_tokens)


def _normalised(text: str) -> str:
    if text.isascii():
        # Nothing to take apart; the rest of the way is the same.
        return "".join(filter(None, map(_cleaned, text))).lower()
    spaced = "".join(f" {c} " if _is_cjk(ord(c)) else c for c in filter(None, map(_cleaned, text)))
    decomposed = unicodedata.normalize("NFD", spaced)
    return "".join(c.lower() for c in decomposed if unicodedata.category(c) != "Mn")


@lru_cache(maxsize=4096)
def _cleaned(character: str) -> str:
    """The character, a blank for white space, nothing for what is not text."""
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}:
        return ""
    return " " if character.isspace() else character


def _split(text: str) -> Iterator[str]:
    for word in text.split():
        start = 0
        for at, character in enumerate(word):
            if _is_punctuation(character):
                if at > start:
                    yield word[start:at]
                yield character
                start = at + 1
        if start < len(word):
            yield word[start:]


@lru_cache(maxsize=4096)
def _is_punctuation(character: str) -> bool:
    return character in _ASCII_PUNCTUATION or unicodedata.category(character).startswith("P")


def _is_cjk(point: int) -> bool:
    return any(first <= point <= last for first, last in _CJK)
