from annotation.models.assignments import Assignment, ItemEvent, Place
from annotation.models.block import AnnotateSettings
from annotation.models.campaigns import Campaign, CampaignMember, ConsentText, Rubric
from annotation.models.closing import Adjudication, Lock, Unblinding
from annotation.models.items import GoldLabel, HiddenFields, Item, ItemScore, ItemText, Scorer, TextOrigin
from annotation.models.judgements import Judgement, JudgementDraft, Submission
from annotation.models.judges import Judge, JudgeCall
from annotation.models.packets import Dimension, ItemKind, Label, Packet
from annotation.models.raters import Invitation, PayPer, Qualification, Rater, RaterConsent

__all__ = [
    "Adjudication",
    "AnnotateSettings",
    "Assignment",
    "Campaign",
    "CampaignMember",
    "ConsentText",
    "Dimension",
    "GoldLabel",
    "HiddenFields",
    "Invitation",
    "Item",
    "ItemEvent",
    "ItemKind",
    "ItemScore",
    "ItemText",
    "Judge",
    "JudgeCall",
    "Judgement",
    "JudgementDraft",
    "Label",
    "Lock",
    "Packet",
    "PayPer",
    "Place",
    "Qualification",
    "Rater",
    "RaterConsent",
    "Rubric",
    "Scorer",
    "Submission",
    "TextOrigin",
    "Unblinding",
]
