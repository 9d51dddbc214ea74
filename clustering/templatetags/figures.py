"""What pages with figures need beside them."""

from __future__ import annotations

from django import template
from django.utils.html import json_script
from django.utils.safestring import SafeString

from clustering.theme import theme

register = template.Library()


@register.simple_tag
def figure_theme() -> SafeString:
    """How figures look, for the script that draws them."""
    return json_script(theme(), "figure-theme")
