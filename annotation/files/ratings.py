"""A ratings file from bytes to the material of a report."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np
from django.utils.translation import gettext as _

from annotation.files.answers import Answers
from annotation.files.grids import Cells, grid
from annotation.files.labels import NO_VALUE, scale_of, slips, specials
from annotation.files.options import COUNTS, RatingsOptions
from annotation.files.reading import READERS, Reader
from annotation.files.shapes import Shape, shape_of
from annotation.stats.codes import MISSING, Judgements
from annotation.stats.material import Material
from annotation.stats.scales import FloatArray, IntArray, Scale
from core.errors import InputProblem, Problems, bad_file, nearest, shown
from core.textfiles import opened

_ROWS_TO_LOOK_AT = 1000


@dataclass(frozen=True, slots=True, eq=False)
class RatingsFile:
    """What a file holds.

    Attributes
    ----------
    name : of the file
    sha256 : of its bytes
    format : one of `annotation.files.FORMATS`
    notes : what was found out rather than told, and warnings; each a sentence
    material : for the report
    n_rows : rows of the file
    """

    name: str
    sha256: str
    format: str
    notes: tuple[str, ...]
    material: Material
    n_rows: int


def read_ratings(
    source: str | Path | bytes,
    name: str,
    options: RatingsOptions | None = None,
    *,
    weights: Mapping[str, FloatArray] | None = None,
) -> RatingsFile:
    """Read a ratings file.

    Raises
    ------
    BadInput
        With everything wrong in it, each with line, column and remedy. Nothing is guessed: what is found out rather
        than told stands in the notes.
    """
    options = options or RatingsOptions()
    problems = Problems()
    with grid(source, name, problems) as table:
        reader = Reader(table, options, problems)
        rows = iter(table.rows)
        first = list(islice(rows, _ROWS_TO_LOOK_AT))
        if not first:
            problems.raise_if_any()
            raise bad_file(name, _("The file has no rows."), _("Write one row for each judgement or item."), line=1)
        if options.format:
            shape = Shape(options.format)
        else:
            _refuse_weights(name, table.header, first)
            shape = shape_of(name, table.header, [cells for _line, cells in first], reader.apart())
        counted = _Counted(chain(first, rows))
        READERS[shape.format](reader, counted)
    answers = reader.answers
    notes = [*([shape.note] if shape.note else []), *reader.notes]
    knows_raters = shape.format != COUNTS
    dimensions = tuple(_dimensions(answers, options, problems, notes, name, knows_raters=knows_raters))
    problems.raise_if_any()
    material = Material(
        dimensions=dimensions,
        kinds=_kinds(answers, options, name),
        stratum=answers.stratum,
        unit=answers.unit,
        unit_name=_("units") if not options.unit else options.unit,
        covered=answers.covered,
        weights=weights or {},
    )
    return RatingsFile(name, _sha256(source, name), shape.format, tuple(notes), material, counted.n)


class _Counted:
    """Counts rows as they pass."""

    def __init__(self, rows: Iterable[tuple[int, Cells]]) -> None:
        self.rows, self.n = rows, 0

    def __iter__(self) -> Iterator[tuple[int, Cells]]:
        for row in self.rows:
            self.n += 1
            yield row


def _refuse_weights(name: str, header: Sequence[str], first: Sequence[tuple[int, Cells]]) -> None:
    """A square table with an unnamed corner and one value along its diagonal is a table of weights."""
    from annotation.files.weights import looks_like_weights

    if looks_like_weights(header, [cells for _line, cells in first]):
        message = _("This is a table of weights of labels, not of judgements.")
        raise bad_file(name, message, _("Give the judgements as the file, and this one by --weights."), line=1)


def _kinds(answers: Answers, options: RatingsOptions, name: str) -> dict[str, str]:
    for rater in (*options.models, *options.raters):
        if rater not in answers.raters:
            message = _("There is no rater %(rater)s.") % {"rater": shown(rater)}
            raise bad_file(name, message, nearest(rater, list(answers.raters)))
    return {**answers.kinds, **dict.fromkeys(options.models, "model")}


def _dimensions(
    answers: Answers,
    options: RatingsOptions,
    problems: Problems,
    notes: list[str],
    name: str,
    *,
    knows_raters: bool,
) -> Iterator[Judgements]:
    """The judgements of each dimension, in the order in which dimensions first appear."""
    table = answers.table()
    texts = list(answers.labels)
    special = specials(options)
    items, item_place = _ordered(list(answers.items))
    raters, rater_place = _ordered(list(answers.raters))
    for dimension, number in sorted(answers.dimensions.items(), key=lambda each: each[1]):
        rows = table[table[:, 2] == number]
        seen = [texts[code] for code in np.unique(rows[:, 3]).tolist()]
        if not knows_raters:
            seen = texts
        labels = [label for label in seen if label not in special]
        declared = set(options.labels) | {options.cannot_judge, options.not_applicable}
        _check_labels(rows, texts, labels, declared, options, problems, name)
        _check_repeats(rows, answers, problems, name)
        notes += [note for note in slips(labels) if note not in notes]
        try:
            scale, more = scale_of(labels, options)
        except ValueError as error:
            raise bad_file(name, str(error)) from error
        notes += [note for note in more if note not in notes]
        if problems:
            continue
        yield _judgements(
            dimension, rows, texts, scale, special, items, item_place, raters, rater_place, options, knows_raters
        )


def _judgements(
    dimension: str,
    rows: IntArray,
    texts: Sequence[str],
    scale: Scale,
    special: Mapping[str, int],
    items: tuple[str, ...],
    item_place: IntArray,
    raters: tuple[str, ...],
    rater_place: IntArray,
    options: RatingsOptions,
    knows_raters: bool,
) -> Judgements:
    code_of = {**special, **{label: index for index, label in enumerate(scale.labels)}}
    codes = np.array([code_of.get(text, MISSING) for text in texts], np.int64)
    cannot_judge = options.cannot_judge or _("cannot judge")
    return Judgements(
        dimension=dimension,
        items=items,
        raters=raters,
        scale=scale,
        item=item_place[rows[:, 0]],
        rater=rater_place[rows[:, 1]],
        code=codes[rows[:, 3]],
        matches=tuple(label for label in scale.labels if label in options.matches),
        cannot_judge_label=cannot_judge if cannot_judge not in scale.labels else f"{cannot_judge} *",
        knows_raters=knows_raters,
    )


def _ordered(keys: list[str]) -> tuple[tuple[str, ...], IntArray]:
    """Keys in ascending order, and the new place of each."""
    order = sorted(range(len(keys)), key=keys.__getitem__)
    place = np.empty(len(keys), np.int64)
    place[order] = np.arange(len(keys))
    return tuple(keys[index] for index in order), place


def _check_labels(
    rows: IntArray,
    texts: Sequence[str],
    labels: Sequence[str],
    declared: set[str | None],
    options: RatingsOptions,
    problems: Problems,
    name: str,
) -> None:
    """Labels that were not declared, and texts that programs write for no value, each where it first stands."""
    for label in labels:
        is_no_value = label.strip().casefold() in NO_VALUE and label not in declared
        if options.labels and label not in options.labels:
            message = _("The label %(label)s was not declared.") % {"label": shown(label)}
            remedy = nearest(label, [text for text in (*options.labels, options.cannot_judge) if text])
        elif is_no_value:
            message = _("%(label)s is what programs write where there is no value.") % {"label": shown(label)}
            remedy = _("Leave the cell empty, or say --missing %(label)s, or list it in --labels if it is a label.")
            remedy %= {"label": label}
        else:
            continue
        row = rows[rows[:, 3] == texts.index(label)][0]
        problems.add(InputProblem(name, int(row[4]), int(row[5]), message, remedy))
    for label in options.matches:
        if label not in labels and label not in options.labels:
            message = _("There is no label %(label)s to count as a match.") % {"label": shown(label)}
            problems.add(InputProblem(name, None, None, message, nearest(label, labels)))


def _check_repeats(rows: IntArray, answers: Answers, problems: Problems, name: str) -> None:
    """A rater judges an item once."""
    keys = rows[:, 0] * max(1, len(answers.raters)) + rows[:, 1]
    order = np.argsort(keys, kind="stable")
    again = keys[order][1:] == keys[order][:-1]
    if not again.any():
        return
    raters, items = list(answers.raters), list(answers.items)
    for place in np.flatnonzero(again)[:1000].tolist():
        first, second = rows[order[place]], rows[order[place + 1]]
        message = _("%(rater)s judges %(item)s a second time; the first is on line %(line)d.") % {
            "rater": shown(raters[second[1]]),
            "item": shown(items[second[0]]),
            "line": first[4],
        }
        remedy = _("Keep one of the two, or give repeated items names of their own.")
        problems.add(InputProblem(name, int(second[4]), int(second[5]), message, remedy))


def _sha256(source: str | Path | bytes, name: str) -> str:
    with opened(source, name) as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
        return digest.hexdigest()
