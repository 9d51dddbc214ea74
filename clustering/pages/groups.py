"""Portraits of groups in words: what members say, what sets them apart, who they are."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from clustering.pages.numbers import MISSING, number, percent
from clustering.portraits import FEW_PEOPLE, Portrait, Said, Trait
from core.models import Run
from studies.models import Question, Study


def group_context(
    study: Study, question: Question, run: Run, portrait: Portrait, *, beside_others: bool = True
) -> dict[str, Any]:
    """One group for the templates, its votes beside those of all other groups unless these must not be told."""
    address = reverse("clustering:group", args=[study.slug, question.code, portrait.letter])
    name = portrait.name
    return {
        "letter": portrait.letter,
        "anchor": f"group-{portrait.letter}",
        "url": f"{address}?run={run.public_id}",
        "name": name.name if name else "",
        "is_draft": bool(name and name.is_draft),
        "size": portrait.group.size,
        "n_votes": portrait.n_votes,
        "is_small": portrait.is_small,
        "apart": [said_in_words(row, beside_others=beside_others) for row in portrait.apart],
        "shared": [said_in_words(row, beside_others=beside_others) for row in portrait.shared],
        "traits": [trait_in_words(trait) for trait in portrait.traits],
        "too_few": portrait.is_small,
        "fewest": FEW_PEOPLE,
    }


def said_in_words(row: Said, *, beside_others: bool = True) -> dict[str, Any]:
    """A statement with how the group voted on it, beside the others."""
    return {
        "code": row.code,
        "text": row.text,
        "says": _("agrees") if row.direction > 0 else _("disagrees"),
        "n_side": row.n_side,
        "n_votes": row.n_votes,
        "share": percent(row.share),
        "others_share": percent(row.others_share),
        "others_votes": row.others_votes if beside_others else 0,
        "n_agree": row.n_agree,
        "n_disagree": row.n_disagree,
        "n_neutral": row.n_neutral,
        "is_weak": row.is_weak,
    }


def trait_in_words(trait: Trait) -> dict[str, Any]:
    """Who the members are by one item of the form."""
    return {
        "label": trait.label,
        "n": trait.n,
        "median": None if trait.median is None else f"{trait.median:g}",
        "shares": [{"label": label, "share": percent(n / trait.n), "n": n} for label, n in trait.shares],
    }


def all_statements(portrait: Portrait) -> dict[str, Any]:
    """Every statement that a member voted on, in full."""
    names = [
        _("Statement"),
        _("Agree"),
        _("Disagree"),
        _("Neutral"),
        _("Votes"),
        _("Share agreeing"),
        _("Others agreeing"),
    ]
    rows = [
        [
            row.text or row.code,
            row.n_agree,
            row.n_disagree,
            row.n_neutral,
            row.n_votes,
            number(row.n_agree / row.n_votes, 2) + (" *" if row.is_weak else ""),
            number(row.others_agree / row.others_votes, 2) if row.others_votes else MISSING,
        ]
        for row in sorted(portrait.statements, key=lambda row: (-row.n_agree / row.n_votes, row.code))
    ]
    return {"columns": [{"label": name, "numeric": index > 0} for index, name in enumerate(names)], "rows": rows}
