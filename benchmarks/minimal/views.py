"""One view."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from benchmarks.minimal.models import Submit


@require_POST
def submit(request: HttpRequest) -> HttpResponse:
    """Keep one answer and show the next form."""
    item = int(request.POST["item"])
    Submit.objects.create(person=request.POST["person"], item=item, value=int(request.POST["value"]))
    response = render(request, "minimal/next.html", {"item": item + 1, "person": request.POST["person"]})
    # What the platform's middleware does too: without a length the answer would be sent in chunks.
    response["Content-Length"] = str(len(response.content))
    return response
