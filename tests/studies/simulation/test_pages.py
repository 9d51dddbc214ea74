"""Simulated participants read pages as they are rendered, and refuse those that a person could not use."""

from __future__ import annotations

import pytest

from studies.simulation.pages import PageFault, read_page

CARD = """
<!doctype html><html><body><p class="question">Not in the main part</p>
<main id="main"><h1>Vote on what
   others wrote</h1><p class="question">Should buses be free?</p>
<blockquote id="statement-text"><p>Buses &amp; trams</p>

<p>should be free.</p></blockquote>
<form method="post" action="/s/x/page/">
  <input type="hidden" name="csrfmiddlewaretoken" value="t"><input type="hidden" name="step" value="n">
  <button type="submit" name="value" value="agree">Agree</button>
  <button type="button" data-copy="x">Copy</button>
</form></main></body></html>
"""
ITEM = """
<form method="post" action="/s/x/page/"><input type="hidden" name="csrfmiddlewaretoken" value="t">
<fieldset><legend><h2>Sex</h2></legend>
  <label for="a"><input type="radio" name="sex" id="a" value="f" checked> Female</label>
  <label for="b"><input type="radio" name="sex" id="b" value="m"> Male</label></fieldset>
<label for="age">Age</label><input type="text" name="age" id="age" value="">
<label for="text">Text</label><textarea name="text" id="text" data-min="75" data-max="300">
a &lt;draft&gt;</textarea>
<button type="submit">Continue</button></form>
"""


def test_a_page_is_read_as_a_person_sees_it() -> None:
    page = read_page(CARD)

    assert page.heading == "Vote on what others wrote"
    assert page.question == "Should buses be free?"
    # Paragraphs are one text with blanks between them, as statements are compared.
    assert page.statement == "Buses & trams should be free."
    [form] = page.forms
    assert (form.action, form.hidden()[1]) == ("/s/x/page/", ("step", "n"))
    assert [(button.name, button.value, button.text) for button in form.buttons] == [("value", "agree", "Agree")]


def test_fields_have_their_labels_values_and_limits() -> None:
    [form] = read_page(ITEM).forms

    form.check()
    assert form.names() == ["sex", "age", "text"]
    female, male = form.named("sex")
    assert (female.label, female.group, female.is_checked, male.is_checked) == ("Female", "Sex", True, False)
    area = form.named("text")[0]
    assert (area.value, area.minimum, area.maximum) == ("a <draft>", 75, 300)


@pytest.mark.parametrize(
    ("cut", "fault"),
    [
        ('<label for="age">Age</label>', "age .* has no label"),
        ("<legend><h2>Sex</h2></legend>", "sex have no legend"),
        ('<button type="submit">Continue</button>', "no button"),
        ("Continue", "no button, or one without a text"),
        ('<input type="hidden" name="csrfmiddlewaretoken" value="t">', "no protection"),
    ],
)
def test_a_form_that_a_person_could_not_use_is_a_fault(cut: str, fault: str) -> None:
    [form] = read_page(ITEM.replace(cut, "")).forms

    with pytest.raises(PageFault, match=fault):
        form.check()


def test_a_fragment_is_read_like_a_page() -> None:
    page = read_page('<div class="error-summary"></div><h1>End</h1><code id="completion-code">CK4T9QXW</code>')

    assert (page.code, page.has_errors, page.forms) == ("CK4T9QXW", True, [])
