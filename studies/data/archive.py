"""A folder as a zip file that is the same bytes whenever the files are the same."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

# The earliest that zip can say: the time of packing is nobody's business, and would change the hash.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100600 << 16
_PACKED = {".parquet"}


def write_archive(folder: Path, path: Path) -> None:
    """Pack the files of `folder` in the order of their names, below a folder of its name."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for file in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(f"{folder.name}/{file.name}", _NO_TIME)
            entry.external_attr = _PLAIN_FILE
            entry.create_system = 3  # Unix, whatever packs it
            entry.compress_type = zipfile.ZIP_STORED if file.suffix in _PACKED else zipfile.ZIP_DEFLATED
            with file.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                shutil.copyfileobj(source, target)
