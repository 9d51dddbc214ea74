"""The form a study asks if its definition does not say: age, sex, ethnicity, education and party, each skippable.

The options are those of research in the United States, where the platform's model study took place; a study elsewhere
writes its own. Labels are study content in the study's language, so they are no matter of the interface's.
"""

from __future__ import annotations

from typing import Any


def _options(**labels: str) -> list[dict[str, Any]]:
    return [{"value": value.replace("_", "-"), "label": label, "screens_out": False} for value, label in labels.items()]


def _item(code: str, kind: str, label: str, hint: str = "", **columns: Any) -> dict[str, Any]:
    return {
        "code": code,
        "kind": kind,
        "label": label,
        "hint": hint,
        "options": [],
        "minimum": None,
        "maximum": None,
        **columns,
    }


def default_form() -> list[dict[str, Any]]:
    """The items in the form of the canonical definition; new ones at each call."""
    return [
        _item("age", "integer", "How old are you?", "In full years.", minimum=18, maximum=120),
        _item(
            "sex",
            "single",
            "What is your sex or gender?",
            options=_options(female="Female", male="Male", non_binary="Non-binary", other="Another answer"),
        ),
        _item(
            "ethnicity",
            "multiple",
            "Which of these describe your ethnic background?",
            "Choose all that apply.",
            options=_options(
                native="American Indian or Alaska Native",
                asian="Asian",
                black="Black or African American",
                hispanic="Hispanic or Latino",
                mena="Middle Eastern or North African",
                pacific="Native Hawaiian or Pacific Islander",
                white="White",
                other="Another background",
            ),
        ),
        _item(
            "education",
            "single",
            "What is the highest level of education you have completed?",
            options=_options(
                below_secondary="Less than high school",
                secondary="High school or equivalent",
                some_college="Some college, no degree",
                associate="Associate or vocational degree",
                bachelor="Bachelor's degree",
                graduate="Master's, professional or doctoral degree",
                other="Another qualification",
            ),
        ),
        _item(
            "party",
            "single",
            "Which political party, if any, is closest to your views?",
            options=_options(
                democratic="Democratic Party",
                republican="Republican Party",
                other="Another party",
                independent="No party, or independent",
            ),
        ),
    ]
