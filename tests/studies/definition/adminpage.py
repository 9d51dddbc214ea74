"""A page of the admin as a browser would send it back."""

from __future__ import annotations

from typing import Any


def posted_back(page: Any) -> dict[str, Any]:
    """What a browser sends when a page of the admin is saved as it came."""
    forms = [page.context["adminform"].form]
    for inline in page.context["inline_admin_formsets"]:
        forms += [inline.formset.management_form, *inline.formset.initial_forms]
        if not inline.formset.initial_forms:
            forms += inline.formset.extra_forms
    data = {}
    for form in forms:
        for field in form:
            value = field.value()
            if value is True:
                data[field.html_name] = "on"
            elif value is not None and value is not False:
                data[field.html_name] = str(value).replace("\r\n", "\n").replace("\n", "\r\n")
    return data
