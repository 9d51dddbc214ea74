"""The list of one's own votes, which every vote sends again: as a template it took half of the page's time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django import template
from django.utils.html import conditional_escape, format_html, linebreaks
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

register = template.Library()

_ITEM = """<li>
  <blockquote id="own-{nonce}" dir="auto">{text}</blockquote>
  <p>{voted}</p>
  <div class="buttons">{buttons}</div>
</li>"""
_BUTTON = (
    '<button type="submit" class="secondary" name="change" value="{nonce} {value}" '
    'aria-describedby="own-{nonce}">{word}</button>'
)


@register.simple_tag
def own_votes(votes: Iterable[Mapping[str, str]]) -> SafeString:
    """Each vote ({nonce, text, value}) with its statement and buttons for the two other values."""
    words = {"agree": _("Agree"), "disagree": _("Disagree"), "neutral": _("Neutral")}
    voted = {
        "agree": _("You agreed. Change to:"),
        "disagree": _("You disagreed. Change to:"),
        "neutral": _("You were neutral. Change to:"),
    }
    # Nonces are UUIDs of our own; what people wrote is escaped by `_paragraphs`, and translations here.
    safe = {value: (conditional_escape(words[value]), conditional_escape(voted[value])) for value in words}
    items = []
    for vote in votes:
        nonce, chosen = conditional_escape(vote["nonce"]), vote["value"]
        buttons = "\n".join(
            _BUTTON.format(nonce=nonce, value=value, word=word)
            for value, (word, _said) in safe.items()
            if value != chosen
        )
        items.append(_ITEM.format(nonce=nonce, text=_paragraphs(vote["text"]), voted=safe[chosen][1], buttons=buttons))
    return mark_safe("\n".join(items))  # noqa: S308 - every part was escaped above


def _paragraphs(text: str) -> str:
    """The escaped text as paragraphs; most have one line, for which the search for others is spared."""
    if "\n" in text or "\r" in text:
        return linebreaks(text, autoescape=True)
    return format_html("<p>{}</p>", text)
