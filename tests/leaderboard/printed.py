"""Runs built so that they give a row of the paper's main tables: one configuration's row of each table.

A run's times are a few slow tasks, many middling ones, some fast ones and one outlier; the sizes of the last two follow
from the run's arithmetic and geometric mean, which lie one σr below, at and above the printed ones. (One of the 24 rows
has a geometric mean that none of the definitions gives; it is not among these.)
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from math import log
from pathlib import Path

from leaderboard.statistics.paper import PaperColumns
from leaderboard.statistics.results import ResultMatrix, ResultValues
from tests.leaderboard.arrays import BROKEN, WRONG, right

TABLE = Path(__file__).parents[2] / "runs" / "loading" / "tables" / "agentkernelarena_main_results.csv"
RUNS = 3
SLOW, MIDDLING = 0.95, 1.2
Row = dict[str, str]


@dataclass(frozen=True)
class Shape:
    """How many tasks there are, and which of them fail in the first run; task 0 is the outlier, fast ones follow."""

    tasks: int
    failing: dict[int, ResultValues]


SHAPES = {
    "hip2hip": Shape(24, {1: WRONG}),
    "triton2triton": Shape(148, {1: WRONG}),
    "torch2hip": Shape(24, {1: WRONG, 2: BROKEN}),
}


def printed_rows() -> list[Row]:
    with TABLE.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["agent"], row["model"]) == ("Claude Code", "Opus 4.6")]
    return [{key: text for key, text in row.items() if key not in ("agent", "model", "source")} for row in rows]


def built(row: Row) -> list[list[ResultValues]]:
    """Results of tasks × runs that give the printed row."""
    shape = SHAPES[row["category"]]
    runs = [_run(row, shape, run) for run in range(RUNS)]
    return [list(task) for task in zip(*runs, strict=True)]


def as_printed(category: str, columns: PaperColumns) -> Row:
    mean, geo = columns.mean_speedup, columns.geo_mean_speedup
    numbers = {
        "compilation_rate_pct": f"{columns.compilation_rate_pct:.1f}",
        "correctness_rate_pct": f"{columns.correctness_rate_pct:.1f}",
        "mean_speedup": f"{mean.value:.2f}",
        "mean_speedup_sigma_r": f"{mean.sigma_r:.2f}",
        "mean_score": f"{columns.mean_score:.1f}",
        "geo_mean_speedup": f"{geo.value:.2f}",
        "geo_mean_sigma_r": f"{geo.sigma_r:.2f}",
        "fast_1_pct": f"{columns.fast_1_pct:.1f}",
        "fast_2_pct": f"{columns.fast_2_pct:.1f}",
    }
    return {"category": category} | numbers


def matrix_of(row: Row) -> ResultMatrix:
    return ResultMatrix.from_rows(built(row))


def _run(row: Row, shape: Shape, run: int) -> list[ResultValues]:
    """The answers of one run, task 0 being the outlier."""
    failing = shape.failing if run == 0 else {}
    fast = round(shape.tasks * float(row["fast_2_pct"]) / 100)
    slow = shape.tasks - round(shape.tasks * float(row["fast_1_pct"]) / 100)
    middling = shape.tasks - fast - slow
    mean = _mean(row, shape) + (run - 1) * float(row["mean_speedup_sigma_r"])
    geometric = float(row["geo_mean_speedup"]) + (run - 1) * float(row["geo_mean_sigma_r"])
    total = shape.tasks * mean - slow * SLOW - middling * MIDDLING
    logs = (shape.tasks - len(failing)) * log(geometric) - slow * log(SLOW) - middling * log(MIDDLING)
    usual, outlier = _sizes(total, logs, fast - 1 - len(failing))
    times = [outlier, *[usual] * (fast - 1), *[MIDDLING] * middling, *[SLOW] * slow]
    return [failing.get(task) or right(log(time), width=0.001) for task, time in enumerate(times)]


def _mean(row: Row, shape: Shape) -> float:
    """The printed score holds the mean speedup with one digit more."""
    cells = shape.tasks * RUNS
    compiled = 1 - sum(one is BROKEN for one in shape.failing.values()) / cells
    correct = 1 - len(shape.failing) / cells
    return (float(row["mean_score"]) - 20 * compiled - 100 * correct) / 100


def _sizes(total: float, logs: float, count: int) -> tuple[float, float]:
    """(a, b) with count·a + b = total and count·log a + log b = logs: the more alike they are, the larger the logs."""
    low, high = 1.0, total / (count + 1)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if count * log(middle) + log(total - count * middle) < logs else (low, middle)
    return low, total - count * low
