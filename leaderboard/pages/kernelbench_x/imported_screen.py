"""Submitted runs of KernelBench-X: the paper's columns, a heat map, refinement rounds, quantized and unsolved tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leaderboard.charts import Chart, Point, Series, ratio_dots
from leaderboard.formatting import NONE, plural, rate_over, significant
from leaderboard.pages.base import Link, count_cell, page_url, top_task_fields
from leaderboard.pages.kernelbench_x import imported_attribution
from leaderboard.pages.kernelbench_x.imported import Imported, ImportedRound, ImportedRun, Unsolved
from leaderboard.pages.kernelbench_x.quality import quality_table
from leaderboard.pages.kernelbench_x.rates import Column, compiled_map, conversion_table, correct_map
from leaderboard.pages.section import Section, Shown
from leaderboard.tables import Cell, Field, Row, Table, fields, hidden, table, text_field
from leaderboard.words import status_cell

AS_CLAIMED = "As claimed, the newest first."
NO_RUNS = "No run of KernelBench-X is public here yet. See `/submit/` for how to submit one."
NO_ROUNDS = "No corpus of refinement rounds is public here yet."


def sections(found: Imported) -> tuple[Section, ...]:
    runs, quality, rounds = _runs_section(found), _quality_section(found), _rounds_section(found)
    if not found.runs:
        return (runs, quality, rounds)
    explained = imported_attribution.section({**found.explanations, **found.not_explained})
    return (runs, _categories_section(found), explained, quality, rounds)


def fact(found: Imported) -> tuple[str, str, str]:
    return ("Submitted runs", f"{plural(len(found.runs), 'run')}, below, as claimed", "")


def _runs_section(found: Imported) -> Section:
    return Section(
        slug="imported-runs",
        title="Runs submitted here",
        text="Claims from bundles, by the rules of KernelBench-X. A correct kernel with missing times counts as "
        "correct but has no speedup. A task that is missing from a run counts as incorrect.",
        links=(Link("How to submit one", page_url("submit")),),
        tables=(Shown(_runs(found.runs), "leaders"),),
    )


def _categories_section(found: Imported) -> Section:
    columns = [Column(f"submission_{run.submission}", run.name, run.categories) for run in found.runs]
    caption = "Correct of compiled, submitted runs, as claimed"
    return Section(
        slug="imported-categories",
        title="Runs submitted here, by category",
        charts=(
            compiled_map("imported_compiled", "Compilation by category, submitted runs", columns, AS_CLAIMED),
            correct_map("imported", "Correctness by category, submitted runs", columns, AS_CLAIMED),
        ),
        tables=(
            Shown(conversion_table("imported_conversion", caption, columns, NO_RUNS), "matrix"),
            Shown(_quantized(found.runs), "matrix"),
            Shown(_unsolved(found), "prose-table"),
        ),
    )


def _quality_section(found: Imported) -> Section:
    return Section(
        slug="imported-quality",
        title="Code quality of runs submitted here",
        text="The claimed index is diluted: the benchmark measures one file of candidate and test together. The other "
        "columns are measured here from the candidate's source alone. The paper prints no number of either.",
        links=(Link("The formula", page_url("metrics") + "#code-quality"),),
        tables=(Shown(quality_table([run.quality for run in found.runs], NO_RUNS)),),
    )


def _rounds_section(found: Imported) -> Section:
    return Section(
        slug="imported-rounds",
        title="Refinement rounds submitted here",
        links=(Link("Iterations measured here, and kinds of edit of both", page_url("iterations")),),
        charts=(_rescued(found.rounds),) if found.rounds else (),
        tables=(Shown(_rounds(found.rounds), "printed"),),
    )


def _rescued(rounds: Sequence[ImportedRound]) -> Chart:
    series = (Series("first", "Rescued", "×"), Series("second", "Persistent", "×"))
    rows = [(one.rounds, one.name, [_point(one.rescued_speedup), _point(one.persistent_speedup)]) for one in rounds]
    return ratio_dots(
        "imported_rescued",
        "Speedup of rescued and of persistent kernels, submitted rounds",
        "Mean claimed speedup of kernels that a round made correct, and of those that were correct before.",
        "times as fast as the baseline",
        series,
        rows,
    )


def _point(value: float | None) -> Point:
    return Point(None, NONE) if value is None else Point(value, f"{significant(value)}×")


def _runs(runs: Sequence[ImportedRun]) -> Table:
    columns: tuple[Field[ImportedRun], ...] = fields(
        _name_fields("Run", lambda run: run.name, lambda run: run.submission),
        _rate_field("compiled", "Compiled", lambda run: run.compiled, lambda run: run.tasks),
        _rate_field("correct", "Correct", lambda run: run.correct, lambda run: run.tasks),
        _rate_field("correct_of_compiled", "Correct of compiled", lambda run: run.correct, lambda run: run.compiled),
        _speedup_field("mean", "Mean speedup", lambda run: run.mean_speedup),
        top_task_fields("mean", lambda run: run.top_task),
        _speedup_field("geometric", "Geometric mean", lambda run: run.geometric_mean_speedup),
        _speedup_field("global", "Total time", lambda run: run.global_speedup),
        _speedup_field("median", "Median", lambda run: run.median_speedup),
        _rate_field("slower", "Slower than the baseline", lambda run: run.slower, lambda run: run.timed),
        Field("machine", "Baseline from", _machine_cell),
        hidden("is_recomputed", lambda run: run.is_recomputed),
    )
    caption = "As claimed, over the whole suite; speedups are over correct kernels with times"
    return table("imported_runs", caption, columns, runs, NO_RUNS)


def _machine_cell(run: ImportedRun) -> Cell:
    source = "from its times" if run.is_recomputed else "as claimed"
    return Cell(run.machine or NONE, run.machine or None, note=source if run.timed else "")


def _rounds(rounds: Sequence[ImportedRound]) -> Table:
    columns: tuple[Field[ImportedRound], ...] = fields(
        _name_fields("Corpus", lambda one: one.name, lambda one: one.submission),
        text_field("rounds", "Rounds", lambda one: one.rounds),
        Field("rescued", "Rescued", lambda one: count_cell(one.rescued), is_number=True),
        _speedup_field("rescued_speedup", "Their speedup", lambda one: one.rescued_speedup),
        top_task_fields("rescued", lambda one: one.rescued_top),
        Field("persistent", "Correct in both", lambda one: count_cell(one.persistent), is_number=True),
        _speedup_field("persistent_speedup", "Their speedup", lambda one: one.persistent_speedup),
        top_task_fields("persistent", lambda one: one.persistent_top),
        Field("lost", "Lost", lambda one: count_cell(one.lost), is_number=True),
    )
    caption = "From round to round, over the tasks that a corpus has in both; mean claimed speedups"
    return table("imported_rounds", caption, columns, rounds, NO_ROUNDS)


def _quantized(runs: Sequence[ImportedRun]) -> Table:
    columns: tuple[Field[str], ...] = fields(
        text_field("task", "Task", lambda task: task), (_quantized_field(run) for run in runs)
    )
    tasks = sorted({task for run in runs for task in run.quantized})
    caption = "Quantized tasks, whose outputs have to meet all three thresholds at once"
    return table("imported_quantized", caption, columns, tasks, "No submitted run has a quantized task.")


def _quantized_field(run: ImportedRun) -> Field[str]:
    return Field(
        f"submission_{run.submission}",
        run.name,
        lambda task: status_cell(run.quantized.get(task, "not_produced")),
    )


def _unsolved(found: Imported) -> Table:
    columns: tuple[Field[Unsolved], ...] = (
        text_field("category", "Category", lambda one: one.category),
        Field(
            "unsolved",
            "Unsolved",
            lambda one: Cell(f"{len(one.unsolved)} of {one.tasks}", len(one.unsolved)),
            is_number=True,
        ),
        hidden("tasks", lambda one: one.tasks),
        Field("which", "Unsolved tasks", _which_cell),
    )
    caption = "Tasks that no submitted run solved"
    return table("imported_unsolved", caption, columns, found.unsolved, NO_RUNS)


def _which_cell(one: Unsolved) -> Cell:
    stems = [task.partition("/")[2].removesuffix(".py") for task in one.unsolved]
    return Cell(", ".join(stems) or NONE, ", ".join(one.unsolved) or None)


def _name_fields(label: str, name: Callable[[Row], str], submission: Callable[[Row], int]) -> tuple[Field[Row], ...]:
    def cell(row: Row) -> Cell:
        return Cell(name(row), name(row), page_url("submission", submission(row)), "self-declared")

    return Field("name", label, cell), hidden("submission", submission)


def _rate_field(key: str, label: str, count: Callable[[Row], int], of: Callable[[Row], int]) -> Field[Row]:
    def cell(row: Row) -> Cell:
        shown = rate_over(count(row), of(row), of(row))  # a run has one kernel for a task
        return Cell(shown, count(row) / of(row)) if of(row) else Cell(NONE)

    return Field(key, label, cell, is_number=True)


def _speedup_field(key: str, label: str, speedup: Callable[[Row], float | None]) -> Field[Row]:
    def cell(row: Row) -> Cell:
        value = speedup(row)
        return Cell(NONE) if value is None else Cell(f"{significant(value)}×", value)

    return Field(key, label, cell, is_number=True)
