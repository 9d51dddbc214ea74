"""Every factory makes a row that the database takes, and every model has one."""

from __future__ import annotations

import pytest
from django.apps import apps
from factory.django import DjangoModelFactory

from tests import factories

FACTORIES = [
    each for each in vars(factories).values() if isinstance(each, type) and each.__module__ == factories.__name__
]
# Not annotation: an audit's rows hang together by hashes that only its services write, see tests/annotation/audits.py.
LABELS = {"core", "studies", "voting", "clustering", "prediction"}


@pytest.mark.parametrize("made_by", FACTORIES, ids=lambda each: each.__name__)
def test_a_factory_makes_valid_rows_again_and_again(db, made_by: type[DjangoModelFactory]) -> None:
    for _n in range(2):
        row = made_by()
        row.refresh_from_db()
        row.full_clean()


def test_every_model_has_a_factory() -> None:
    made = {each._meta.model for each in FACTORIES}

    assert {model._meta.label for model in apps.get_models() if model._meta.app_label in LABELS} == {
        model._meta.label for model in made if model._meta.app_label in LABELS
    }


def test_the_definition_of_a_published_study_is_the_one_the_platform_would_freeze(db) -> None:
    from studies.definition import canonical

    study = factories.published_study(n_seeds=2)

    assert study.current_version.definition == canonical(study)
