from studies.models.answers import Answer, Draft, FreeResponse, LateSubmission, RepresentationRating
from studies.models.content import FormItem, ModelAnswer, Question, Source
from studies.models.people import ConsentRecord, Enrolment, ExternalIdentity, Slot, Tombstone
from studies.models.study import Membership, Study, StudyVersion
from studies.models.walk import PageView, Step

__all__ = [
    "Answer",
    "ConsentRecord",
    "Draft",
    "Enrolment",
    "ExternalIdentity",
    "FormItem",
    "FreeResponse",
    "LateSubmission",
    "Membership",
    "ModelAnswer",
    "PageView",
    "Question",
    "RepresentationRating",
    "Slot",
    "Source",
    "Step",
    "Study",
    "StudyVersion",
    "Tombstone",
]
