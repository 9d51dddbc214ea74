"""What `clustering` offers a study through the registry."""

from __future__ import annotations

from core.registry import StudyModule

module = StudyModule(slug="clustering", label="Opinion groups")
