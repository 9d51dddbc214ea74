"""The document as declared tables, one fact a row: for CSV and Parquet, with a data dictionary."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.utils.translation import gettext_lazy as _

from core.tables import Column, Kind, Table

Document = dict[str, Any]
Rows = Iterator[tuple[Any, ...]]

_DIMENSION = Column("dimension", Kind.TEXT, _("The dimension; empty if the file has one alone."), nullable=False)
_RATERS = Column("raters", Kind.TEXT, _("The set of raters, or the rater."), nullable=False)
_REASON = Column("reason", Kind.TEXT, _("Why there is no value, from a closed list."))


def _n(name: str, description: Any) -> Column:
    return Column(name, Kind.INTEGER, description, nullable=False)


def _x(name: str, description: Any) -> Column:
    return Column(name, Kind.NUMBER, description)


def tables_of(report: Document) -> list[Table]:
    """The tables of a report; `rows` takes nothing."""
    made = (
        ("estimates", _("Every coefficient of every cell."), _ESTIMATES, _estimates),
        ("rates", _("Strict-match rates by stratum."), _RATES, _rates),
        ("items", _("What raters said of each item."), _ITEMS, _items),
        ("raters", _("What each rater said."), _RATER_LINES, _raters),
        ("correlations", _("Correlations with hidden numbers and scores."), _CORRELATIONS, _correlations),
    )
    return [Table(name, words, columns, partial(rows, report)) for name, words, columns, rows in made]


def _dimensions(report: Document) -> Iterator[Document]:
    yield from report["dimensions"]
    yield from report["pooled"]


_ESTIMATES = (
    _DIMENSION,
    Column("stratum", Kind.TEXT, _("The stratum; missing for all items.")),
    _RATERS,
    Column("raters_kind", Kind.TEXT, _("all, humans, models or pair."), nullable=False),
    Column("policy", Kind.TEXT, _("What cannot judge and missing answers count as."), nullable=False),
    Column("is_primary_policy", Kind.BOOLEAN, _("Whether that is the declared one."), nullable=False),
    _n("n_items", _("Items with a label.")),
    _n("n_pairable", _("Items with two labels or more.")),
    _n("n_ratings", _("Labels.")),
    _n("n_raters", _("Raters with a label.")),
    _n("n_units", _("Units that are resampled.")),
    _x("cannot_judge_rate", _("Share of cannot judge among labels and cannot judge.")),
    Column("statistic", Kind.TEXT, _("Name of the coefficient, its weights or level in brackets."), nullable=False),
    _x("value", _("Its value.")),
    _REASON,
    _x("chance", _("Agreement expected by chance.")),
    _x("se", _("Standard error by linearisation or jackknife.")),
    _x("se_null", _("Standard error without agreement beyond chance, for a test of 0 alone.")),
    _x("low", _("Lower end of the analytic interval.")),
    _x("high", _("Its upper end.")),
    Column("interval", Kind.TEXT, _("How it is made.")),
    _x("se_bootstrap", _("Spread of the bootstrap replicates.")),
    _x("bootstrap_low", _("Lower end of the bootstrap interval.")),
    _x("bootstrap_high", _("Its upper end.")),
    Column("bootstrap", Kind.TEXT, _("How it is made.")),
    Column("bootstrap_reason", Kind.TEXT, _("Why there is no bootstrap interval.")),
    Column("bootstrap_undefined", Kind.INTEGER, _("Replicates without a value.")),
)


def _estimates(report: Document) -> Rows:
    for dimension in _dimensions(report):
        for cell in dimension["cells"]:
            head = (
                dimension["dimension"],
                cell["stratum"],
                cell["raters"]["name"],
                cell["raters"]["kind"],
                cell["policy"],
                cell["policy"] == dimension["primary_policy"],
                *(cell[name] for name in ("n_items", "n_pairable", "n_ratings", "n_raters", "n_units")),
                cell["cannot_judge_rate"],
            )
            for estimate in cell["estimates"]:
                analytic, bootstrap = estimate["analytic"] or {}, estimate["bootstrap"] or {}
                yield (
                    *head,
                    *(estimate[name] for name in ("name", "value", "reason", "chance", "se", "se_null")),
                    *(analytic.get(name) for name in ("low", "high", "method")),
                    estimate["se_bootstrap"],
                    *(bootstrap.get(name) for name in ("low", "high", "method", "reason", "n_undefined")),
                )


_RATES = (
    _DIMENSION,
    _RATERS,
    Column("counts_cannot_judge", Kind.BOOLEAN, _("Whether cannot judge counts as no match."), nullable=False),
    Column("stratum", Kind.TEXT, _("Empty for all items."), nullable=False),
    _n("matches", _("Labels that count as a match.")),
    _n("n", _("All labels.")),
    _x("rate", _("Their share.")),
    _x("low", _("Lower end of Wilson's interval.")),
    _x("high", _("Its upper end.")),
    _REASON,
)


def _rates(report: Document) -> Rows:
    for dimension in _dimensions(report):
        for line in dimension["beside"]["rates"]:
            for stratum, rate in line["strata"].items():
                ends = rate["interval"]
                yield (
                    dimension["dimension"],
                    line["raters"],
                    line["counts_cannot_judge"],
                    stratum,
                    *(rate[name] for name in ("hits", "n", "value")),
                    ends["low"],
                    ends["high"],
                    rate["reason"],
                )


_ITEMS = (
    _DIMENSION,
    Column("item", Kind.TEXT, _("Key of the item."), nullable=False),
    Column("counts", Kind.JSON, _("How many raters chose each label."), nullable=False),
    _n("cannot_judge", _("Raters who could not judge.")),
    _n("not_applicable", _("Raters to whom the dimension did not apply.")),
    _x("mean", _("Mean value of the labels.")),
    _x("entropy", _("Entropy of the labels.")),
    _x("disagreement", _("Probability of disagreement, of preferences.")),
    Column("majority", Kind.TEXT, _("The label of more than half of the raters.")),
    Column("rater_model", Kind.TEXT, _("The most likely label by the rater model.")),
)


def _items(report: Document) -> Rows:
    for dimension in report["dimensions"]:
        items = dimension["items"]
        if items is None:
            continue
        n = len(items["items"])
        nothing = [None] * n
        columns = [items[name] for name in ("items", "counts", "cannot_judge", "not_applicable", "mean", "entropy")]
        columns += [items["disagreement"] or nothing, items["majority"], items["rater_model"] or nothing]
        for key, counts, *rest in zip(*columns, strict=True):
            yield (dimension["dimension"], key, dict(zip(items["labels"], counts, strict=True)), *rest)


_RATER_LINES = (
    _DIMENSION,
    _RATERS,
    Column("kind", Kind.TEXT, _("human or model"), nullable=False),
    _n("n", _("Labels given.")),
    Column("counts", Kind.JSON, _("How often each label was given."), nullable=False),
    _n("cannot_judge", _("How often cannot judge.")),
    _n("not_applicable", _("How often not applicable.")),
    _x("mean", _("Mean value of the labels.")),
    _x("entropy", _("Entropy of the rater's labels in bits: 0 for who always says the same.")),
    _x("agreement", _("Share of the others' labels on the same items that are the same.")),
    _x("accuracy", _("Probability to say the true label, by the rater model.")),
)


def _raters(report: Document) -> Rows:
    for dimension in _dimensions(report):
        labels = dimension["scale"]["labels"]
        for line in dimension["beside"]["raters"]:
            yield (
                dimension["dimension"],
                *(line[name] for name in ("rater", "kind", "n")),
                dict(zip(labels, line["counts"], strict=True)),
                *(
                    line[name]
                    for name in ("cannot_judge", "not_applicable", "mean", "entropy", "agreement", "accuracy")
                ),
            )


_CORRELATIONS = (
    _DIMENSION,
    Column("of", Kind.TEXT, _("The hidden number, or the scorer."), nullable=False),
    Column("family", Kind.TEXT, _("Class of the scorer; missing for a hidden number.")),
    Column("with_raters", Kind.TEXT, _("Whose mean value."), nullable=False),
    Column("subset", Kind.TEXT, _("Which items."), nullable=False),
    Column("method", Kind.TEXT, _("pearson or spearman"), nullable=False),
    _n("n", _("Items of which both are known.")),
    _x("value", _("The correlation.")),
    _x("low", _("Lower end of its interval.")),
    _x("high", _("Its upper end.")),
    _REASON,
)


def _correlations(report: Document) -> Rows:
    for dimension in report["dimensions"]:
        name, beside = dimension["dimension"], dimension["beside"]
        for number, by_raters in beside["numbers"].items():
            for raters, found in by_raters.items():
                yield (name, number, None, raters, "all", "spearman", *_correlation(found))
        for scorer in beside["scorers"]:
            for subset, found in scorer["subsets"].items():
                yield (name, scorer["scorer"], scorer["family"], "humans", subset, "pearson", *_correlation(found))


def _correlation(found: Document) -> tuple[Any, ...]:
    return (found["n"], found["value"], found["interval"]["low"], found["interval"]["high"], found["reason"])
