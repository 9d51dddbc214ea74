"""Logs that name no participant: no address, no query, no token."""

from __future__ import annotations

import logging
import re

# Everything after a study's slug may be a token; everything after "?" may be a recruiter's id.
PARTICIPANT_PATH = re.compile(r"(/s/[^/\s?]*/)[^\s\"']+")
QUERY = re.compile(r"\?[^\s\"']+")
# How gunicorn names whoever sent it something that is not HTTP.
ADDRESS = re.compile(r"\bip=\S+")


def without_traces(text: str) -> str:
    """Return `text` without queries, addresses and the rest of participants' paths."""
    return ADDRESS.sub("ip=…", QUERY.sub("?…", PARTICIPANT_PATH.sub(r"\1…", text)))


class WithoutTraces(logging.Filter):
    """Cut addresses' tails out of a record before any handler sees them."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record, its message and arguments cleaned."""
        record.msg = without_traces(str(record.msg % record.args if record.args else record.msg))
        record.args = None
        # runserver and log_response attach the request itself; formatters must not reach it.
        record.__dict__.pop("request", None)
        return True
