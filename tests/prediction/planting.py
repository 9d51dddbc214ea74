"""For child processes: a database with a rated study, on whatever DATABASE_URL or POLYPHONY_VAR_DIR names.

python -m tests.prediction.planting SLUG N_PEOPLE
"""

from __future__ import annotations

import os
import sys


def plant(slug: str, n_people: int) -> None:
    """Migrate, and write an open study of one question and three answers that `n_people` rated."""
    from django.core.management import call_command

    from studies.models import Enrolment, RepresentationRating
    from tests.factories import NOW, EnrolmentFactory, FreeResponseFactory, published_study

    call_command("migrate", verbosity=0)
    study = published_study(n_questions=1, n_answers=3, slug=slug)
    question = study.questions.get()
    for i in range(n_people):
        person = EnrolmentFactory(
            study=study, status=Enrolment.Status.COMPLETE, finished_at=NOW, public_code=f"P{i:02d}"
        )
        FreeResponseFactory(enrolment=person, question=question, text=f"Person {i} has a view.")
        for k, answer in enumerate(question.answers.order_by("pk")):
            RepresentationRating.objects.create(enrolment=person, answer=answer, value=1 + (i + k) % 5, rated_at=NOW)


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    plant(sys.argv[1], int(sys.argv[2]))
