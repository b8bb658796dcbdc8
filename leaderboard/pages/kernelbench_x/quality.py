"""Code quality of submitted runs: what a bundle claims, beside what the same sources give here.

The benchmark measures a file of candidate and test together, so its index says little of the candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median

from leaderboard.formatting import NONE
from leaderboard.pages.base import page_url
from leaderboard.pages.quality.parts import Medians, median_fields, medians, quality_of, shown_number
from leaderboard.queries.kernelbench_x import KernelBenchXClaimRow
from leaderboard.tables import Cell, Field, Table, fields, hidden, table

CLAIMED = "maintainability"


@dataclass(frozen=True, slots=True)
class ClaimedQuality:
    """A submitted run's kernels that are correct as claimed. `measured` of them have a source that was measured."""

    submission: int
    name: str
    correct: int
    claimed_index: float | None  # median of the index as claimed, of candidate and test together
    claimed_of: int
    measured: int
    kernel: Medians | None
    host: Medians | None


def claimed_quality(submission: int, name: str, correct: Sequence[KernelBenchXClaimRow]) -> ClaimedQuality:
    indexes = [value for claim in correct if (value := _claimed(claim)) is not None]
    found = [one for claim in correct if (one := quality_of(claim.code_quality)) and one.not_measured_because is None]
    return ClaimedQuality(
        submission=submission,
        name=name,
        correct=len(correct),
        claimed_index=median(indexes) if indexes else None,
        claimed_of=len(indexes),
        measured=len(found),
        kernel=medians(found, "kernel"),
        host=medians(found, "host"),
    )


def quality_table(found: Sequence[ClaimedQuality], empty: str) -> Table:
    columns: tuple[Field[ClaimedQuality], ...] = fields(
        Field(
            "name", "Run", lambda one: Cell(one.name, one.name, page_url("submission", one.submission), "self-declared")
        ),
        hidden("submission", lambda one: one.submission),
        Field("claimed_index", "Index, claimed", _claimed_cell, is_number=True),
        hidden("claimed_of", lambda one: one.claimed_of),
        Field("measured", "Measured here", _measured_cell, is_number=True),
        hidden("correct", lambda one: one.correct),
        median_fields("kernel", lambda one: one.kernel),
        median_fields("host", lambda one: one.host),
    )
    caption = "Medians over kernels claimed to be correct: the index as claimed, and the same sources measured here"
    return table("imported_quality", caption, columns, found, empty)


def _claimed(claim: KernelBenchXClaimRow) -> float | None:
    value = claim.claimed.get(CLAIMED)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if isfinite(value) else None


def _claimed_cell(one: ClaimedQuality) -> Cell:
    if one.claimed_index is None:
        return Cell(NONE, note="claims none")
    return Cell(shown_number(one.claimed_index), one.claimed_index, note=f"of {one.claimed_of}, with tests")


def _measured_cell(one: ClaimedQuality) -> Cell:
    return Cell(f"{one.measured} of {one.correct}", one.measured)
