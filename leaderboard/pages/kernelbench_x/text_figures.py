"""Figures of the paper's text, as printed, from the file that `load_published` stores: no question to the database."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

FILE = Path(__file__).parents[3] / "runs" / "loading" / "tables" / "kernelbenchx_text_figures.csv"


@cache
def text_figures() -> Mapping[str, str]:
    """Short name → the figure with the paper's digits, read once in each process."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return MappingProxyType({row["figure"]: row["value"] for row in csv.DictReader(file)})
