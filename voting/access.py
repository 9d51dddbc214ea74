"""Who sees statements, votes and what is computed from them."""

from __future__ import annotations

from studies.access import team_studies as studies_of_team

__all__ = ["studies_of_team"]
