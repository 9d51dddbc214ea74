"""`make benchmark`: all of them, one after the other; fails if one of them missed its target."""

from __future__ import annotations

import argparse
import runpy
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--peer-python", help="a Python with benchmarks/requirements.txt, for the peers")
peer = parser.parse_args().peer_python
missed = []
for name in ("groups", "polis", "overton", "walk"):
    print(f"\n== {name}\n", flush=True)
    sys.argv = [name, *(["--peer-python", peer] if peer and name == "polis" else [])]
    try:
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")
    except SystemExit as end:
        if end.code:
            missed.append(name)
sys.exit(f"missed: {', '.join(missed)}" if missed else 0)
