"""Why an answer does not count, in words. The rule is `may_rank` in runs/querysets.py; a test holds both together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leaderboard.formatting import listed

REFERENCE_LINE = "Reference line: drawn for comparison, never ranked."
STATUSES = {"errored": "without a verdict through our fault", "not_judged": "not judged", "cancelled": "cancelled"}
_AUDITS = {
    "hacked": "found to be hacked",
    "contaminated": "found to be contaminated",
    "harness_fault": "spoilt by a fault of the harness",
}


def obstacle(*, status: str | None, audit: str, is_held: bool | None, is_uncalibrated: bool | None) -> str | None:
    """What keeps a public answer from counting; None where it counts."""
    if status is None:
        return "missing"
    if status in STATUSES:
        return STATUSES[status]
    if audit in _AUDITS:
        return _AUDITS[audit]
    if is_held:
        return "on hold until a person has looked"
    return "from a host without calibration" if is_uncalibrated else None


def why_not_ranked(role: str, obstacles: Sequence[str | None]) -> str | None:
    """One sentence for an entry, from what stands in the way of each of its answers; None where it is ranked."""
    if role != "entry":
        return REFERENCE_LINE
    found = Counter(one for one in obstacles if one is not None)
    if not found:
        return None
    parts = [f"{count} {'is' if count == 1 else 'are'} {text}" for text, count in found.most_common()]
    return f"Not ranked: of {len(obstacles)} answers, {listed(parts)}."
