"""Each shape of a ratings file, read into answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.files import shapes
from annotation.files.answers import Answers
from annotation.files.grids import Cells, Grid
from annotation.files.options import RatingsOptions
from annotation.files.shapes import column
from core.errors import InputProblem, Problems, bad_file, nearest, shown

Rows = Iterable[tuple[int, Cells]]

CANNOT_JUDGE_TEXT = "cannot_judge"
NOT_APPLICABLE_TEXT = "not_applicable"
_KINDS = {"human": "human", "person": "human", "model": "model", "llm": "model"}
_TRUE = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_COUNT = re.compile(r"[0-9]{1,9}")
_SHARE = re.compile(r"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_MOST_SHARES = 1_000_000


class Reader:
    """What all shapes share: the file's name, the options, the columns about items, and the problems found."""

    def __init__(self, source: Grid, options: RatingsOptions, problems: Problems) -> None:
        self.grid, self.options, self.problems = source, options, problems
        self.answers = Answers()
        self.notes: list[str] = []
        header = source.header
        self.stratum = self.named(options.strata) if options.strata else column(header, shapes.STRATUM)
        self.unit = self.named(options.unit) if options.unit else None
        self.covered = column(header, shapes.COVERED)
        self.item = column(header, shapes.ITEM)
        if not options.strata and self.stratum is not None:
            self.notes.append(_("Strata are taken from the column %(name)s.") % {"name": header[self.stratum]})

    def named(self, name: str) -> int:
        """The place of a column that was asked for."""
        if name not in self.grid.header:
            message = _("There is no column %(name)s.") % {"name": shown(name)}
            raise bad_file(self.grid.name, message, nearest(name, [text for text in self.grid.header if text]), line=1)
        return self.grid.header.index(name)

    def apart(self) -> list[int]:
        """Columns that say something about items and hold no judgements."""
        return [place for place in (self.item, self.stratum, self.unit, self.covered) if place is not None]

    def complain(self, line: int, place: int | None, message: str, remedy: str = "") -> None:
        """Add a problem; `place` counts columns from 0."""
        name = self.grid.header[place] if place is not None and place < len(self.grid.header) else ""
        self.problems.add(
            InputProblem(self.grid.name, line, None if place is None else place + 1, message, remedy, name)
        )

    def item_of(self, line: int, cells: Cells, number: int) -> str | None:
        """The key of the item of a row: its cell, or the number of the row where the file names none."""
        if self.item is None:
            return f"row {number:07d}"
        key = cells[self.item]
        if key is None or not key.strip():
            self.complain(line, self.item, _("This item has no name."), _("Name every item."))
            return None
        return key

    def about(self, item: str, line: int, cells: Cells) -> None:
        """Take in what a row says of its item, which must be the same each time."""
        for place, known in ((self.stratum, self.answers.stratum), (self.unit, self.answers.unit)):
            if place is not None and known.setdefault(item, cells[place] or "") != (cells[place] or ""):
                message = _("This item was %(other)s before, not %(value)s.") % {
                    "other": shown(known[item]),
                    "value": shown(cells[place] or ""),
                }
                self.complain(line, place, message, _("An item has one stratum and one unit."))
        if self.covered is not None and cells[self.covered]:
            word = (cells[self.covered] or "").strip().casefold()
            if word not in _TRUE:
                self.complain(line, self.covered, _("This is neither true nor false."), _("Write true or false."))
            else:
                self.answers.covered[item] = _TRUE[word]

    def judged(self, cell: str | None) -> bool:
        """Whether a cell holds a judgement."""
        return cell is not None and cell != "" and cell not in self.options.missing

    def wanted(self, rater: str) -> bool:
        """Whether the rater is one of those asked for."""
        return not self.options.raters or rater in self.options.raters


