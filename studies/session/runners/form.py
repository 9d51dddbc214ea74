"""Form: items about the person. Each may be left out, and leaving out is not declining."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Invalid
from core.text import check_imported, check_length, is_blank, normalise_typed
from studies.models import Answer, Enrolment, Step
from studies.session.blocks import Next, Page, PlanContext, StepContext, StepPlan, Submitted

DECLINED = "__declined__"
LONGEST_NUMBER = 100
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)

Item = Mapping[str, Any]


class FormRunner:
    """The form block: one step with all items."""

    kind = "form"
    per_question = False
    keeps_drafts = True

    def plan(self, context: PlanContext) -> Sequence[StepPlan]:
        """One step; none if the study asks nothing."""
        return [StepPlan("form")] if context.definition["form"] else []

    def present(
        self, context: StepContext, values: Mapping[str, Any], errors: Mapping[str, str], now: datetime
    ) -> Page:
        """Show the items with what was typed."""
        items = context.definition["form"]
        shown = {"items": [item["code"] for item in items]}
        context_items = [_shown_item(item, values, errors) for item in items]
        return Page("studies/session/form.html", _("About you"), {"items": context_items}, shown)

    def submit(self, context: StepContext, data: Mapping[str, Sequence[str]], now: datetime) -> Submitted:
        """Keep one answer an item, or why there is none."""
        items, errors, columns = context.definition["form"], {}, {}
        for item in items:
            try:
                columns[item["code"]] = _column(item, data.get(field_of(item), ()))
            except Invalid as error:
                errors[field_of(item)] = str(error)
        if errors:
            return Submitted(errors=errors)
        Answer.objects.bulk_create(
            Answer(enrolment=context.enrolment, item_code=code, answered_at=now, **column)
            for code, column in columns.items()
        )
        return Submitted(Next.SCREEN_OUT if any(_screening(items, data)) else Next.ADVANCE)

    def lacks(self, enrolment: Enrolment, steps: Sequence[Step]) -> int:
        """Whether the form was passed without an answer or a reason."""
        return int(bool(steps) and not Answer.objects.filter(enrolment=enrolment).exists())


def field_of(item: Item) -> str:
    """The name of the item's field on the page, which is also the id of its first input."""
    return f"item-{item['code']}"


def _shown_item(item: Item, values: Mapping[str, Any], errors: Mapping[str, str]) -> dict[str, Any]:
    typed = list(values.get(field_of(item), ()))
    return {
        "code": item["code"],
        "kind": item["kind"],
        "label": item["label"],
        "hint": item.get("hint", ""),
        "options": item.get("options") or [],
        "minimum": item.get("minimum"),
        "maximum": item.get("maximum"),
        "value": typed[-1] if typed else "",
        "values": typed,
        "error": errors.get(field_of(item), ""),
    }


def _screening(items: Sequence[Item], data: Mapping[str, Sequence[str]]) -> Iterator[bool]:
    for item in items:
        chosen = data.get(field_of(item), ())
        yield from (
            bool(option.get("screens_out")) for option in item.get("options") or () if option["value"] in chosen
        )


def _column(item: Item, values: Sequence[str]) -> dict[str, Any]:
    """The column of the answer to fill, by name.

    Raises
    ------
    Invalid
        With the message for the person.
    """
    given = [value for value in values if not is_blank(check_imported(value))]
    if not given:
        return {"missing": Answer.Missing.SKIPPED}
    if set(given) == {DECLINED}:
        return {"missing": Answer.Missing.DECLINED}
    if DECLINED in given:
        raise Invalid(_("Please choose either “Prefer not to say” or an answer."))
    return _READERS[item["kind"]](item, given)


def _single(item: Item, given: Sequence[str]) -> dict[str, Any]:
    if len(given) > 1:
        raise Invalid(_("Please choose one answer only."))
    return {"value_choice": _options(item, given)[0]}


def _multiple(item: Item, given: Sequence[str]) -> dict[str, Any]:
    return {"value_choices": _options(item, given)}


def _options(item: Item, given: Sequence[str]) -> list[str]:
    known = [option["value"] for option in item["options"]]
    if not set(given) <= set(known):
        raise Invalid(_("Please choose from the answers on this page."))
    return [value for value in known if value in given]


def _integer(item: Item, given: Sequence[str]) -> dict[str, Any]:
    minimum, maximum = item.get("minimum"), item.get("maximum")
    typed = given[-1].strip()
    # Folding takes the square of the length, at worst; no number is that long.
    text = unicodedata.normalize("NFKC", typed).strip() if len(typed) <= LONGEST_NUMBER else ""
    number = int(text) if WHOLE_NUMBER.fullmatch(text) else None
    if number is None or (minimum is not None and number < minimum) or (maximum is not None and number > maximum):
        raise Invalid(_whole_number_message(minimum, maximum))
    return {"value_integer": number}


def _whole_number_message(minimum: int | None, maximum: int | None) -> str:
    limits = {"minimum": minimum, "maximum": maximum}
    if minimum is not None and maximum is not None:
        return _("Please enter a whole number from %(minimum)d to %(maximum)d, or leave this out.") % limits
    if minimum is not None:
        return _("Please enter a whole number of at least %(minimum)d, or leave this out.") % limits
    if maximum is not None:
        return _("Please enter a whole number of at most %(maximum)d, or leave this out.") % limits
    return _("Please enter a whole number, or leave this out.")


def _text(item: Item, given: Sequence[str]) -> dict[str, Any]:
    return {"value_text": check_length(normalise_typed(given[-1]), maximum=item.get("maximum"))}


_READERS = {"single": _single, "multiple": _multiple, "integer": _integer, "text": _text}
