"""Hardware efficiency of submitted runs, as claimed, beside the scores that the paper printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.tasks.peaks import PEAKS
from leaderboard.formatting import NBSP, NONE
from leaderboard.pages.base import Link, page_url
from leaderboard.pages.efficiency.cells import share_cell
from leaderboard.pages.kernelbench_x.claimed_efficiency import ClaimedMeans
from leaderboard.pages.kernelbench_x.imported import Imported, ImportedRun
from leaderboard.pages.kernelbench_x.own import OwnEntry, own_url
from leaderboard.pages.kernelbench_x.printed import OVERALL, Printed
from leaderboard.pages.section import Section, Shown
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field

NO_RUNS = "No run of KernelBench-X is public here yet. See `/submit/` for how to submit one."
ABOVE = (
    " A share above 100 % (▲) is shown as claimed: the kernel reads from the caches, moves fewer bytes than the "
    "benchmark counts, or ran on another machine than the one that the run names."
)
NO_SCORE = "No submitted run has a kernel with a score."


@dataclass(frozen=True, slots=True)
class RunScore:
    """A run as claimed, or a method as printed, which has its score alone."""

    name: str
    origin: str  # claimed or printed
    submission: int | None
    machine: str
    means: ClaimedMeans | None
    printed: str  # in percent, with the paper's digits; empty for a run


def sections(paper: Printed, found: Imported, own: Sequence[OwnEntry]) -> tuple[Section, ...]:
    tables = [Shown(_scores_table(_scores(paper, found)), "leaders")]
    if any(run.efficiency.means.scored for run in found.runs):
        tables.append(Shown(_categories_table(found.runs), "matrix"))
    return (
        Section(
            slug="imported-efficiency",
            title="Hardware efficiency, submitted and printed",
            text="The larger of IOU and MFU, the mean over correct kernels. A submitted run's is computed here from "
            "the GB/s and TFLOPS that it claims and the peaks of the machine that it names; none of it was measured "
            "here. The paper prints its scores without the peaks behind them."
            + (ABOVE if any(run.efficiency.means.above for run in found.runs) else ""),
            links=(
                Link("The peaks and their sources", page_url("peaks")),
                Link("The formula", page_url("metrics") + "#hardware-score"),
                *_measured(own),
            ),
            tables=tuple(tables),
        ),
    )


def _measured(own: Sequence[OwnEntry]) -> list[Link]:
    """Where the same is measured here: on each device class with a clock and results on our tasks."""
    urls = {own_url("efficiency", one): one for one in own if not one.is_functional}
    return [Link(f"Measured here on {one.device_title}, {one.protocol}", url) for url, one in urls.items()]


def _scores(paper: Printed, found: Imported) -> list[RunScore]:
    runs = [
        RunScore(run.name, "claimed", run.submission, _machine(run), run.efficiency.means, "") for run in found.runs
    ]
    rows = paper.rows.get(OVERALL, []) if paper.is_whole else []
    return runs + [RunScore(row["method"], "printed", None, "", None, row.get("score_pct", "")) for row in rows]


def _machine(run: ImportedRun) -> str:
    peaks = PEAKS.get(run.efficiency.device_class)
    return peaks.title if peaks else run.machine


def _scores_table(scores: Sequence[RunScore]) -> Table:
    columns: tuple[Field[RunScore], ...] = fields(
        Field("name", "Run or method", _name_cell),
        hidden("submission", lambda one: one.submission),
        text_field("origin", "Origin", lambda one: one.origin),
        Field("score", "Score", _score_cell, is_number=True, metric="hardware-score"),
        Field("iou", "Mean IOU", lambda one: share_cell(one.means.iou if one.means else None), is_number=True),
        Field("mfu", "Mean MFU", lambda one: share_cell(one.means.mfu if one.means else None), is_number=True),
        Field("above", "Above 100 %", _above_cell, is_number=True),
        text_field("machine", "Peaks of", lambda one: one.machine or NONE),
        hidden("scored", lambda one: one.means.scored if one.means else None),
        hidden("correct", lambda one: one.means.correct if one.means else None),
    )
    caption = "Hardware efficiency over correct kernels: submitted runs as claimed, methods as printed"
    return table("imported_efficiency", caption, columns, scores, NO_RUNS)


def _name_cell(one: RunScore) -> Cell:
    url = page_url("submission", one.submission) if one.submission is not None else ""
    return Cell(one.name, one.name, url, "self-declared" if url else "in the paper")


def _score_cell(one: RunScore) -> Cell:
    if one.means is None:
        return Cell(f"{one.printed}{NBSP}%", float(one.printed) / 100) if one.printed else Cell(NONE)
    return share_cell(one.means.score, f"over {one.means.scored} of {one.means.correct} correct")


def _above_cell(one: RunScore) -> Cell:
    if one.means is None:
        return Cell(NONE)
    return Cell(f"{one.means.above} of {one.means.scored}", one.means.above)


def _categories_table(runs: Sequence[ImportedRun]) -> Table:
    columns: tuple[Field[str], ...] = fields(
        text_field("category", "Category", lambda name: name), (_run_field(run) for run in runs)
    )
    names = sorted({name for run in runs for name in run.efficiency.categories})
    caption = "Score by category, submitted runs, as claimed"
    return table("imported_efficiency_categories", caption, columns, names, NO_SCORE)


def _run_field(run: ImportedRun) -> Field[str]:
    def cell(name: str) -> Cell:
        means = run.efficiency.categories.get(name)
        return share_cell(means.score, f"{means.scored} of {means.correct}") if means else Cell(NONE)

    return Field(f"submission_{run.submission}", run.name, cell, is_number=True)
