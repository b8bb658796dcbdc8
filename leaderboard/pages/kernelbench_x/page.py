"""KernelBench-X on one page: the numbers that its paper printed, checked and drawn, our tasks, and submitted runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leaderboard.charts import Chart, HeatChart, Point, Series, heat_map, ratio_dots, share_dots
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NBSP, NONE, plural
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.pages.kernelbench_x import screen
from leaderboard.pages.kernelbench_x.attribution import NOT_LOADED, Explained, attribution_table, explained, task_count
from leaderboard.pages.kernelbench_x.facts import Imported, imported
from leaderboard.pages.kernelbench_x.native import (
    NativeCategory,
    NativeTask,
    native_categories,
    native_tables,
    native_tasks,
)
from leaderboard.pages.published import NOT_PUBLISHED, Paper, printed_table
from leaderboard.queries import published
from leaderboard.queries.published import PaperTable
from leaderboard.tables import Cell, Field, Table, hidden, table, text_field

OVERALL, COMPILED, CORRECT = (
    f"kernelbenchx-{name}" for name in ("overall", "category-compile-pct", "category-correct-pct")
)
TRAJECTORY, THRESHOLDS = "kernelbenchx-iteration-trajectory", "kernelbenchx-quantization-thresholds"
SLUGS = (OVERALL, COMPILED, CORRECT, TRAJECTORY, THRESHOLDS)
STEPS = (0.1, 0.25, 0.5, 0.75)  # between the shades of the heat maps; the paper's shares are low
ROUNDING_PCT = 0.051  # a printed percentage is rounded to one decimal
DISAGREEMENTS = (
    "GEAK after its last round has a speedup of 1.44 and a score of 53.3 % in section 4.4, but 1.15 and 50.0 % in the "
    "overall table, with the same compilation and correctness rates.",
    "The setup names CUDA 11.8 together with a PyTorch built for CUDA 12.8.",
)
NOT_SHOWN = "Not shown: shares of a device's peak performance, which bundles lack for some tasks."

Rows = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class PaperCheck:
    """A printed percentage and the count of tasks that the category table adds up to."""

    method: str
    rate: str  # compilation or correctness
    printed_pct: float
    count: int
    tasks: int
    summed_pct: float
    agrees: bool


@dataclass(frozen=True, slots=True)
class Section:
    slug: str
    title: str
    text: str
    charts: tuple[Chart, ...]
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelBenchXPage(Page):
    papers: tuple[Paper, ...]  # the tables with their citations
    rows: dict[str, list[dict[str, str]]]  # by table, text as printed
    checks: tuple[PaperCheck, ...]
    disagreements: tuple[str, ...]
    attribution: tuple[Explained, ...]  # computed here from the printed category tables
    native: tuple[NativeTask, ...]  # our tasks after the benchmark's
    native_categories: tuple[NativeCategory, ...]
    imported: Imported  # submitted here: claimed, not measured
    overall: Table | None = field(metadata=SCREEN)
    sections: tuple[Section, ...] = field(metadata=SCREEN)
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)  # term, text, address


def build(query: Query) -> KernelBenchXPage:
    known = {row.slug: row for row in published.tables() if row.slug in SLUGS}
    cells = published.cells_of_all(SLUGS)
    is_whole = set(known) == set(cells) == set(SLUGS)
    found = [known[slug] for slug in SLUGS] if is_whole else []
    checks = _checks(cells) if is_whole else ()
    lines = explained(cells[COMPILED], cells[CORRECT]) if is_whole else ()
    submitted, native = imported(), native_tasks()
    categories = native_categories(native, cells.get(CORRECT, ()))
    charts = (_charts(cells) if is_whole else {}) | screen.charts(submitted, STEPS)
    tables = by_slug(
        *(printed_table(one, cells[one.slug]) for one in found),
        _checks_table(checks),
        attribution_table(lines),
        *native_tables(native, categories),
        *screen.tables(submitted),
    )
    return KernelBenchXPage(
        title="KernelBench-X",
        subject="KernelBench-X: as printed in its paper, or as submitted and not measured here",
        lead="Triton kernels by five methods on 176 tasks in 15 categories, as printed in the paper, and submitted "
        "runs. None of it was measured here, and none of it is ranked with results measured here. Below are our own "
        "tasks after the benchmark's.",
        crumbs=(Link("Papers", page_url("published")),),
        tables=tables,
        charts=charts,
        papers=tuple(Paper(*one[:7], one.size) for one in found),
        rows=cells,
        checks=checks,
        disagreements=_disagreements(checks),
        attribution=lines,
        native=native,
        native_categories=categories,
        imported=submitted,
        overall=tables.get(OVERALL),
        sections=_sections(tables, charts) if is_whole else (),
        facts=_facts(found[0], submitted) if found else (),
    )


def _facts(first: PaperTable, submitted: Imported) -> tuple[tuple[str, str, str], ...]:
    return (
        ("Paper", first.citation.rpartition(",")[0], first.url),
        ("Device", first.device, ""),
        ("Clock", "Triton's do_bench: median of 100 calls after 25 to warm up, against eager PyTorch", ""),
        ("Top task's share", NOT_PUBLISHED, ""),
        ("Submitted runs", f"{plural(len(submitted.runs), 'run')}, below, as claimed. {NOT_SHOWN}", ""),
    )


def _sections(tables: Mapping[str, Table], charts: Mapping[str, Chart]) -> tuple[Section, ...]:
    return (
        Section("correctness", "Correctness by category", "", (charts["correct"],), tables[CORRECT]),
        Section("compilation", "Compilation by category", "", (charts["compile"],), tables[COMPILED]),
        Section(
            "refinement",
            "By refinement round",
            "",
            (charts["trajectory"], charts["rescued"]),
            tables[TRAJECTORY],
        ),
        Section(
            "thresholds",
            "Quantized tasks",
            "Their outputs have to meet all three thresholds at once.",
            (),
            tables[THRESHOLDS],
        ),
    )


def _disagreements(checks: Sequence[PaperCheck]) -> tuple[str, ...]:
    """Disagreements that the tables show, then those of the text."""
    shown = tuple(
        f"{one.method}'s {one.rate} is {one.printed_pct} % in the overall table; its categories add up to {one.count} "
        f"of {one.tasks}, which is {one.summed_pct:.1f} %."
        for one in checks
        if not one.agrees
    )
    return (*shown, *DISAGREEMENTS) if checks else ()


def _checks(cells: Mapping[str, Rows]) -> tuple[PaperCheck, ...]:
    rates = (("compilation", "compile_pct", COMPILED), ("correctness", "correct_pct", CORRECT))
    return tuple(
        _check(row["method"], rate, float(row[key]), cells[slug]) for rate, key, slug in rates for row in cells[OVERALL]
    )


def _check(method: str, rate: str, printed_pct: float, rows: Rows) -> PaperCheck:
    tasks = sum(int(row["tasks"]) for row in rows)
    count = sum(task_count(row, method) for row in rows)
    summed_pct = 100 * count / tasks
    return PaperCheck(
        method, rate, printed_pct, count, tasks, summed_pct, abs(summed_pct - printed_pct) <= ROUNDING_PCT
    )


def _checks_table(checks: Sequence[PaperCheck]) -> Table:
    columns: tuple[Field[PaperCheck], ...] = (
        text_field("method", "Method", lambda one: one.method),
        text_field("rate", "Rate", lambda one: one.rate),
        Field(
            "printed_pct",
            "Printed overall",
            lambda one: Cell(f"{one.printed_pct}{NBSP}%", one.printed_pct),
            is_number=True,
        ),
        Field(
            "count",
            "Categories add up to",
            lambda one: Cell(f"{one.count}{NBSP}of{NBSP}{one.tasks}", one.count),
            is_number=True,
        ),
        hidden("tasks", lambda one: one.tasks),
        Field(
            "summed_pct",
            "In percent",
            lambda one: Cell(f"{one.summed_pct:.1f}{NBSP}%", round(one.summed_pct, 4)),
            is_number=True,
        ),
        Field("agrees", "Do they agree?", _agrees_cell),
    )
    caption = "Do the printed tables agree? Rates of the overall table, and sums over the categories"
    return table("checks", caption, columns, checks, NOT_LOADED)


def _agrees_cell(one: PaperCheck) -> Cell:
    return Cell("yes", True, tone="good", mark="✓") if one.agrees else Cell("no", False, tone="bad", mark="✕")


def _charts(cells: Mapping[str, Rows]) -> dict[str, Chart]:
    methods = [row["method"] for row in cells[OVERALL]]
    charts = (
        _heat("correct", "Correctness by category", cells[CORRECT], methods),
        _heat("compile", "Compilation by category", cells[COMPILED], methods),
        _rates(cells[TRAJECTORY]),
        _rescued(cells[TRAJECTORY]),
    )
    return {chart.slug: chart for chart in charts}


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
