"""The blocks of a session that `studies` itself offers."""

from __future__ import annotations

from studies.session.runners.consent import ConsentRunner
from studies.session.runners.form import FormRunner
from studies.session.runners.rate import RateRunner
from studies.session.runners.write import WriteRunner

RUNNERS = (ConsentRunner(), FormRunner(), WriteRunner(), RateRunner())

__all__ = ["RUNNERS", "ConsentRunner", "FormRunner", "RateRunner", "WriteRunner"]
