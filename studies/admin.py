"""The admin of studies, page by page: the study, its contents, what was measured."""

from __future__ import annotations

from studies.admin_content import ModelAnswerAdmin, QuestionAdmin
from studies.admin_records import EnrolmentAdmin, ExternalIdentityAdmin
from studies.admin_study import StudyAdmin

__all__ = ["EnrolmentAdmin", "ExternalIdentityAdmin", "ModelAnswerAdmin", "QuestionAdmin", "StudyAdmin"]
