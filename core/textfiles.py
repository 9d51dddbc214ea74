"""Reading text files of people: UTF-8 or a message that says where it is not and how to save it anew.

UTF-16 is refused rather than read: it comes from "Unicode text" of spreadsheets, which is separated by tabs,
and a file read by guesswork is worse than one saved again.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.utils.translation import gettext as _

from core.errors import BadInput, bad_file, cannot_read

Source = str | Path | bytes
"""A file: its path, or its content."""

BOM = b"\xef\xbb\xbf"
_KIND_BY_SIGNATURE = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"PK\x03\x04": "Excel, OpenDocument or zip",
    b"\xd0\xcf\x11\xe0": "Excel 97",
    b"PAR1": "Parquet",
    b"\x1f\x8b": "gzip",
    b"%PDF": "PDF",
}


@contextmanager
def opened(source: Source, name: str, *, maximum_bytes: int | None = None) -> Iterator[IO[bytes]]:
    """Open the bytes of `source`; raise `BadInput` if it cannot be read or is larger than `maximum_bytes`."""
    with _opened_bytes(source, name) as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        if maximum_bytes is not None and size > maximum_bytes:
            raise bad_file(
                name,
                _("The file has %(size)s bytes; at most %(limit)s are read.") % {"size": size, "limit": maximum_bytes},
                _("Split it into smaller files."),
            )
        yield file


def _opened_bytes(source: Source, name: str) -> IO[bytes]:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    path = Path(source)
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            # Opening a pipe may wait for ever, and a device may never end.
            message = _("This is a pipe or a device, not a file.")
            raise bad_file(name, message, _("Write it into a file first."))
        return path.open("rb")
    except OSError as error:
        raise cannot_read(name, error) from error


def text_lines(file: IO[bytes], name: str) -> Iterator[str]:
    """Yield the lines of `file` with their ends as they are, cut at LF only; raise `BadInput` where it is not UTF-8.

    Splitting at LF keeps CR, U+0085 and U+2028 inside a text, where `str.splitlines` would cut it. A byte order
    mark at the start is dropped. Streams: one line is held at a time.
    """
    for number, raw in enumerate(file, start=1):
        if number == 1:
            _refuse_other_kinds(raw, name)
            raw = raw.removeprefix(BOM)
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _wrong_encoding(name, number, raw, error) from error
        if "\0" in line:
            message = _("There is a NUL character (U+0000), which is no text.")
            raise bad_file(name, message, _save_as_utf8(), line=number, column=line.index("\0") + 1)
        yield line


def read_text(source: Source, name: str, *, maximum_bytes: int | None = None) -> str:
    """Return the whole text of `source`, unchanged but for a byte order mark at its start."""
    with opened(source, name, maximum_bytes=maximum_bytes) as file:
        return "".join(text_lines(file, name))


def _refuse_other_kinds(start: bytes, name: str) -> None:
    for signature, kind in _KIND_BY_SIGNATURE.items():
        if start.startswith(signature):
            message = _("This is a file of the kind %(kind)s, not UTF-8 text.") % {"kind": kind}
            raise bad_file(name, message, _save_as_utf8(), line=1)


def _wrong_encoding(name: str, number: int, raw: bytes, error: UnicodeDecodeError) -> BadInput:
    column = len(raw[: error.start].decode("utf-8")) + 1
    byte = raw[error.start : error.start + 1]
    guess = byte.decode("cp1252", "ignore")
    meant = _(" (“%(guess)s” in Windows-1252)") % {"guess": guess} if guess else ""
    message = _("Character %(column)d of this line is not UTF-8: byte 0x%(byte)s%(meant)s.") % {
        "column": column,
        "byte": byte.hex().upper(),
        "meant": meant,
    }
    return bad_file(name, message, _save_as_utf8(), line=number, column=column)


def _save_as_utf8() -> str:
    return _("Save the file as UTF-8 (in a spreadsheet: “CSV UTF-8”; in an editor: encoding UTF-8).")