@dataclass(frozen=True, slots=True)
class LongColumns:
    """Where the columns of a long table stand."""

    rater: int
    label: int
    dimension: int | None
    kind: int | None
    missing: int | None

    @classmethod
    def of(cls, reader: Reader) -> LongColumns:
        """Found by their names."""
        header = reader.grid.header
        rater, label = column(header, shapes.RATER), column(header, shapes.LABEL)
        if reader.item is None or rater is None or label is None:
            message = _("A long table has columns for the item, the rater and the label.")
            known = ", ".join([*shapes.ITEM[:2], *shapes.RATER[:2], *shapes.LABEL[:2]])
            remedy = _("Name them, for instance: %(names)s.") % {"names": known}
            raise bad_file(reader.grid.name, message, remedy, line=1)
        others = (column(header, names) for names in (shapes.DIMENSION, shapes.KIND, shapes.MISSING))
        return cls(rater, label, *others)


def read_long(reader: Reader, rows: Rows) -> None:
    """One judgement a row: item, rater, label, and where they are there dimension, kind of rater, reason of missing."""
    at = LongColumns.of(reader)
    for number, (line, cells) in enumerate(rows, start=1):
        item = reader.item_of(line, cells, number)
        rater = cells[at.rater]
        if rater is None:
            reader.complain(line, at.rater, _("This rater has no name."), _("Name every rater."))
        elif item is not None and reader.wanted(rater):
            reader.about(item, line, cells)
            _take_judgement(reader, at, item, rater, line, cells)


def _take_judgement(reader: Reader, at: LongColumns, item: str, rater: str, line: int, cells: Cells) -> None:
    answers = reader.answers
    if at.kind is not None and cells[at.kind]:
        _take_kind(reader, rater, line, at.kind, cells[at.kind] or "")
    label = cells[at.label]
    if not reader.judged(label):
        label = _special(cells[at.missing] if at.missing is not None else None, reader.options)
    if label is None:
        answers.items.setdefault(item, len(answers.items))
        return
    dimension = (cells[at.dimension] or "") if at.dimension is not None else ""
    answers.add(item, rater, dimension, label, line, at.label + 1)


def _special(reason: str | None, options: RatingsOptions) -> str | None:
    """What a column of reasons says in the place of a label."""
    if reason == CANNOT_JUDGE_TEXT:
        return options.cannot_judge or CANNOT_JUDGE_TEXT
    return (options.not_applicable or NOT_APPLICABLE_TEXT) if reason == NOT_APPLICABLE_TEXT else None


def _take_kind(reader: Reader, rater: str, line: int, place: int, word: str) -> None:
    kind = _KINDS.get(word.strip().casefold())
    if kind is None:
        reader.complain(line, place, _("A rater is human or model, not %(word)s.") % {"word": shown(word)})
    elif reader.answers.kinds.setdefault(rater, kind) != kind:
        reader.complain(line, place, _("This rater was of another kind before."), _("A rater is of one kind."))


def read_wide(reader: Reader, rows: Rows) -> None:
    """One item a row, one rater a column."""
    apart = reader.apart()
    raters = [
        (place, name) for place, name in enumerate(reader.grid.header) if place not in apart and reader.wanted(name)
    ]
    for place, name in raters:
        if not name.strip():
            reader.complain(1, place, _("This rater has no name."), _("Name the column, or remove it."))
    answers, seen = reader.answers, dict[str, int]()
    for number, (line, cells) in enumerate(rows, start=1):
        item = reader.item_of(line, cells, number)
        if item is None or _is_again(reader, item, line, seen):
            continue
        reader.about(item, line, cells)
        answers.items.setdefault(item, len(answers.items))
        for place, rater in raters:
            cell = cells[place]
            if reader.judged(cell):
                answers.add(item, rater, "", str(cell), line, place + 1)
    for _place, name in raters:
        answers.raters.setdefault(name, len(answers.raters))


