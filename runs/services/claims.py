"""Stores the claims of a bundle of another benchmark, and what changed between those that follow one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.bundles.parsed import ParsedBundle, ParsedClaim
from evaluator.bundles.plausibility import RIGHT
from evaluator.records.edits import kinds_of
from evaluator.records.transitions import transition
from runs import archive
from runs.models import Claim, Submission

CLAIMS_AT_ONCE = 50  # each has the times of all its cases


def write_claims(submission: Submission, parsed: ParsedBundle) -> None:
    """Store all claims of a bundle, in the caller's transaction."""
    known = {(one.task, one.attempt): one for one in parsed.claims}
    for start in range(0, len(parsed.claims), CLAIMS_AT_ONCE):
        part = parsed.claims[start : start + CLAIMS_AT_ONCE]
        Claim.objects.bulk_create(
            _claim(submission, one, known.get((one.task, one.follows)) if one.follows else None) for one in part
        )


def _claim(submission: Submission, claim: ParsedClaim, before: ParsedClaim | None) -> Claim:
    return Claim(
        submission=submission,
        task=claim.task[:300],
        attempt=claim.attempt[:200],
        is_known=claim.is_known,
        status=claim.status.value,
        reason=claim.reason or "",
        message=claim.message or "",
        claimed=dict(claim.claimed),
        claimed_speedup=claim.claimed_speedup,
        recomputed_speedup=claim.recomputed_speedup,
        cases=[[case.id, case.baseline_ms, case.candidate_ms, case.claimed_speedup] for case in claim.cases],
        files={path: archive.put(data) for path, data in claim.files.items()},
        **(_pair(before, claim) if before else {}),
    )


def _pair(before: ParsedClaim, claim: ParsedClaim) -> dict[str, Any]:
    """The columns about the step from the claim before to this one."""
    has_sources = bool(before.files and claim.files)
    right = [status.value for status in RIGHT]
    return {
        "previous_attempt": before.attempt[:200],
        "previous_status": before.status.value,
        "transition": transition(before.status.value, claim.status.value, _speedup(before), _speedup(claim), right),
        "kinds": " ".join(kinds_of(_texts(before.files), _texts(claim.files))) if has_sources else "",
    }


def _speedup(claim: ParsedClaim) -> float | None:
    found = claim.recomputed_speedup or claim.claimed_speedup
    return found if found and found > 0 else None


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: data.decode("utf-8", "replace") for path, data in files.items()}
