"""How a result's times look: bars of both sides, and for the device clock its tables and its conditions."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.records.measurements import FUNCTIONAL, T_DEV
from leaderboard.charts import Chart, Point, Series, paired_bars
from leaderboard.formatting import NONE, factor, milliseconds, plural, significant, times
from leaderboard.pages.result.facts import CaseFacts
from leaderboard.pages.result.times import CLOCKS, CaseRatio, CaseSession, ClockTimes, void_blocks
from leaderboard.tables import Cell, Column, RowGroup, Table, table

BASELINE, CANDIDATE = Series("baseline", "baseline", "ms"), Series("candidate", "candidate", "ms")
OTHER_CLOCK = "By the task's own script, not by our judge. Ranks nothing."
WIDEST = 1.0  # log ratio; an interval that reaches further would leave no room for the bars


def chart(cases: Sequence[CaseFacts]) -> Chart | None:
    """None where nothing was timed."""
    timed = [case for case in cases if case.baseline_ms is not None and case.candidate_ms is not None]
    if not timed:
        return None
    rows = [(case.id.replace(",", "  "), _headline(case.ratio), _points(case)) for case in timed]
    clock = CLOCKS[timed[0].clock or FUNCTIONAL]
    if any(case.ratio for case in timed):
        clock += " The line on a candidate's bar is the 95 % interval of its ratio to the baseline."
    description = f"Median time per call of baseline and candidate on {plural(len(timed), 'case')}. {clock}"
    note = f"Each case has a scale of its own: compare the two bars of a case, never two cases. {clock}"
    return paired_bars("times", "Time per call", description, "time per call, ms", (BASELINE, CANDIDATE), rows, note)


def tables(cases: Sequence[CaseFacts], found: Sequence[CaseSession]) -> tuple[Table, ...]:
    """Of a device; none where nothing was timed on one."""
    if not any(case.is_timed_on_device for case in cases):
        return ()
    return (_clocks_table(cases), *((_sessions_table(found), _void_table(found)) if found else ()))


def legend(cases: Sequence[CaseFacts]) -> tuple[tuple[str, str], ...]:
    """What the clocks of the table mean."""
    shown = dict.fromkeys(one.clock for case in cases if case.is_timed_on_device for one in case.clocks)
    return tuple((name, CLOCKS.get(name, OTHER_CLOCK)) for name in shown)


def conditions(found: Sequence[CaseSession]) -> str:
    """One line: how many sessions and blocks, and how the device was."""
    if not found:
        return ""
    blocks, void = sum(len(one.blocks) for one in found), len(void_blocks(found))
    said = [plural(max(one.number for one in found), "session"), f"{void} of {plural(blocks, 'block')} void"]
    said += [_span([one.clock_mhz for one in found], "MHz"), _span([one.temperature_c for one in found], "°C")]
    said += [_span([one.power_w for one in found], "W")]
    slowed = sorted({one.throttled for one in found if one.throttled})
    return ", ".join(filter(None, [*said, *(f"slowed down: {reason}" for reason in slowed)]))


def _clocks_table(cases: Sequence[CaseFacts]) -> Table:
    """A group for each case with a row for each clock."""
    columns = (
        Column("clock", "Clock", is_code=True),
        Column("case", "Case", on_page=False),
        Column("ratio", "Ratio", is_number=True),
        Column("baseline_ms", "Baseline", is_number=True),
        Column("candidate_ms", "Candidate", is_number=True),
        Column("low", "Low", is_number=True, on_page=False),
        Column("high", "High", is_number=True, on_page=False),
        *(Column(f"is_{mark}", mark, on_page=False) for mark in ("eligible", "censored", "noisy")),
    )
    groups = tuple(_group(case) for case in cases if case.is_timed_on_device)
    caption = "Times per call on every clock, and baseline divided by candidate: above 1× the candidate is faster"
    return Table("clocks", caption, columns, groups, "No case was timed on a device.")


def _sessions_table(found: Sequence[CaseSession]) -> Table:
    columns = (
        Column("case", "Case", is_code=True),
        Column("session", "Session", is_number=True),
        Column("blocks", "Blocks that count", is_number=True),
        Column("clock_mhz", "SM clock", is_number=True),
        Column("memory_clock_mhz", "Memory clock", is_number=True),
        Column("temperature_c", "Temperature", is_number=True),
        Column("power_w", "Power", is_number=True),
        Column("visible", "Host visible", is_number=True),
        Column("dropped", "Dropped", is_number=True),
        Column("judged", "Outputs judged", is_number=True),
    )
    caption = "Sessions of fresh workers, with the device as it was at the end of each"
    return table("sessions", caption, columns, [_session_cells(one) for one in found], "No session was recorded.")


def _void_table(found: Sequence[CaseSession]) -> Table:
    columns = (
        Column("case", "Case", is_code=True),
        Column("session", "Session", is_number=True),
        Column("block", "Block", is_number=True),
        Column("void", "Why it counts for nothing"),
    )
    rows = [
        (_case_cell(one), Cell(str(one.number), one.number), Cell(str(number), number), Cell(why, why))
        for one, number, why in void_blocks(found)
    ]
    return table("void", "Void blocks: each was replaced, up to three in a session", columns, rows, "No block is void.")


def _headline(ratio: CaseRatio | None) -> str:
    return _ratio_text(ratio.log_ratio, ratio.is_censored) if ratio else ""


def _ratio_text(log_ratio: float, is_censored: bool = False) -> str:
    return f"{'≥ ' if is_censored else ''}{times(log_ratio)}"


def _points(case: CaseFacts) -> tuple[Point, Point]:
    assert case.baseline_ms is not None
    assert case.candidate_ms is not None
    low, high = _ends(case.baseline_ms, case.ratio)
    candidate = Point(case.candidate_ms, milliseconds(case.candidate_ms), low, high)
    return Point(case.baseline_ms, milliseconds(case.baseline_ms)), candidate


def _ends(baseline_ms: float, ratio: CaseRatio | None) -> tuple[float | None, float | None]:
    """The ratio's interval as times of the candidate; a censored one may be any shorter."""
    if ratio is None or ratio.low is None or ratio.log_ratio - ratio.low > WIDEST:
        return None, None
    if ratio.high is None:
        return (0.0, baseline_ms * factor(-ratio.low)) if ratio.is_censored else (None, None)
    return baseline_ms * factor(-ratio.high), baseline_ms * factor(-ratio.low)


