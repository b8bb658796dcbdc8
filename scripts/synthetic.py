"""Synthetic results for benchmarks of the site, drawn at random but reproducibly from their key.

Tasks with the cases of native-24, on three device classes with a clock; five agents times eight models, three runs
each. seed_benchmark.py writes them to the database. All names say that they are synthetic.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, fsum
from random import Random
from statistics import fmean
from typing import Any

from evaluator.records.record import PROTOCOL
from evaluator.tasks.spec import CATEGORIES
from evaluator.unseen.cases import CONFIG_CATEGORIES

MARK = "synthetic"
ARCHITECTURES = {"synthetic-h100": "sm_90", "synthetic-mi300x": "gfx942", "synthetic-mi355x": "gfx950"}
CASES = (13, 11, 11, 13, 11, 13, 13, 12, 11, 11, 10, 13, 14, 10, 11, 12, 11, 11, 10, 11, 12, 12, 11, 11)  # native-24's
TASKS = len(CASES)  # of a suite; with more, cases are given out again from the first
TASKS_OF_A_TYPE = 13  # of operator; a small suite has four types
AGENTS, MODELS, REPEATS = 5, 8, 3
ENTRIES = AGENTS * MODELS
SUITES = 12
BOARDS = SUITES * len(ARCHITECTURES)  # with about 29,000 measurements each of TASKS tasks
MOST_MEASUREMENTS = 1_000_000
ROUND_SECRET = "synthetic-and-of-no-use-to-anybody"
SLOTS = (*CONFIG_CATEGORIES, *CONFIG_CATEGORIES)[:8]  # of one task's unseen cases


@dataclass(frozen=True, slots=True)
class SyntheticResult:
    """The result of one run on one task, as column values of the attempt, and of rows of cases and unseen cases."""

    attempt: dict[str, Any]
    cases: tuple[dict[str, Any], ...]
    unseen: tuple[dict[str, Any], ...]


def tasks(suite: int, of: int) -> list[dict[str, Any]]:
    """Return the column values of a suite's tasks."""
    return [_task(suite, number, of) for number in range(of)]


def most_of_a_run(tasks: int) -> int:
    """Return the number of measurements of a run whose results are all correct."""
    return sum(map(_cases, range(tasks)))


def results(board: str, suite: int, entry: int, repeat: int, tasks: int) -> Iterator[SyntheticResult]:
    """Yield a result for each task, in the order of `tasks`; the same arguments always give the same results."""
    for task in range(tasks):
        yield _result(Random(f"{board} {suite} {entry} {repeat} {task}"), entry, task)


def sha256(*parts: object) -> str:
    return hashlib.sha256(" ".join(map(str, (MARK, *parts))).encode()).hexdigest()


