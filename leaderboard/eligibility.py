"""The reason why a result does not count, and which ones count as correct.

`may_rank` and `is_correct` in runs/querysets.py are the same rules; a test compares them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from evaluator.wording import counted
from leaderboard.formatting import listed
from runs.trust import Trust

REFERENCE_LINE = "Reference line: shown for comparison, never ranked."
NO_VERDICT = ("errored", "not_judged", "cancelled")
HACKED = Trust.HACKED.value
_AUDITS = {
    "contaminated": "found to be contaminated",
    "harness_fault": "affected by a harness fault",
}


def obstacle(
    *,
    status: str | None,
    audit: str = "",
    is_own_protocol: bool | None = True,
    is_held: bool | None = False,
    is_uncalibrated: bool | None = False,
    host_is_accepted: bool | None = None,
) -> str | None:
    """Reason why a public result does not count, in words; None where it counts.

    `status` is None where no result is published. `host_is_accepted` is the host's state today. A hold waits for a
    verdict, so it hinders a hacked result no more.
    """
    if status is None:
        return "missing"
    if status in NO_VERDICT:
        return status.replace("_", " ")
    if audit in _AUDITS:
        return _AUDITS[audit]
    if not is_own_protocol:
        return "timed with another protocol than the leaderboard's"
    if is_held and audit != HACKED:
        return f"{Trust.HELD.label} for a review"
    if is_uncalibrated:
        return "from a host that is not accepted" if host_is_accepted is False else "from a host that is not calibrated"
    return None


def is_correct(correct: bool | None, audit: str) -> bool:
    """Whether a result counts as correct: one that an audit found hacked does not, whatever its evaluation says."""
    return bool(correct) and audit != HACKED


class CountableResult(Protocol):
    """The attributes of a public result that decide whether its speed counts."""

    @property
    def status(self) -> str: ...
    @property
    def audit(self) -> str: ...
    @property
    def protocol(self) -> str: ...
    @property
    def run_protocol(self) -> str: ...
    @property
    def is_held(self) -> bool: ...
    @property
    def is_uncalibrated(self) -> bool: ...
    @property
    def is_functional(self) -> bool: ...


def may_count(result: CountableResult) -> bool:
    """Whether the speed of a result may be compared with others, by the rule for boards; also for reference lines."""
    reason = obstacle(
        status=result.status,
        audit=result.audit,
        is_own_protocol=result.protocol == result.run_protocol,
        is_held=result.is_held,
        is_uncalibrated=result.is_uncalibrated,
    )
    return reason is None and result.audit != HACKED and not result.is_functional


def why_not_ranked(role: str, obstacles: Sequence[str | None]) -> str | None:
    """Sentence on why an entry is not ranked, from the obstacle of each of its results; None where it is ranked."""
    if role != "entry":
        return REFERENCE_LINE
    found = Counter(one for one in obstacles if one is not None)
    if not found:
        return None
    parts = [f"{count} {'is' if count == 1 else 'are'} {text}" for text, count in found.most_common()]
    return f"Not ranked: of {counted(len(obstacles), 'result')}, {listed(parts)}."
