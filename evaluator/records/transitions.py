"""How the outcome of one version of a candidate became that of the next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from evaluator.records.reasons import Status

NOISE = 0.01  # speedups that differ by less are the same
RIGHT = (Status.PASSED.value,)
NO_VERDICT = tuple(status.value for status in (Status.ERRORED, Status.NOT_JUDGED))
NOT_COMPILED = tuple(status.value for status in (Status.BUILD_FAILED, Status.NOT_PRODUCED, Status.TAMPERED))
Transition = Literal["rescued", "lost", "faster", "slower", "same", "untimed", "still_wrong", "unknown"]
TRANSITIONS: Mapping[str, tuple[str, str]] = {  # title, meaning
    "rescued": ("Rescued", "wrong, then right"),
    "lost": ("Lost", "right, then wrong"),
    "faster": ("Faster", "right before and after, and faster by at least 1 %"),
    "slower": ("Slower", "right before and after, and slower by at least 1 %"),
    "same": ("Same speed", "right before and after, and the speedups differ by less than 1 %"),
    "untimed": ("Right, not timed", "right before and after, and one of the two has no speedup"),
    "still_wrong": ("Still wrong", "wrong before and after"),
    "unknown": ("No verdict", "one of the two has no verdict, through no fault of its own"),
}
PERSISTENT = ("faster", "slower", "same", "untimed")  # right before and after


def transition(
    before: str, after: str, speedup: float | None, then: float | None, right: Collection[str] = RIGHT
) -> Transition:
    """Return the transition between two statuses, and between two speedups where both are right."""
    if before in NO_VERDICT or after in NO_VERDICT:
        return "unknown"
    if before not in right or after not in right:
        return "rescued" if after in right else "lost" if before in right else "still_wrong"
    if not speedup or not then:
        return "untimed"
    if abs(then / speedup - 1) < NOISE:
        return "same"
    return "faster" if then > speedup else "slower"
