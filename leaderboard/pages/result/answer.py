"""What a result's page says first: how fast the candidate is, or what is wrong with it, and what it was checked on."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.formatting import plural, times
from leaderboard.pages.result.cases import CaseFacts
from leaderboard.pages.result.times import interval_text
from leaderboard.queries.results import AttemptRow, ResultDetailRow
from leaderboard.words import AUDITS, STATUSES, TRUST, Word

WITHOUT_DOUBT = ("none", "clean", "interesting")


def answer(row: ResultDetailRow, shown: AttemptRow | None, cases: Sequence[CaseFacts]) -> Word:
    """Return what is wrong with the result, else its speed, else how it ended, each with its own mark and tone.

    A candidate that passes and is slower than the baseline gets no tick, and neither does one that is in doubt.
    """
    if shown is None:
        return STATUSES["missing"]._replace(meaning="")
    speed = _speed(shown, cases)
    doubt = _doubt(row, shown)
    if doubt is not None:
        measured = f"Measured: {speed.label} ({speed.meaning})." if speed else ""
        return doubt._replace(meaning=f"{doubt.meaning} {measured}".strip())
    return speed or STATUSES[shown.status]._replace(meaning="")


def verdict(shown: AttemptRow | None, cases: Sequence[CaseFacts], is_functional: bool) -> str:
    """Return one to three sentences on how the attempt ended."""
    if shown is None:
        return "No attempt yet."
    if shown.status != "passed":
        return shown.message or STATUSES[shown.status].meaning
    draws = sum(case.draws for case in cases)
    speed = "Speed is not evaluated on this device class." if is_functional else _source_of_speed(shown, cases)
    checked = f"{plural(len(cases), 'case')} with {plural(draws, 'random draw')}"
    return f"Builds and is correct on {checked}. {speed}".strip()


def _doubt(row: ResultDetailRow, shown: AttemptRow) -> Word | None:
    if row.audit not in WITHOUT_DOUBT:
        return AUDITS[row.audit]
    return TRUST["held"] if shown.is_held and shown.status == "passed" else None


def _speed(shown: AttemptRow, cases: Sequence[CaseFacts]) -> Word | None:
    """The speedup on t_dev with its direction in words; its meaning is the interval. None where no case counts."""
    value, low, high = shown.log_speedup, shown.log_speedup_low, shown.log_speedup_high
    if value is None:
        return None
    is_censored = any(case.ratio.is_eligible and case.ratio.is_censored for case in cases if case.ratio)
    size = f"{'at least ' if is_censored else ''}{times(abs(value))}"
    direction = f"{size} {'faster' if value >= 0 else 'slower'} than the baseline"
    if low is None and high is None:
        return Word(direction, "ours", "○", "no interval")
    if low is not None and low > 0:
        return Word(direction, "good", "✓", f"95 %: {interval_text(low, high)}")
    if high is not None and high < 0:
        return Word(direction, "bad", "−", f"95 %: {interval_text(-high, None if low is None else -low)}")
    return Word("no measurable difference from the baseline", "ours", "≈", f"95 %: {interval_text(low, high)}")


def _source_of_speed(shown: AttemptRow, cases: Sequence[CaseFacts]) -> str:
    """A sentence on the cases that the speed is from, and on the value of metrics where it is another."""
    timed = [case.ratio for case in cases if case.ratio]
    if not timed:
        return ""
    if shown.log_speedup is None:
        return "No case's speedup counts; the table of clocks says why."
    eligible = sum(ratio.is_eligible for ratio in timed)
    text = f"The speed is that of {eligible} of {plural(len(timed), 'case')} on t_dev"
    if shown.cautious_log_speedup not in (shown.log_speedup, None):
        text += f"; metrics use {times(shown.cautious_log_speedup or 0.0)} because some cases are noisy"
    return f"{text}."
