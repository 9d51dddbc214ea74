"""What `studies` itself offers a study through the registry."""

from __future__ import annotations

from core.registry import StudyModule
from studies.data.withdrawal import erase
from studies.selectors import summary
from studies.session.runners import RUNNERS

module = StudyModule(slug="studies", label="Studies", blocks=RUNNERS, summary=summary, erase=erase)
