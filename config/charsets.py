"""Requests are in UTF-8 or refused."""

from __future__ import annotations

from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.utils.http import parse_header_parameters


class Utf8Only:
    """An application that refuses requests which declare another character set, before Django makes one of them.

    Django decodes query and fields by whatever codec the visitor names, the query while it makes the request, where no
    middleware can help. Python has codecs that are no character sets, which end in a server error, and some that yield
    halves of surrogate pairs, which no page and no column can hold. Browsers send the forms of these pages in UTF-8.
    """

    def __init__(self, application: WSGIApplication) -> None:
        self.application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Pass on what is in UTF-8."""
        _kind, parameters = parse_header_parameters(environ.get("CONTENT_TYPE", ""))
        if parameters.get("charset", "utf-8").lower() in {"utf-8", "utf8"}:
            return self.application(environ, start_response)
        start_response("400 Bad Request", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"The request is not in UTF-8."]
