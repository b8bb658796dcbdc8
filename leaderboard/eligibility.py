"""Why an answer does not count, in words. The rule is `may_rank` in runs/querysets.py; a test holds both together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from evaluator.wording import counted
from leaderboard.formatting import listed

REFERENCE_LINE = "Reference line: drawn for comparison, never ranked."
STATUSES = {"errored": "without a verdict through our fault", "not_judged": "not judged", "cancelled": "cancelled"}
_AUDITS = {
    "hacked": "found to be hacked",
    "contaminated": "found to be contaminated",
    "harness_fault": "spoilt by a fault of the harness",
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
    """What keeps a public answer from counting; None where it counts. `host_is_accepted` is the host's state today."""
    if status is None:
        return "missing"
    if status in STATUSES:
        return STATUSES[status]
    if audit in _AUDITS:
        return _AUDITS[audit]
    if not is_own_protocol:
        return "timed by another protocol than the board's"
    if is_held:
        return "on hold until a person has looked"
    if is_uncalibrated:
        return "from a host that is not accepted" if host_is_accepted is False else "from a host without calibration"
    return None


class PublicAnswer(Protocol):
    """What has to be known of a public answer to say whether its speed may count."""

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


def may_count(answer: PublicAnswer) -> bool:
    """Whether its speed may stand beside others: the rule of boards, for reference lines too."""
    against = obstacle(
        status=answer.status,
        audit=answer.audit,
        is_own_protocol=answer.protocol == answer.run_protocol,
        is_held=answer.is_held,
        is_uncalibrated=answer.is_uncalibrated,
    )
    return against is None and not answer.is_functional


def why_not_ranked(role: str, obstacles: Sequence[str | None]) -> str | None:
    """One sentence for an entry, from what stands in the way of each of its answers; None where it is ranked."""
    if role != "entry":
        return REFERENCE_LINE
    found = Counter(one for one in obstacles if one is not None)
    if not found:
        return None
    parts = [f"{count} {'is' if count == 1 else 'are'} {text}" for text, count in found.most_common()]
    return f"Not ranked: of {counted(len(obstacles), 'answer')}, {listed(parts)}."
