"""Figures of the text of KernelBench-X's paper, from the file that `load_published` stores, without a query."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

FILE = Path(__file__).parents[2] / "runs" / "loading" / "tables" / "kernelbenchx_text_figures.csv"


@cache
def text_figures() -> Mapping[str, str]:
    """Short name → the figure with the paper's digits, read once in each process."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return MappingProxyType({row["figure"]: row["value"] for row in csv.DictReader(file)})