def _is_again(reader: Reader, item: str, line: int, seen: dict[str, int]) -> bool:
    first = seen.setdefault(item, line)
    if first != line:
        message = _("The item %(item)s is there a second time; the first is on line %(line)d.")
        remedy = _("Keep one of the two, or give each item a name of its own.")
        reader.complain(line, reader.item, message % {"item": shown(item), "line": first}, remedy)
    return first != line


def read_counts(reader: Reader, rows: Rows) -> None:
    """One item a row, one label a column: how many raters chose it. Who they are is not known."""
    apart = reader.apart()
    labels = [(place, name) for place, name in enumerate(reader.grid.header) if place not in apart]
    answers, seen = reader.answers, dict[str, int]()
    for _place, name in labels:
        answers.labels.setdefault(name, len(answers.labels))
    for number, (line, cells) in enumerate(rows, start=1):
        item = reader.item_of(line, cells, number)
        if item is None or _is_again(reader, item, line, seen):
            continue
        reader.about(item, line, cells)
        answers.items.setdefault(item, len(answers.items))
        n_raters = 0
        for place, label in labels:
            cell = (cells[place] or "0").strip()
            if not _COUNT.fullmatch(cell):
                reader.complain(line, place, _("%(value)s is no count.") % {"value": shown(cell)}, _whole())
                continue
            for _again in range(int(cell)):
                n_raters += 1
                answers.add(item, f"rater {n_raters:05d}", "", label, line, place + 1)


def _whole() -> str:
    return _("Write how many raters chose the label, as a whole number.")


def read_table(reader: Reader, rows: Rows) -> None:
    """Labels of one rater in rows and of another in columns: on how many items they met, or what share."""
    header, body = reader.grid.header, list(rows)
    labels = header[1:]
    if not shapes.is_table(header, [cells for _line, cells in body]):
        message = _("In a table of two raters the rows have the labels of the columns, in their order.")
        raise bad_file(reader.grid.name, message, _("Write it as A\\B,yes,no, then yes,20,5 and no,10,15."), line=1)
    shares = [[float(cell or 0) for cell in cells[1:]] for _line, cells in body]
    counts = _as_counts(reader, shares)
    names = header[0].split("\\") if header[0].count("\\") == 1 else ["A", "B"]
    number = 0
    for (line, _cells), row, label in zip(body, counts, labels, strict=True):
        for place, (n, other) in enumerate(zip(row, labels, strict=True), start=1):
            for _again in range(n):
                number += 1
                for rater, said in zip(names, (label, other), strict=True):
                    reader.answers.add(f"{number:07d}", rater, "", said, line, place + 1)
    for label in labels:
        reader.answers.labels.setdefault(label, len(reader.answers.labels))


def _as_counts(reader: Reader, cells: Sequence[Sequence[float]]) -> list[list[int]]:
    """Whole numbers of items; shares need to know of how many, and the fewest that fit is taken if nobody says."""
    flat = [value for row in cells for value in row]
    n = reader.options.n
    if n is None and all(value == int(value) for value in flat):
        return [[int(value) for value in row] for row in cells]
    fewest = next((m for m in (10, 100, 1000, 10_000, 100_000, _MOST_SHARES) if _fits(flat, m)), None)
    if n is None and fewest is not None and abs(sum(flat) - 1) < 1e-6:
        n = fewest
        note = _(
            "The cells are shares. Intervals are those of %(n)d items, the fewest that give them; say --n if more."
        )
        reader.notes.append(note % {"n": n})
    if n is None or not _fits(flat, n):
        message = _("The cells are neither counts nor shares of so many items.")
        raise bad_file(reader.grid.name, message, _("Write counts, or say by --n of how many items they are shares."))
    return [[round(value * n) for value in row] for row in cells]


def _fits(shares: Sequence[float], n: int) -> bool:
    return all(abs(value * n - round(value * n)) < 1e-6 for value in shares)


READERS: dict[str, Any] = {"long": read_long, "wide": read_wide, "counts": read_counts, "table": read_table}
