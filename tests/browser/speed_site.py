"""A board of a device with a clock: entries with several runs, one incomplete, one reference line."""

from __future__ import annotations

import random

from leaderboard.statistics.results import ResultValues
from runs.models import Attempt, Run
from tests import factories
from tests.leaderboard.arrays import BROKEN, WRONG, right
from tests.leaderboard.timed import make_timed_run

TASKS, RUNS = 12, 2
ENTRIES = {"Claude Code": 0.55, "Cursor Agent with a long name": 0.5, "Codex Agent": 0.1}  # mean log ratio
BOARD = "native-12/triton2triton/h100-sxm/"
PART = {"functions": 2, "lines": 41, "mean_complexity": 2.5, "max_complexity": 4, "maintainability": 48.25}
QUALITY = {"language": "python", "kernel": PART, "host": PART | {"functions": 1, "maintainability": None}}


def make_speed_places() -> list[str]:
    """Every view of the board, and the pages about it."""
    tasks = [
        factories.make_task(
            category="triton2triton", provenance={"operator_type": ("Activations", "Reductions")[n % 2]}
        )
        for n in range(TASKS)
    ]
    suite = factories.make_suite(tasks, name="native-12", title="Native")
    draw = random.Random(3)
    for name, mean in ENTRIES.items():
        configuration = factories.make_configuration(agent=factories.make_agent(name=name))
        for repeat in range(RUNS):
            results = [_values(draw, mean) for _ in range(TASKS)]
            run = make_timed_run(suite=suite, name=name, results=results, configuration=configuration, repeat=repeat)
            run.results.update(code_quality=QUALITY)
            _give_work(run)
    make_timed_run(suite=suite, name="Half done", results=[None, *[right(0.3)] * (TASKS - 1)])
    make_timed_run(suite=suite, name="Expert", results=[right(0.9)] * TASKS, role="reference_line")
    names = ("board", "distribution", "efficiency", "compare", "attribution", "quality")
    pages = [f"/{page}/{BOARD}" for page in names]
    views = [f"/board/{BOARD}?view=paper", f"/board/{BOARD}?operator=Activations&as_of=2026-11-30&ranks=cut"]
    drawn = [("board", "speed"), ("board", "outcomes"), ("distribution", "boxes"), ("distribution", "fast_p")]
    return [*pages, *views, *(f"/{page}/{BOARD}explore/{chart}/" for page, chart in [*drawn, ("compare", "tasks")])]


def _give_work(run: Run) -> None:
    """Let the run's correct results have moved and computed something in 1 ms: some of it more than the card can."""
    for number, attempt in enumerate(Attempt.objects.filter(result__run=run, status="passed").order_by("pk")):
        share = 0.15 * (number % 8 + 1)  # of an H100's 3.35 TB/s and 66.9 TFLOP/s
        flops = {"float32": 33.45e9 * share} if number % 3 else {}
        Attempt.objects.filter(pk=attempt.pk).update(work_ms=1.0, work_bytes=3.35e9 * share, work_flops=flops)


def _values(draw: random.Random, mean: float) -> ResultValues:
    chance = draw.random()
    if chance < 0.08:
        return WRONG if chance < 0.05 else BROKEN
    return right(draw.gauss(mean, 0.5))
