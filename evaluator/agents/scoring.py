"""The speedup of a checked version, and the report of a check that an agent gets."""

from __future__ import annotations

import math

from evaluator.inside.excerpts import excerpt
from evaluator.records.reasons import Status
from evaluator.records.record import CaseRecord, Record
from evaluator.wording import counted

LOG_CHARACTERS = 4000  # of the beginning and end of the log


def speedup_of(record: Record) -> float | None:
    """Geometric mean over the eligible cases, as on leaderboards; None if there is none, or a case has no ratio."""
    log_speedup = record.mean_log(lambda ratio: ratio.log_ratio)
    return None if log_speedup is None else math.exp(log_speedup)


def feedback_text(record: Record) -> str:
    """Status, cases and compiler's report, for the agent. Findings are left out, which could teach it to avoid them."""
    lines = [f"status: {record.status.value}", *([record.message] if record.message else [])]
    lines += [f"case {case.id}: {_case(case)}" for case in record.cases]
    if (speedup := speedup_of(record)) is not None:
        lines.append(
            f"speedup: {speedup:.3f} (geometric mean over the cases that count, of the baseline's time by yours)"
        )
    for one in record.isa:
        if one.side == "candidate":
            numbers = " ".join(f"{name}={value}" for name, value in one.numbers.items() if value is not None)
            lines.append(f"{one.target} {one.kernel} {one.configuration}: {one.error or numbers}")
    if record.status is not Status.PASSED and record.log:
        lines += ["log:", excerpt(record.log, LOG_CHARACTERS)]
    return "\n".join(dict.fromkeys(lines)) + "\n"


def _case(case: CaseRecord) -> str:
    if not case.correct:
        return f"not correct, or not reached ({counted(case.draws, 'draw was', 'draws were')} correct)"
    known = case.relative_rmse is not None and case.allowed_rmse is not None
    error = f", relative RMSE {case.relative_rmse:.3g} of {case.allowed_rmse:.3g}" if known else ""
    return f"correct{error}{_speedup(case)}"


def _speedup(case: CaseRecord) -> str:
    if case.speedup is None or case.ratio is None:
        return ""
    if not case.ratio.eligible:
        return ", too short for a speedup to count"
    return f", speedup {'at least ' if case.ratio.censored else ''}{case.speedup:.3f}"
