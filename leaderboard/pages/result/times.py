"""A result's times: a chart of both sides, and for device clocks tables of ratios and timing sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluator.records.measurements import FUNCTIONAL, T_DEV, TimingSession
from evaluator.records.record import Record
from leaderboard.charts import Chart, Point, Series, paired_bars
from leaderboard.formatting import NONE, factor, milliseconds, plural, significant, times
from leaderboard.pages.base import count_cell
from leaderboard.pages.result.cases import CLOCKS, CaseFacts, CaseRatio, ClockTimes, case_cell
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden, table, text_field

BASELINE, CANDIDATE = Series("baseline", "baseline", "ms"), Series("candidate", "candidate", "ms")
OTHER_CLOCK = "Measured by the task's own script, not by this evaluator. Not ranked."
WIDEST = 1.0  # log ratio; an interval that reaches further would leave no room for the bars


@dataclass(frozen=True, slots=True)
class RawBlock:
    """One block as the record has it: times in nanoseconds, SM clocks of baseline and candidate in MHz."""

    first: str
    baseline_ns: tuple[float, ...]
    candidate_ns: tuple[float, ...]
    canary_ns: tuple[float, ...]
    clock_mhz: tuple[int | None, ...]
    void: str | None  # why it does not count


@dataclass(frozen=True, slots=True)
class CaseSession:
    """One case in one session of fresh workers, with the device's state at its end."""

    case: str
    number: int
    blocks: tuple[RawBlock, ...]
    dropped: int  # readings that were not positive
    visible: int  # calls that returned on the host after the device had been released
    judged: int  # outputs of timed calls that were sampled and correct
    clock_mhz: int | None
    memory_clock_mhz: int | None
    temperature_c: int | None
    power_w: float | None
    throttled: str
    void: str | None  # why it does not count


class VoidBlock(NamedTuple):
    session: CaseSession
    number: int
    reason: str


class ClockRow(NamedTuple):
    """A case on one clock; `ratio` is set on the ranked clock only."""

    case: str
    times: ClockTimes
    ratio: CaseRatio | None


def sessions(record: Record | None) -> tuple[CaseSession, ...]:
    """Return the sessions of each case, in the order of the record."""
    cases = record.cases if record else ()
    return tuple(_session(case.id, number, one) for case in cases for number, one in enumerate(case.sessions, 1))


def chart(cases: Sequence[CaseFacts]) -> Chart | None:
    """Draw the times of both sides of each case; None where no case is timed."""
    timed = [case for case in cases if case.baseline_ms is not None and case.candidate_ms is not None]
    if not timed:
        return None
    rows = [(case.id.replace(",", "  "), _chart_note(case.ratio), _points(case)) for case in timed]
    clock = CLOCKS[timed[0].clock or FUNCTIONAL]
    if any(case.ratio for case in timed):
        clock += " The line on a candidate's bar is the 95 % confidence interval of its ratio to the baseline."
    if any(case.ratio and not case.ratio.is_eligible for case in timed):
        clock += " A ratio in brackets does not count; the table of clocks says why."
    description = f"Median time per call of baseline and candidate on {plural(len(timed), 'case')}. {clock}"
    note = f"Each case has its own scale: compare the two bars of a case, not bars of different cases. {clock}"
    return paired_bars("times", "Time per call", description, "time per call, ms", (BASELINE, CANDIDATE), rows, note)


def tables(cases: Sequence[CaseFacts], found: Sequence[CaseSession]) -> tuple[Table, ...]:
    """Make the tables of clocks, sessions and void blocks; none where nothing was timed on a device."""
    if not any(case.is_timed_on_device for case in cases):
        return ()
    return (_clocks_table(cases), *((_sessions_table(found), _void_table(found)) if found else ()))


def legend(cases: Sequence[CaseFacts]) -> tuple[tuple[str, str], ...]:
    """Return (name, meaning) of each clock in the table of clocks."""
    shown = dict.fromkeys(one.clock for case in cases if case.is_timed_on_device for one in case.clocks)
    return tuple((name, CLOCKS.get(name, OTHER_CLOCK)) for name in shown)


def interval_text(low: float | None, high: float | None) -> str:
    """The interval of a log ratio as ratios, in the form 1.310 to 1.338×; an end that is None has no bound."""
    if low is not None and high is not None:
        return f"{times(low).removesuffix('×')} to {times(high)}"
    if low is not None:
        return f"at least {times(low)}"
    return "no bound" if high is None else f"at most {times(high)}"


