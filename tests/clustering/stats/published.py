"""The paper's tables as the vectors hold them, with names made alike."""

from __future__ import annotations

import csv
from pathlib import Path

from clustering.stats.panel import CoverageRow

# Table 12 names two models otherwise than the others.
NAMES = {"Deepseek V3": "DeepSeek V3", "Llama 3-70B instruct": "Llama 3.3-70B instruct"}


def published(shared: Path, name: str) -> list[dict[str, str]]:
    """Rows of one file; the paper has no-break spaces in names."""
    with (shared / "vectors" / "overton" / name).open(encoding="utf-8", newline="") as file:
        rows = [{key: value.replace("\u00a0", " ") for key, value in row.items()} for row in csv.DictReader(file)]
    for row in rows:
        if "model" in row:
            row["model"] = NAMES.get(row["model"], row["model"])
    return rows


def table12(shared: Path) -> list[CoverageRow]:
    """Coverage of 15 questions by 8 models, as printed."""
    return [
        CoverageRow(
            question=row["qid"].zfill(2),
            source=row["model"],
            coverage=float(row["coverage"]),
            n_groups=int(row["n_clusters"]),
            coverage_weighted=float(row["coverage_w"]),
            n_people=int(row["n_participants_inferred"]),
            domain="Model Slant",
        )
        for row in published(shared, "002_table12.csv")
    ]
