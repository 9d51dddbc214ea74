"""What `studies` itself offers a study through the registry."""

from __future__ import annotations

from core.registry import StudyModule

module = StudyModule(slug="studies", label="Studies")