def conditions(found: Sequence[CaseSession]) -> str:
    """Sum up in one line how many sessions and blocks there were, and the device's clock, temperature and power."""
    if not found:
        return ""
    blocks, void = sum(len(one.blocks) for one in found), len(_void_blocks(found))
    parts = [plural(max(one.number for one in found), "session"), f"{void} of {plural(blocks, 'block')} void"]
    parts += [_span([one.clock_mhz for one in found], "MHz"), _span([one.temperature_c for one in found], "°C")]
    parts += [_span([one.power_w for one in found], "W")]
    throttled = sorted({one.throttled for one in found if one.throttled})
    return ", ".join(filter(None, [*parts, *(f"throttled: {reason}" for reason in throttled)]))


def _session(case: str, number: int, one: TimingSession) -> CaseSession:
    state: Mapping[str, Any] = one.conditions
    return CaseSession(
        case=case,
        number=number,
        blocks=tuple(
            RawBlock(b.first, b.baseline_ns, b.candidate_ns, b.canary_ns, b.clock_mhz, b.void) for b in one.blocks
        ),
        dropped=one.dropped,
        visible=one.visible,
        judged=one.judged,
        clock_mhz=state.get("clock_mhz"),
        memory_clock_mhz=state.get("memory_clock_mhz"),
        temperature_c=state.get("temperature_c"),
        power_w=state.get("power_w"),
        throttled=str(state.get("throttled") or ""),
        void=one.void,
    )


def _void_blocks(found: Sequence[CaseSession]) -> list[VoidBlock]:
    return [VoidBlock(one, n, block.void) for one in found for n, block in enumerate(one.blocks, 1) if block.void]


def _points(case: CaseFacts) -> tuple[Point, Point]:
    assert case.baseline_ms is not None
    assert case.candidate_ms is not None
    low, high = _ends(case.baseline_ms, case.ratio)
    candidate = Point(case.candidate_ms, milliseconds(case.candidate_ms), low, high)
    return Point(case.baseline_ms, milliseconds(case.baseline_ms)), candidate


def _ends(baseline_ms: float, ratio: CaseRatio | None) -> tuple[float | None, float | None]:
    """The ratio's interval as times of the candidate in milliseconds; a censored one reaches down to zero."""
    if ratio is None or ratio.low is None or ratio.log_ratio - ratio.low > WIDEST:
        return None, None
    if ratio.high is None:
        return (0.0, baseline_ms * factor(-ratio.low)) if ratio.is_censored else (None, None)
    return baseline_ms * factor(-ratio.high), baseline_ms * factor(-ratio.low)


def _clocks_table(cases: Sequence[CaseFacts]) -> Table:
    """A group of rows for each case, with a row for each clock."""
    columns: tuple[Field[ClockRow], ...] = fields(
        Field(
            "clock",
            "Clock",
            lambda row: Cell(row.times.clock, row.times.clock, note="counts" if _counts(row.ratio) else ""),
            is_code=True,
        ),
        hidden("case", lambda row: row.case),
        Field("ratio", "Ratio", _ratio_cell, is_number=True),
        Field("baseline_ms", "Baseline", lambda row: _time_cell(row.times.baseline_ms), is_number=True),
        Field("candidate_ms", "Candidate", lambda row: _time_cell(row.times.candidate_ms), is_number=True),
        hidden("low", lambda row: _factor(row.ratio.low) if row.ratio else None),
        hidden("high", lambda row: _factor(row.ratio.high) if row.ratio else None),
        hidden("is_eligible", lambda row: row.ratio.is_eligible if row.ratio else None),
        hidden("is_censored", lambda row: row.ratio.is_censored if row.ratio else None),
        hidden("is_noisy", lambda row: row.ratio.is_noisy if row.ratio else None),
    )
    groups = [
        RowGroup(
            tuple(ClockRow(case.id, one, case.ratio if one.clock == T_DEV else None) for one in case.clocks),
            case.id.replace(",", ", "),
            _eligibility_text(case.ratio),
        )
        for case in cases
        if case.is_timed_on_device
    ]
    caption = "Times per call on every clock. The ratio is baseline ÷ candidate: above 1× the candidate is faster"
    return grouped("clocks", caption, columns, groups, "No case was timed on a device.")


