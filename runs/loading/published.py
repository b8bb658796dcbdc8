"""Loads the papers' tables from runs/loading/tables/: index.yaml describes them, CSVs hold the printed cells."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from django.db import transaction

from runs.services import catalog

FOLDER = Path(__file__).parent / "tables"
SOURCE = "source"  # the CSV column that says where in the paper a row is


def load_published() -> dict[str, int]:
    """Store every table of the index; return the number of rows by table."""
    index = yaml.safe_load((FOLDER / "index.yaml").read_text(encoding="utf-8"))
    counts = {}
    with transaction.atomic():
        for name, table in index["tables"].items():
            rows = _rows(FOLDER / f"{name}.csv", table["columns"])
            about = _about(table, index["papers"][table["paper"]], rows[0][SOURCE])
            catalog.store_published_table(slug=name.replace("_", "-"), about=about, rows=rows)
            counts[name] = len(rows)
    return counts


def _rows(path: Path, columns: Mapping[str, str]) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or list(rows[0]) != [*columns, SOURCE] or any(None in row or None in row.values() for row in rows):
        raise ValueError(f"{path.name}: its columns are not those of index.yaml, or a row is not as wide as the first")
    return rows


def _about(table: Mapping[str, Any], paper: Mapping[str, str], source: str) -> dict[str, object]:
    place = source.partition(" ")[2].partition(" ")[2]  # the part after the number in "arXiv 2605.16819 Tables 2-4"
    return {
        "title": table["title"],
        "citation": f"{paper['citation']}, {place[:1].lower()}{place[1:]}",
        "url": paper["url"],
        "device": paper["device"],
        "clock": table.get("clock", paper.get("clock", "")),
        "note": table.get("note", ""),
        "columns": [{"key": key, "label": label} for key, label in table["columns"].items()],
    }
