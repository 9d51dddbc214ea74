"""What goes wrong with a model endpoint, as one error with a code from a closed list."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from core.errors import DomainError, Message

CODES = frozenset(
    {
        "unknown_endpoint",  # nothing is configured under that name
        "no_key",  # its variable holds no key
        "unreachable",  # no connection, or it was cut
        "timeout",  # no whole reply in time
        "redirected",  # the server sent us elsewhere, where we do not go
        "rate_limited",  # 429, also after the last retry
        "server_failed",  # 408, 5xx
        "refused_request",  # any other status: asking again changes nothing
        "too_large",  # the reply is longer than is read
        "bad_reply",  # the reply is not what the interface promises
    }
)


class EndpointError(DomainError):
    """A model endpoint did not answer, after the retries. `is_transient`: asking later may help."""

    default_message = _("The model endpoint did not answer.")
    default_code = "unreachable"
    http_status = 502

    def __init__(
        self,
        message: Message | None = None,
        *,
        code: str | None = None,
        endpoint: str = "",
        status: int | None = None,
        attempts: int = 0,
        is_transient: bool = False,
    ) -> None:
        super().__init__(message, code=code)
        assert self.code in CODES, self.code
        self.endpoint = endpoint
        self.status = status
        self.attempts = attempts
        self.is_transient = is_transient
