"""Fetch the scripts we serve ourselves, pinned, and list them with version, licence and SHA-256.

`make vendor` runs this; it needs npm. The versions of vega follow Altair (`altair.SCHEMA_VERSION`) and
vl-convert, so that a figure on a page and in an export is drawn by the same code.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A page must not ask for a map that is not there, and hashed names would look for it.
SOURCE_MAP = re.compile(rb"\n//# sourceMappingURL=\S+\s*\Z")


@dataclass(frozen=True, slots=True)
class Package:
    """One package, the file we take of it, and the licence files that must come along."""

    name: str
    version: str
    licence: str
    script: str | None = None
    licence_files: tuple[str, ...] = ("LICENSE",)

    @property
    def spec(self) -> str:
        """Return the name npm knows this version by."""
        return f"{self.name}@{self.version}"


SERVED = (
    Package("vega", "6.2.0", "BSD-3-Clause", "build/vega.min.js"),
    Package("vega-lite", "6.4.1", "BSD-3-Clause", "build/vega-lite.min.js"),
    Package("vega-embed", "7.0.2", "BSD-3-Clause", "build/vega-embed.min.js"),
)
# What the builds above contain of others; only the licences are taken. The interpreter of expressions
# that keeps the policy free of unsafe-eval is in vega-embed's build (option `ast: true`).
CONTAINED = (
    Package("d3-array", "3.2.5", "ISC"),
    Package("d3-delaunay", "6.0.6", "ISC"),
    Package("d3-ease", "3.0.2", "BSD-3-Clause"),
    Package("d3-geo-projection", "4.0.0", "ISC"),
    Package("delaunator", "5.1.0", "ISC"),
    Package("fast-json-patch", "3.1.1", "MIT", licence_files=("LICENSE.txt",)),
    Package("internmap", "2.0.3", "ISC"),
    Package("json-stringify-pretty-compact", "4.0.0", "MIT"),
    Package("robust-predicates", "3.0.3", "Unlicense"),
    Package("semver", "7.8.6", "ISC"),
    Package("topojson-client", "3.1.0", "ISC"),
    Package("tslib", "2.9.1", "0BSD", licence_files=("LICENSE.txt",)),
    Package("vega-interpreter", "2.0.0", "BSD-3-Clause"),
    Package("vega-themes", "3.0.0", "BSD-3-Clause"),
    Package("vega-tooltip", "1.0.0", "BSD-3-Clause"),
)
TESTED_WITH = (Package("axe-core", "4.14.1", "MPL-2.0", "axe.min.js", ("LICENSE", "LICENSE-3RD-PARTY.txt")),)


def fetch(package: Package, folder: Path) -> dict[str, bytes]:
    """Return the wanted files of a package by name, as its registry has them."""
    command = ["npm", "pack", package.spec, "--silent", "--pack-destination", str(folder)]
    packed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    wanted = [*package.licence_files, *([package.script] if package.script else [])]
    with tarfile.open(folder / packed.stdout.split()[-1]) as archive:
        return {name: _content(archive, f"package/{name}") for name in wanted}


def _content(archive: tarfile.TarFile, name: str) -> bytes:
    member = archive.extractfile(name)
    if member is None:
        raise SystemExit(f"{name} is not a file")
    return member.read()


def vendor(packages: tuple[Package, ...], target: Path) -> list[tuple[Package, Path]]:
    """Write the packages' scripts and licences into `target`, and return what was written."""
    shutil.rmtree(target, ignore_errors=True)
    (target / "licences").mkdir(parents=True)
    written = []
    with tempfile.TemporaryDirectory() as scratch:
        for package in packages:
            for name, content in fetch(package, Path(scratch)).items():
                path = _place(package, name, target)
                path.write_bytes(SOURCE_MAP.sub(b"\n", content))
                written.append((package, path))
    return written


def _place(package: Package, name: str, target: Path) -> Path:
    if name == package.script:
        return target / Path(name).name
    suffix = "-3rd-party" if "3RD" in name else ""
    return target / "licences" / f"{package.name}{suffix}.txt"


def listing(written: list[tuple[Package, Path]], target: Path, intro: str) -> str:
    """Return the table of what is vendored."""
    rows = [
        f"| {path.relative_to(target)} | {package.name} | {package.version} | {package.licence} | "
        f"{hashlib.sha256(path.read_bytes()).hexdigest()} |"
        for package, path in sorted(written, key=lambda item: str(item[1]))
    ]
    head = ["| file | package | version | licence | SHA-256 |", "|---|---|---|---|---|"]
    return "\n".join(["# Vendored files", "", intro, "", *head, *rows, ""])


def main() -> None:
    """Vendor everything again."""
    if shutil.which("npm") is None:
        raise SystemExit("make vendor needs npm, which comes with Node.js: install it and try again.")
    served = ROOT / "static" / "vendor"
    intro = (
        "Made by `make vendor` from the published packages, without the references to source maps; do not edit.\n"
        "vega-embed's build contains vega-interpreter, which evaluates expressions without unsafe-eval (`ast: true`).\n"
        "Packages listed with a licence only are contained in the builds. htmx is vendored by django-htmx."
    )
    (served / "VENDORED.md").write_text(listing(vendor(SERVED + CONTAINED, served), served, intro), encoding="utf-8")
    tests = ROOT / "tests" / "vendor"
    intro = "Made by `make vendor`; used by the tests alone and never served; do not edit."
    (tests / "VENDORED.md").write_text(listing(vendor(TESTED_WITH, tests), tests, intro), encoding="utf-8")
    sys.stdout.write("static/vendor and tests/vendor are made again.\n")


if __name__ == "__main__":
    main()