def _task(suite: int, number: int, of: int) -> dict[str, Any]:
    category = tuple(CATEGORIES)[number * len(CATEGORIES) // of]
    operator = f"synthetic type {number % max(4, of // TASKS_OF_A_TYPE)}"
    name = f"synthetic{suite}_{number:0{len(str(of))}}"
    return {
        "path": f"{category}/{MARK}/{name}",
        "digest": sha256("task", suite, number),
        "category": category,
        "source": MARK,
        "name": name,
        "description": "A synthetic task of the benchmark: there is no kernel behind it.",
        "editable": ["kernel.py"],
        "cases": [
            {"id": _case(case), "profile": "full", "axes": {"cols": 64 << case, "rows": 4096}}
            for case in range(_cases(number))
        ],
        "work": {_case(case): _work(case) for case in range(_cases(number))},
        "provenance": {"operator_type": operator, "note": "synthetic"},
    }


def _cases(task: int) -> int:
    """Return the number of a task's cases."""
    return CASES[task % len(CASES)]


def _case(number: int) -> str:
    return f"cols={64 << number},rows=4096"


def _work(number: int) -> dict[str, Any]:
    """Return what a case moves and computes: 16 bytes and 8 operations an element."""
    elements = 4096 * (64 << number)
    return {"bytes": 16.0 * elements, "flops": 8.0 * elements, "dtype": "float32"}


def _result(draw: Random, entry: int, task: int) -> SyntheticResult:
    """Make a result: seven in eight are correct; the others do not compile or have wrong outputs."""
    kind = draw.random()
    if kind < 0.04:
        return SyntheticResult(_failed("build_failed", "compile", "compiler_error", compiled=False), (), ())
    if kind < 0.125:
        wrong = {"case": _case(0), "profile": "full", "correct": False, "baseline_correct": True}
        return SyntheticResult(_failed("wrong_output", "correctness", "mismatch", compiled=True), (wrong,), ())
    gain = draw.gauss(0.02 * (entry % MODELS) + 0.05 * (task % 4), 0.25)
    rows = tuple(_timed(draw, gain, case) for case in range(_cases(task)))
    return SyntheticResult(_passed(rows), rows, tuple(_unseen(draw, gain, slot) for slot in range(len(SLOTS))))


def _failed(status: str, gate: str, reason: str, *, compiled: bool) -> dict[str, Any]:
    about = {"status": status, "gate": gate, "reason": reason, "message": "Synthetic: made up for a benchmark."}
    return about | {"compiled": compiled, "correct": False, "protocol": PROTOCOL, "evaluator": MARK}


def _passed(rows: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    means = {name: fmean(row[f"log_ratio{name}"] for row in rows) for name in ("", "_low", "_high")}
    return {
        "status": "passed",
        "compiled": True,
        "correct": True,
        "protocol": PROTOCOL,
        "evaluator": MARK,
        "work_ms": fsum(row["candidate_t_dev_ms"] for row in rows),
        "work_bytes": fsum(_work(case)["bytes"] for case in range(len(rows))),
        "work_flops": {"float32": fsum(_work(case)["flops"] for case in range(len(rows)))},
        "log_speedup": means[""],
        "cautious_log_speedup": means[""],
        "log_speedup_low": means["_low"],
        "log_speedup_high": means["_high"],
        **dict.fromkeys(("mean_speedup", "paper_speedup"), fmean(exp(row["log_ratio"]) for row in rows)),
    }


def _timed(draw: Random, gain: float, case: int) -> dict[str, Any]:
    ratio, half = draw.gauss(gain, 0.05), draw.uniform(0.004, 0.02)
    baseline_ms = 0.02 * (case + 1) * draw.uniform(0.95, 1.05)
    candidate_ms = baseline_ms / exp(ratio)
    clock = {"baseline_ms": baseline_ms + 0.004, "candidate_ms": candidate_ms + 0.004, "calls": 100}
    return {
        "case": _case(case),
        "profile": "full",
        "correct": True,
        "baseline_correct": True,
        "draws": 9,
        "relative_rmse": 2e-7,
        "allowed_rmse": 8e-7,
        "baseline_rmse": 2e-7,
        "first_call_ms": 40.0,
        "baseline_t_dev_ms": baseline_ms,
        "candidate_t_dev_ms": candidate_ms,
        "log_ratio": ratio,
        "log_ratio_variance": (half / 2) ** 2,
        "log_ratio_df": 4.0,
        "log_ratio_low": ratio - half,
        "log_ratio_high": ratio + half,
        "is_eligible": True,
        "clocks": {"t_call": clock, "aka_loop": clock, "aka_events": clock},
    }


def _unseen(draw: Random, gain: float, slot: int) -> dict[str, Any]:
    """Make a row of an unseen case: nine in ten are correct, and somewhat slower than on seen cases."""
    about = {
        "case": f"cols={100 + slot},rows=4096",
        "category": SLOTS[slot],
        "profile": "full",
        "origin": MARK,
        "baseline_correct": True,
    }
    if draw.random() < 0.1:
        return about | {"correct": False, "reason": "mismatch", "message": "Synthetic: made up for a benchmark."}
    return about | {"correct": True, "log_ratio": draw.gauss(gain - 0.05, 0.1), "is_eligible": True}
