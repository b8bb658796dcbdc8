"""What a quick look at a task on GPUs found: the baseline's time of each full case, and whether it is eligible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from evaluator.tasks.measured import CaseFinding
from leaderboard.formatting import NONE, milliseconds, plural
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden

NOT_MEASURED = "not measured"
TOO_SHORT = "too short, counts for correctness only"


@dataclass(frozen=True, slots=True)
class DeviceFinding:
    """One full case on a device class; the class is empty where the task was measured on none."""

    device_class: str
    case: str
    baseline_ms: float | None  # the median over cards; None where it is not measured
    candidate_ms: float | None  # of the task's own right candidate
    cards: int
    is_eligible: bool
    wrong: str  # why the baseline or that candidate is wrong on this case

    @property
    def verdict(self) -> str:
        if self.wrong:
            return f"wrong: {self.wrong}"
        if self.baseline_ms is None:
            return NOT_MEASURED
        return "eligible" if self.is_eligible else TOO_SHORT


def device_findings(found: Mapping[str, Sequence[CaseFinding]], cases: Sequence[str]) -> tuple[DeviceFinding, ...]:
    """Return the findings of full cases by device class, or one line a case that says it is not measured."""
    lines = [_line(device_class, one) for device_class, own in found.items() for one in own]
    return tuple(lines or [_line("", CaseFinding(case)) for case in cases])


def measured_table(found: Sequence[DeviceFinding]) -> Table:
    columns: tuple[Field[DeviceFinding], ...] = fields(
        Field("case", "Case", lambda one: Cell(one.case.replace(",", ", "), one.case), is_code=True),
        hidden("device_class", lambda one: one.device_class),
        Field("baseline_ms", "Baseline", lambda one: _time_cell(one.baseline_ms), is_number=True),
        Field("candidate_ms", "Right candidate", lambda one: _time_cell(one.candidate_ms), is_number=True),
        Field("eligible", "Speed", lambda one: Cell(one.verdict, one.is_eligible)),
        hidden("cards", lambda one: one.cards),
    )
    classes = [tuple(own) for _, own in groupby(found, key=lambda one: one.device_class)]
    groups = [RowGroup(own, own[0].device_class, _note(own)) for own in classes]
    caption = "Full cases on GPUs, as a quick look at the task's own sources found them; not a result"
    return grouped("measured", caption, columns, groups, "The task has no full cases.")


def _line(device_class: str, one: CaseFinding) -> DeviceFinding:
    baseline_ms, candidate_ms = (None if time is None else time / 1e3 for time in (one.baseline_us, one.candidate_us))
    return DeviceFinding(device_class, one.case, baseline_ms, candidate_ms, one.cards, one.eligible, one.wrong or "")


def _note(own: Sequence[DeviceFinding]) -> str:
    if not own[0].device_class:
        return ""
    eligible = sum(one.is_eligible for one in own)
    too_short = sum(one.verdict == TOO_SHORT for one in own)
    is_known = eligible + too_short == len(own)  # a failure says nothing of launches
    few = "; most of its sizes are bound by launches" if is_known and too_short > eligible else ""
    return (
        f"{eligible} of {plural(len(own), 'case')} eligible, from {plural(max(one.cards for one in own), 'card')}{few}"
    )


def _time_cell(time_ms: float | None) -> Cell:
    return Cell(NONE) if time_ms is None else Cell(milliseconds(time_ms), time_ms)
