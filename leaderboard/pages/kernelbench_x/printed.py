"""The tables of KernelBench-X's paper: as printed, and drawn from the same figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.charts import Chart, HeatChart, Point, Series, heat_map, ratio_dots, share_dots
from leaderboard.formatting import NBSP, NONE
from leaderboard.pages.kernelbench_x.section import Section, Shown
from leaderboard.pages.published import NOT_PUBLISHED, Paper, printed_table
from leaderboard.queries import published
from leaderboard.queries.published import PaperTable

OVERALL, COMPILED, CORRECT = (
    f"kernelbenchx-{name}" for name in ("overall", "category-compile-pct", "category-correct-pct")
)
TRAJECTORY, THRESHOLDS = "kernelbenchx-iteration-trajectory", "kernelbenchx-quantization-thresholds"
SLUGS = (OVERALL, COMPILED, CORRECT, TRAJECTORY, THRESHOLDS)
STEPS = (0.1, 0.25, 0.5, 0.75)  # between the shades of the heat maps; the paper's shares are low
NOT_METHODS = ("category", "tasks", "source")  # columns of a category table; the others are its methods
NOT_LOADED = "The paper's tables are not all loaded here. Load them with `manage.py load_published`."

Rows = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Printed:
    """The paper's tables, text as printed. Only a whole set is drawn and checked."""

    papers: tuple[PaperTable, ...]
    rows: dict[str, list[dict[str, str]]]  # by table

    @property
    def is_whole(self) -> bool:
        return set(self.rows) == set(SLUGS)

    @property
    def methods(self) -> list[str]:
        """In the order of the overall table."""
        return [row["method"] for row in self.rows[OVERALL]]

    @property
    def sources(self) -> tuple[Paper, ...]:
        """Each table with its citation."""
        return tuple(Paper(*one[:7], one.size) for one in self.papers) if self.is_whole else ()


def printed() -> Printed:
    found = published.whole_tables(SLUGS)
    return Printed(tuple(table for table, _ in found.values()), {slug: rows for slug, (_, rows) in found.items()})


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


def overall(paper: Printed) -> Section:
    return Section(slug="overall", title="Overall", tables=(_table(paper, OVERALL),))


def details(paper: Printed) -> tuple[Section, ...]:
    """The paper's other tables, each with its charts."""
    rows, methods = paper.rows, paper.methods
    return (
        Section(
            slug="correctness",
            title="Correctness by category",
            charts=(_heat("correct", "Correctness by category", rows[CORRECT], methods),),
            tables=(_table(paper, CORRECT),),
        ),
        Section(
            slug="compilation",
            title="Compilation by category",
            charts=(_heat("compile", "Compilation by category", rows[COMPILED], methods),),
            tables=(_table(paper, COMPILED),),
        ),
        Section(
            slug="refinement",
            title="By refinement round",
            charts=(_rates(rows[TRAJECTORY]), _rescued(rows[TRAJECTORY])),
            tables=(_table(paper, TRAJECTORY),),
        ),
        Section(
            slug="thresholds",
            title="Quantized tasks",
            text="Their outputs have to meet all three thresholds at once.",
            tables=(_table(paper, THRESHOLDS),),
        ),
    )


def _table(paper: Printed, slug: str) -> Shown:
    [found] = [one for one in paper.papers if one.slug == slug]
    return Shown(printed_table(found, paper.rows[slug]), "printed")


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
