"""Batches: one for each way of predicting in a study, found again by its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import IntegrityError, transaction

from core.canonical import content_sha256
from prediction.models import LONGEST_NAME, PredictionBatch
from studies.models import Study

By = AbstractBaseUser | AnonymousUser | None
MOST_NAMES = 1000


def batch_for(
    *,
    study: Study,
    method: str,
    parameters: Mapping[str, Any],
    name: str,
    now: datetime,
    by_id: int | None = None,
    predicted_by: Any = None,
) -> PredictionBatch:
    """The batch of these parameters, made if there is none; another of the same name gets a number behind it."""
    key = {"study": study, "method": method, "parameters_sha256": content_sha256(dict(parameters))}
    for number in range(1, MOST_NAMES):
        if found := PredictionBatch.objects.filter(**key).first():
            return found
        ending = "" if number == 1 else f" ({number})"
        try:
            with transaction.atomic():
                return PredictionBatch.objects.create(
                    **key,
                    name=name[: LONGEST_NAME - len(ending)] + ending,
                    parameters=dict(parameters),
                    predicted_by=predicted_by,
                    predicted_by_name=predicted_by.get_username() if predicted_by is not None else "",
                    created_at=now,
                    created_by_id=by_id,
                )
        except IntegrityError:
            continue  # somebody made it in between, or the name is taken
    raise RuntimeError(f"study {study.slug} has {MOST_NAMES} batches named {name!r}")
