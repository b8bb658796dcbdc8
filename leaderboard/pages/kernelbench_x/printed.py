"""The tables of KernelBench-X's paper: as printed, and drawn from the same figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leaderboard.charts import Chart, HeatChart, Point, Series, heat_map, ratio_dots, share_dots
from leaderboard.formatting import NBSP, NONE
from leaderboard.pages.kernelbench_x.rates import STEPS, CategoryCount, Column, conversion_table
from leaderboard.pages.papers.printed import NOT_LOADED, PrintedTables, Rows
from leaderboard.pages.published import NOT_PUBLISHED
from leaderboard.pages.section import Section, Shown
from leaderboard.words import operator_type

OVERALL, COMPILED, CORRECT = (
    f"kernelbenchx-{name}" for name in ("overall", "category-compile-pct", "category-correct-pct")
)
CONVERSION, FIGURES = "kernelbenchx-category-conversion", "kernelbenchx-text-figures"
TRAJECTORY, THRESHOLDS = "kernelbenchx-iteration-trajectory", "kernelbenchx-quantization-thresholds"
SLUGS = (OVERALL, COMPILED, CORRECT, CONVERSION, TRAJECTORY, THRESHOLDS, FIGURES)
NOT_METHODS = ("category", "tasks", "source")  # columns of a category table; the others are its methods


class Printed(PrintedTables):
    __slots__ = ()

    @property
    def methods(self) -> list[str]:
        """In the order of the overall table."""
        return [row["method"] for row in self.rows[OVERALL]]


def printed() -> Printed:
    return Printed.load(SLUGS)


def task_count(row: Mapping[str, str], method: str) -> int:
    """The whole number of a category's tasks that the method's percentage stands for."""
    return round(float(row[method]) * int(row["tasks"]) / 100)


def facts(paper: Printed) -> tuple[tuple[str, str, str], ...]:
    first = paper.papers[0]
    return (
        ("Paper", first.citation.rpartition(",")[0], first.url),
        ("Device", first.device, ""),
        ("Clock", "Triton's do_bench: median of 100 calls after 25 to warm up, against eager PyTorch", ""),
        ("Top task's share", NOT_PUBLISHED, ""),
    )


def sections(paper: Printed) -> tuple[Section, ...]:
    """The tables of results; those of the text and of the set-up are on the page of the paper alone."""
    if not paper.is_whole:
        return (Section(slug="overall", title="In the paper", text=NOT_LOADED),)
    rows, methods = paper.rows, paper.methods
    by_category = (
        _heat("compile", "Compilation by category, as printed", rows[COMPILED], methods),
        _heat("correct", "Correctness by category, as printed", rows[CORRECT], methods),
    )
    whole = "Correct of compiled, in tasks that follow from the printed percentages"
    return (
        Section(slug="overall", title="In the paper", tables=(paper.shown(OVERALL),)),
        Section(
            slug="categories",
            title="In the paper, by category",
            charts=by_category,
            tables=(
                Shown(conversion_table("conversion", whole, columns(paper), NOT_LOADED), "matrix"),
                paper.shown(CONVERSION),
                paper.shown(COMPILED, "Compilation as printed"),
                paper.shown(CORRECT, "Correctness as printed"),
            ),
        ),
        Section(
            slug="refinement",
            title="In the paper, by refinement round",
            charts=(_rates(rows[TRAJECTORY]), _rescued(rows[TRAJECTORY])),
            tables=(paper.shown(TRAJECTORY),),
        ),
        Section(
            slug="thresholds",
            title="Quantized tasks",
            text="Their outputs have to meet all three thresholds at once.",
            tables=(paper.shown(THRESHOLDS),),
        ),
    )


def columns(paper: Printed) -> tuple[Column, ...]:
    """What each method has in every category, in tasks."""
    pairs = list(zip(paper.rows[COMPILED], paper.rows[CORRECT], strict=True))
    return tuple(Column(name, name, tuple(_count(*pair, name) for pair in pairs)) for name in paper.methods)


def _count(compiled: Mapping[str, str], correct: Mapping[str, str], method: str) -> CategoryCount:
    tasks = int(correct["tasks"])
    counts = (task_count(compiled, method), task_count(correct, method))
    return CategoryCount(operator_type(correct["category"]), tasks, tasks, tasks, *counts)


def _heat(slug: str, title: str, rows: Rows, known: Sequence[str]) -> HeatChart:
    methods = [name for name in known if name in rows[0]]
    given = [(row["category"], f"{row['tasks']} tasks", [_heat_cell(row, name) for name in methods]) for row in rows]
    description = (
        f"{title} and method, in percent as printed: a row for each category, a column for each method. The counts of "
        "tasks follow from the percentages."
    )
    return heat_map(slug, title, description, methods, given, steps=STEPS)


def _heat_cell(row: Mapping[str, str], method: str) -> tuple[float, str, str]:
    return float(row[method]) / 100, f"{row[method]}{NBSP}%", f"{task_count(row, method)} of {row['tasks']}"


def _rates(rows: Rows) -> Chart:
    rounds = [row for row in rows if row["compile_pct"]]
    series = (Series("correct", "Correct"), Series("compiled", "Compiled"))
    return share_dots(
        "trajectory",
        "GEAK: rates before and after refinement",
        "Compilation and correctness of GEAK in its first and last round, in percent of 176 tasks, as printed.",
        "share of tasks",
        series,
        [
            (
                f"Round {row['round']}",
                f"speedup {row['speedup']}, score {row['score_pct']} %",
                [_share(row["correct_pct"]), _share(row["compile_pct"])],
            )
            for row in rounds
        ],
    )


def _rescued(rows: Rows) -> Chart:
    steps = [row for row in rows if row["rescued_speedup"]]
    series = (Series("first", "Rescued", "×"), Series("second", "Persistent", "×"))
    return ratio_dots(
        "rescued",
        "GEAK: speedup of rescued and of persistent kernels",
        "Mean speedup of kernels that a round made correct, and of those that were correct before, as printed.",
        "times as fast as the baseline",
        series,
        [
            (
                f"Round {row['round']}",
                "",
                [_factor(row["rescued_speedup"]), _factor(row["persistent_speedup"])],
            )
            for row in steps
        ],
        note="Rescued: incorrect in the round before. These kernels are slower than the others, so the mean falls.",
    )


def _share(text: str) -> Point:
    return Point(float(text) / 100, f"{text}{NBSP}%") if text else Point(None, NONE)


def _factor(text: str) -> Point:
    return Point(float(text), f"{text}×") if text else Point(None, NONE)
