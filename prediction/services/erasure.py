"""What happens to predictions when the person they are about withdraws."""

from __future__ import annotations

from prediction.models import JudgeReply, Prediction
from studies.models import Enrolment, Study


def erase_participation(enrolment: Enrolment, policy: str) -> int:
    """Delete what was predicted of a withdrawn person; returns how many rows were deleted.

    A judge's words go under either policy, since they may repeat the person's own. Under "keep votes" the numbers
    stay as the measured ratings do.
    """
    replies, _by_model = JudgeReply.objects.filter(prediction__enrolment=enrolment).delete()
    if policy == Study.WithdrawalPolicy.KEEP_VOTES:
        return replies
    predictions, _by_model = Prediction.objects.filter(enrolment=enrolment).delete()
    return replies + predictions