def _group(case: CaseFacts) -> RowGroup[tuple[Cell, ...]]:
    rows = tuple(_clock_cells(case.id, one, case.ratio if one.clock == T_DEV else None) for one in case.clocks)
    return RowGroup(rows, case.id.replace(",", ", "), _standing(case.ratio))


def _standing(ratio: CaseRatio | None) -> str:
    """What the case's speed counts for."""
    if ratio is None:
        return "not timed on t_dev: its speed ranks nothing"
    if ratio.why_not_eligible:
        return f"counts for correctness only: {ratio.why_not_eligible}"
    return "speed counts" + ("; noisy: metrics take the end of the interval nearer to 1" if ratio.is_noisy else "")


def _clock_cells(case: str, one: ClockTimes, ratio: CaseRatio | None) -> tuple[Cell, ...]:
    """`ratio` on the ranked clock only."""
    shown = _ratio_text(one.log_ratio, bool(ratio and ratio.is_censored)) if one.log_ratio is not None else NONE
    low, high = (ratio.low, ratio.high) if ratio else (None, None)
    marks = (ratio.is_eligible, ratio.is_censored, ratio.is_noisy) if ratio else (None, None, None)
    return (
        Cell(one.clock, one.clock, note="ranked" if ratio else ""),
        Cell(case, case),
        Cell(shown, _factor(one.log_ratio), note=f"95 %: {_interval(ratio)}" if ratio else ""),
        Cell(milliseconds(one.baseline_ms), one.baseline_ms),
        Cell(milliseconds(one.candidate_ms), one.candidate_ms),
        Cell("", _factor(low)),
        Cell("", _factor(high)),
        *(Cell("", mark) for mark in marks),
    )


def _interval(ratio: CaseRatio) -> str:
    if ratio.low is not None and ratio.high is not None:
        return f"{times(ratio.low).removesuffix('×')} to {times(ratio.high)}"
    if ratio.low is not None:
        return f"at least {times(ratio.low)}"
    return "no bound" if ratio.high is None else f"at most {times(ratio.high)}"


def _factor(log_ratio: float | None) -> float | None:
    return None if log_ratio is None else factor(log_ratio)


def _case_cell(one: CaseSession) -> Cell:
    return Cell(one.case.replace(",", ", "), one.case)


def _session_cells(one: CaseSession) -> tuple[Cell, ...]:
    counting, total = sum(block.void is None for block in one.blocks), len(one.blocks)
    return (
        _case_cell(one),
        Cell(str(one.number), one.number, note=f"void: {one.void}" if one.void else ""),
        Cell(f"{counting} of {total}", counting),
        _with_unit(one.clock_mhz, "MHz"),
        _with_unit(one.memory_clock_mhz, "MHz"),
        _with_unit(one.temperature_c, "°C"),
        _with_unit(one.power_w, "W", note=one.throttled),
        Cell(str(one.visible), one.visible),
        Cell(str(one.dropped), one.dropped),
        Cell(str(one.judged), one.judged),
    )


def _with_unit(value: float | None, unit: str, note: str = "") -> Cell:
    return Cell(NONE, None, note=note) if value is None else Cell(_unit_text(value, unit), value, note=note)


def _unit_text(value: float, unit: str) -> str:
    return f"{value if isinstance(value, int) else significant(value)}\u00a0{unit}"


def _span(values: Sequence[float | None], unit: str) -> str:
    """Least to most; nothing where the device did not tell."""
    known = sorted({value for value in values if value is not None})
    if not known:
        return ""
    return _unit_text(known[0], unit) if len(known) == 1 else f"{known[0]:.0f} to {_unit_text(known[-1], unit)}"
