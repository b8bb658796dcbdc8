"""A claim against what was measured here: the verdict on one task, and from those the verdict on the bundle.

Pure: two answers in, a verdict with its reason out. `TASK_RULE` and `BUNDLE_RULE` are the rules in words, for pages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Hosts that passed the A/A acceptance may each be off by a bias of 0.3 % and a spread of 0.5 %, and two cards of one
# class differ by more than that; 3 % is what nobody should have to explain.
HOSTS_DIFFER = math.log(1.03)
WITHOUT_NOISE = math.log(1.10)  # a claim that does not say how noisy it is
MOST, HALF = 0.9, 0.5  # shares of the compared tasks

TASK_RULE = (
    "Reproduced: the claim passed and passes here, and both speedups differ by no more than their noises allow (the "
    "root of the sum of the squared half widths of both intervals at 95 %, and 3 % at least, since hosts of one class "
    "differ; 10 % where a claim states no noise); or the claim was turned away, and so it is here. Faster or slower: "
    "beyond that; a candidate that was claimed to fail and passes here counts as faster. Failed: it was claimed to "
    "pass and is turned away here. Not comparable: we could not judge it, the host is of another device class, or "
    "there is no time on the same clock on both sides of a timed claim. Unseen cases of a revealed round are "
    "evaluated as well: how many were right stands beside the verdict, and changes none."
)
BUNDLE_RULE = (
    "Of the compared tasks (all but the not comparable ones) at least 90 % are reproduced or faster, and none failed: "
    "reproduced. At least half are: partly reproduced. Fewer: not reproduced. None could be compared: not comparable."
)


@dataclass(frozen=True, slots=True)
class ComparedResult:
    """What an attempt says; None where it says nothing. Speeds are natural logarithms."""

    status: str
    device_class: str
    protocol: str
    is_functional: bool
    log_speedup: float | None = None
    low: float | None = None
    high: float | None = None
    log_paper_speedup: float | None = None  # on the paper's clock of the category

    @property
    def says_nothing(self) -> bool:
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


def compare(claimed: ComparedResult, measured: ComparedResult) -> TaskComparison:
    """The rule `TASK_RULE`."""
    if claimed.says_nothing or measured.says_nothing:
        who = "the claim" if claimed.says_nothing else "our own evaluation"
        return TaskComparison("not_comparable", f"{who} says nothing about the candidate")
    if measured.status != "passed":
        if claimed.status == "passed":
            return TaskComparison("failed", f"claimed to pass, here: {measured.status.replace('_', ' ')}")
        return TaskComparison("reproduced", "turned away there and here")
    if claimed.status != "passed":
        return TaskComparison("faster", f"claimed: {claimed.status.replace('_', ' ')}; here it passes")
    return _speeds(claimed, measured)


def bundle_verdict(outcomes: Sequence[str]) -> str:
    """The rule `BUNDLE_RULE`."""
    compared = [one for one in outcomes if one != "not_comparable"]
    if not compared:
        return "not_comparable"
    share = sum(one in ("reproduced", "faster") for one in compared) / len(compared)
    if share >= MOST and "failed" not in compared:
        return "reproduced"
    return "partly" if share >= HALF else "not_reproduced"


def _speeds(claimed: ComparedResult, measured: ComparedResult) -> TaskComparison:
    if claimed.is_functional and measured.is_functional:
        return TaskComparison("reproduced", "right there and here; times of a CPU are no claim")
    if claimed.device_class != measured.device_class:
        hardware = f"claimed on {claimed.device_class}, measured on {measured.device_class}"
        return TaskComparison("not_comparable", f"right there and here, but {hardware}")
    if claimed.log_speedup is None and claimed.log_paper_speedup is None:
        return TaskComparison("reproduced", "right there and here; no speedup was claimed")
    if claimed.protocol == measured.protocol and claimed.log_speedup is not None and measured.log_speedup is not None:
        widths = (claimed.half_width, measured.half_width)
        return _apart(measured.log_speedup - claimed.log_speedup, math.hypot(*widths))
    if claimed.log_paper_speedup is not None and measured.log_paper_speedup is not None:
        return _apart(measured.log_paper_speedup - claimed.log_paper_speedup, WITHOUT_NOISE)
    return TaskComparison("not_comparable", "right there and here, but not timed on the same clock")


def _apart(difference: float, noise: float) -> TaskComparison:
    allowed = max(noise, HOSTS_DIFFER)
    text = f"{math.expm1(abs(difference)):.1%} apart, {math.expm1(allowed):.1%} allowed"
    if abs(difference) <= allowed:
        return TaskComparison("reproduced", text, difference, allowed)
    return TaskComparison("faster" if difference > 0 else "slower", text, difference, allowed)