def _eligibility_text(ratio: CaseRatio | None) -> str:
    """Say whether the case's speed counts, and if not, why."""
    if ratio is None:
        return "not timed on t_dev: its speed does not count"
    if ratio.why_not_eligible:
        return f"counts for correctness only: {ratio.why_not_eligible}"
    return "speed counts" + ("; noisy, so metrics use the end of the interval nearer to 1" if ratio.is_noisy else "")


def _ratio_cell(row: ClockRow) -> Cell:
    if row.ratio:
        note = f"95 %: {interval_text(row.ratio.low, row.ratio.high)}"
        return Cell(_ratio_text(row.ratio), factor(row.ratio.log_ratio), note=note)
    log_ratio = row.times.log_ratio
    return Cell(NONE) if log_ratio is None else Cell(times(log_ratio), factor(log_ratio))


def _ratio_text(ratio: CaseRatio) -> str:
    return f"{'≥ ' if ratio.is_censored else ''}{times(ratio.log_ratio)}"


def _chart_note(ratio: CaseRatio | None) -> str:
    if ratio is None:
        return ""
    return _ratio_text(ratio) if ratio.is_eligible else f"({_ratio_text(ratio)})"


def _counts(ratio: CaseRatio | None) -> bool:
    return ratio is not None and ratio.is_eligible


def _factor(log_ratio: float | None) -> float | None:
    return None if log_ratio is None else factor(log_ratio)


def _time_cell(value: float) -> Cell:
    return Cell(milliseconds(value), value)


def _sessions_table(found: Sequence[CaseSession]) -> Table:
    columns: tuple[Field[CaseSession], ...] = (
        Field("case", "Case", lambda one: case_cell(one.case), is_code=True),
        Field(
            "session",
            "Session",
            lambda one: Cell(str(one.number), one.number, note=f"void: {one.void}" if one.void else ""),
            is_number=True,
        ),
        Field("blocks", "Valid blocks", _blocks_cell, is_number=True),
        Field("clock_mhz", "SM clock", lambda one: _unit_cell(one.clock_mhz, "MHz"), is_number=True),
        Field("memory_clock_mhz", "Memory clock", lambda one: _unit_cell(one.memory_clock_mhz, "MHz"), is_number=True),
        Field("temperature_c", "Temperature", lambda one: _unit_cell(one.temperature_c, "°C"), is_number=True),
        Field("power_w", "Power", lambda one: _unit_cell(one.power_w, "W", note=one.throttled), is_number=True),
        Field("visible", "Host-visible calls", lambda one: count_cell(one.visible), is_number=True),
        Field("dropped", "Dropped readings", lambda one: count_cell(one.dropped), is_number=True),
        Field("judged", "Outputs checked", lambda one: count_cell(one.judged), is_number=True),
    )
    caption = "Timing sessions, each in fresh workers, with the device's state at its end"
    return table("sessions", caption, columns, found, "No timing session was recorded.")


def _blocks_cell(one: CaseSession) -> Cell:
    valid = sum(block.void is None for block in one.blocks)
    return Cell(f"{valid} of {len(one.blocks)}", valid)


def _unit_cell(value: float | None, unit: str, note: str = "") -> Cell:
    return Cell(NONE, None, note=note) if value is None else Cell(_unit_text(value, unit), value, note=note)


def _unit_text(value: float, unit: str) -> str:
    return f"{value if isinstance(value, int) else significant(value)}\u00a0{unit}"


def _span(values: Sequence[float | None], unit: str) -> str:
    """The lowest to the highest value; empty where the device reports none."""
    known = sorted({value for value in values if value is not None})
    if not known:
        return ""
    return _unit_text(known[0], unit) if len(known) == 1 else f"{known[0]:.0f} to {_unit_text(known[-1], unit)}"


def _void_table(found: Sequence[CaseSession]) -> Table:
    columns: tuple[Field[VoidBlock], ...] = (
        Field("case", "Case", lambda one: case_cell(one.session.case), is_code=True),
        Field("session", "Session", lambda one: count_cell(one.session.number), is_number=True),
        Field("block", "Block", lambda one: count_cell(one.number), is_number=True),
        text_field("void", "Reason", lambda one: one.reason),
    )
    caption = "Void blocks. Each is measured again, up to three in a session"
    return table("void", caption, columns, _void_blocks(found), "No block is void.")
