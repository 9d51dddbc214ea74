"""`make benchmark`: all of them, one after the other."""

from __future__ import annotations

import runpy

for name in ("groups", "walk"):
    print(f"\n== {name}\n", flush=True)
    runpy.run_module(f"benchmarks.{name}", run_name="__main__")
