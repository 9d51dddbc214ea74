"""The executors of files: a figure in a format, a report of a whole run. Imported by the worker alone."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext as _

from clustering.pages.figures import statement_texts
from clustering.reporting import document, selectors
from clustering.reporting.rendering import rendered
from clustering.showing.texts import with_texts
from core.canonical import content_sha256
from core.models import Run
from core.runs import CannotCompute, Computed, RunningRun
from studies.models import Question, Study


def figure(running: RunningRun) -> Computed:
    """Draw a stored figure into a file."""
    run = running.run
    study = Study.objects.get(public_id=run.subject_id)
    asked = run.parameters
    row = selectors.figure_row(study, UUID(asked["run"]), asked["figure"])
    if row is None:
        raise CannotCompute(_("The figure is not there any more."))
    running.progress(0, 1, asked["figure"])
    now = timezone.now()
    question = Question.objects.filter(public_id=row.run.subject_id).first()
    spec = with_texts(row.specification, statement_texts(question.pk) if question else {})
    parts = [study.slug, *([question.code] if question else []), asked["figure"]]
    name = f"{'-'.join(parts)}.{asked['format']}"
    result = _stored(run, name, rendered(spec, asked["format"]), now)
    return Computed(content_sha256({"parameters": asked, "specification": spec}), result)


def report(running: RunningRun) -> Computed:
    """Write the report about a run as one HTML file."""
    run = running.run
    study = Study.objects.get(public_id=run.subject_id)
    asked = run.parameters
    about = selectors.result_run(study, UUID(asked["run"]))
    if about is None:
        raise CannotCompute(_("The run is not there any more."))
    now = timezone.now()
    html = document.written(study, about, audience=asked["audience"], now=now, tell=running.progress)
    result = _stored(run, f"{study.slug}-report.html", html.encode("utf-8"), now)
    return Computed(content_sha256({"parameters": asked, "result": about.result_sha256}), result)


def _stored(run: Run, name: str, content: bytes, now: datetime) -> dict[str, Any]:
    """Put the file into the storage; `made_at` is when its texts were read."""
    path = PurePosixPath(selectors.FILES) / str(run.public_id) / name
    return {
        "file": default_storage.save(str(path), ContentFile(content)),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "made_at": now.isoformat(),
    }
