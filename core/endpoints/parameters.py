"""Parameters that people set for requests to a model: a JSON object that can be sent, hashed and stored."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from core.canonical import canonical_json
from core.endpoints.chatting import RESERVED
from core.errors import Invalid

LONGEST = 4_000
"""Characters of the parameters as canonical JSON."""


def model_parameters(text: str) -> dict[str, Any]:
    """The parameters that somebody wrote as JSON; none if they wrote nothing.

    Raises
    ------
    Invalid
        If this is no JSON object, or `check_model_parameters` refuses it.
    """
    # Not above: the settings read the endpoints, and tables name their columns by the settings' language.
    from core.tables.cells import CellFault, json_value

    try:
        value = json_value(text) if text.strip() else {}
    except CellFault as problem:
        raise Invalid(problem.message) from problem
    check_model_parameters(value)
    found: dict[str, Any] = value
    return found


def check_model_parameters(parameters: Any) -> None:
    """Raise `Invalid` unless these are parameters that a request may have and a row can keep."""
    from core.tables.plain import check_texts

    if not isinstance(parameters, dict) or not all(isinstance(name, str) for name in parameters):
        raise Invalid(_('Write a JSON object such as {"temperature": 0.7}.'))
    if taken := sorted(RESERVED & set(parameters)):
        raise Invalid(_("The endpoint decides about: %(names)s.") % {"names": ", ".join(taken)})
    try:
        # JSON can escape what no column holds and what cannot be hashed.
        check_texts(parameters)
        length = len(canonical_json(parameters))
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(_('Write a JSON object such as {"temperature": 0.7}.')) from problem
    if length > LONGEST:
        raise Invalid(_("These are too many parameters."))
