from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from studies import access
from studies.access import Role, study_for
from studies.models import Study
from tests import factories

MAY = {
    Role.OWNER: {Role.OWNER, Role.EDITOR, Role.ANALYST, Role.MODERATOR, Role.ANNOTATOR, None},
    Role.EDITOR: {Role.EDITOR, Role.ANALYST, Role.MODERATOR, Role.ANNOTATOR, None},
    Role.ANALYST: {Role.ANALYST, None},
    Role.MODERATOR: {Role.MODERATOR, None},
    Role.ANNOTATOR: {Role.ANNOTATOR},
}


@pytest.mark.parametrize("needs", [*Role, None])
@pytest.mark.parametrize("role", list(Role))
def test_each_role_may_what_the_table_says(study: Study, role: Role, needs: Role | None) -> None:
    user = factories.MembershipFactory(study=study, role=role).user

    if needs in MAY[role]:
        assert study_for(user, study.slug, needs=needs) == study
    else:
        with pytest.raises(PermissionDenied):
            study_for(user, study.slug, needs=needs)


def test_a_stranger_cannot_see_that_the_study_exists(study: Study, stranger: Any) -> None:
    for slug in (study.slug, "no-such-study"):
        with pytest.raises(Http404):
            study_for(stranger, slug)


def test_nobody_in_particular_sees_nothing(study: Study, researcher: Any) -> None:
    researcher.is_active = False

    for user in (researcher, AnonymousUser()):
        with pytest.raises(Http404):
            study_for(user, study.slug)
        assert access.role_of(user, study) is None


def test_a_superuser_may_everything(study: Study, superuser: Any) -> None:
    assert study_for(superuser, study.slug, needs=Role.OWNER) == study
    assert study in access.readable_studies(superuser)


def test_studies_by_what_one_may_do(
    study: Study, researcher: Any, colleague: Any, moderator: Any, annotator: Any
) -> None:
    people = (researcher, colleague, moderator, annotator)

    assert [study in access.team_studies(user) for user in people] == [True, True, True, False]
    assert [study in access.readable_studies(user) for user in people] == [True, True, False, False]
    assert [study in access.editable_studies(user) for user in people] == [True, False, False, False]
