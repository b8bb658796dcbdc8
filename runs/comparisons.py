"""Compares a claim with what was measured here: a verdict for each task, and from those one for the bundle.

Pure functions. `TASK_RULE` and `BUNDLE_RULE` state the rules for pages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Hosts that passed the A/A acceptance may each have a bias of 0.3 % and a spread of 0.5 %, and two cards of one class
# differ by more than that. A difference of 3 % needs no explanation, even where nobody has measured how far they do.
HOSTS_DIFFER = math.log(1.03)
WITHOUT_NOISE = math.log(1.10)  # for a claim that states no noise
MOST, HALF = 0.9, 0.5  # shares of the compared tasks

TASK_RULE = (
    "Reproduced: the candidate passes here as claimed, and the two speedups differ by no more than their noise allows "
    "(the root of the sum of the squared half-widths of both 95 % confidence intervals and, on two cards, of how far "
    "cards of the class differ, where that is known; but at least 3 % since hosts of one class differ; 10 % if the "
    "claim states no noise). A candidate that was claimed to fail and fails here is reproduced, too. Faster or slower: "
    "the difference is larger; a candidate that was claimed to fail but passes here counts as faster. Failed: it was "
    "claimed to pass but fails here. Not comparable: we could not evaluate it, our "
    "host is of another device class, or the two sides have no times on the same clock. Candidates are also evaluated "
    "on the unseen cases of a revealed round; how many were correct is shown but does not change the verdict."
)
BUNDLE_RULE = (
    "Reproduced: at least 90 % of the comparable tasks are reproduced or faster, and none failed. Partly reproduced: "
    "at least half are. Not reproduced: fewer. Not comparable: no task could be compared."
)


@dataclass(frozen=True, slots=True)
class ComparedResult:
    """One side of a comparison: an attempt's status and its speedups as natural logarithms (None: it has none)."""

    status: str
    device_class: str
    protocol: str
    is_functional: bool
    log_speedup: float | None = None
    low: float | None = None
    high: float | None = None
    log_paper_speedup: float | None = None  # on the paper's clock of the category
    card: str = ""  # its UUID; empty where its host does not name it

    @property
    def is_inconclusive(self) -> bool:
        return self.status in ("errored", "not_judged", "cancelled")

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2 if self.low is not None and self.high is not None else WITHOUT_NOISE


@dataclass(frozen=True, slots=True)
class TaskComparison:
    outcome: str
    because: str
    log_difference: float | None = None
    allowed: float | None = None


def compare(claimed: ComparedResult, measured: ComparedResult, between_cards: float = 0.0) -> TaskComparison:
    """Apply `TASK_RULE` to one task. `between_cards`: the half-width of what two cards differ by; 0: not known."""
    if claimed.is_inconclusive or measured.is_inconclusive:
        who = "the claim" if claimed.is_inconclusive else "our own evaluation"
        return TaskComparison("not_comparable", f"{who} reached no verdict on the candidate")
    if measured.status != "passed":
        if claimed.status == "passed":
            return TaskComparison("failed", f"claimed to pass; here: {measured.status.replace('_', ' ')}")
        return TaskComparison("reproduced", "failed there and here")
    if claimed.status != "passed":
        return TaskComparison("faster", f"claimed: {claimed.status.replace('_', ' ')}; here it passes")
    is_one_card = bool(claimed.card) and claimed.card == measured.card
    return _speeds(claimed, measured, 0.0 if is_one_card else between_cards)


def bundle_verdict(outcomes: Sequence[str]) -> str:
    """Apply `BUNDLE_RULE`; return a `Verification.Verdict` value."""
    compared = [one for one in outcomes if one != "not_comparable"]
    if not compared:
        return "not_comparable"
    share = sum(one in ("reproduced", "faster") for one in compared) / len(compared)
    if share >= MOST and "failed" not in compared:
        return "reproduced"
    return "partly" if share >= HALF else "not_reproduced"


def _speeds(claimed: ComparedResult, measured: ComparedResult, between_cards: float) -> TaskComparison:
    if claimed.is_functional and measured.is_functional:
        return TaskComparison("reproduced", "correct there and here; CPU times are not compared")
    if claimed.device_class != measured.device_class:
        hardware = f"claimed on {claimed.device_class}, measured on {measured.device_class}"
        return TaskComparison("not_comparable", f"correct there and here, but {hardware}")
    if claimed.log_speedup is None and claimed.log_paper_speedup is None:
        return TaskComparison("reproduced", "correct there and here; no speedup was claimed")
    if claimed.protocol == measured.protocol and claimed.log_speedup is not None and measured.log_speedup is not None:
        widths = (claimed.half_width, measured.half_width, between_cards)
        return _apart(measured.log_speedup - claimed.log_speedup, math.hypot(*widths))
    if claimed.log_paper_speedup is not None and measured.log_paper_speedup is not None:
        return _apart(measured.log_paper_speedup - claimed.log_paper_speedup, WITHOUT_NOISE)
    return TaskComparison("not_comparable", "correct there and here, but not timed on the same clock")


def _apart(difference: float, noise: float) -> TaskComparison:
    allowed = max(noise, HOSTS_DIFFER)
    text = f"{math.expm1(abs(difference)):.1%} apart, {math.expm1(allowed):.1%} allowed"
    if abs(difference) <= allowed:
        return TaskComparison("reproduced", text, difference, allowed)
    return TaskComparison("faster" if difference > 0 else "slower", text, difference, allowed)
