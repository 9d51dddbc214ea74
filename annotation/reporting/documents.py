"""The report as one JSON-ready document, from which every other form is made."""

from __future__ import annotations

from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from annotation.reporting.about import About, versions
from annotation.reporting.primary import primary_results
from annotation.stats.material import Material, Settings
from annotation.stats.report import AgreementReport, Tell, agreement_report
from core.canonical import content_sha256


def computed(material: Material, settings: Settings, tell: Tell | None = None) -> AgreementReport:
    """The report, with linear algebra on one thread, since the products are small."""
    with threadpool_limits(limits=1, user_api="blas"):
        return agreement_report(material, settings, tell)


def document(report: AgreementReport, about: About) -> dict[str, Any]:
    """Everything in one: source, settings, numbers, versions, and the hash of it all."""
    body = {**report.to_dict(), "source": about.to_dict(), "versions": versions()}
    body["primary"] = primary_results(body, about.facts.get("primary_analysis") or {})
    return {**body, "sha256": content_sha256(body)}
