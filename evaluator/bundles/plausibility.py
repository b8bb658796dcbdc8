"""What readers of a finished claim must know, in the same way for all forms of all benchmarks."""

from __future__ import annotations

from evaluator.bundles.parsed import ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.records.reasons import Status

EXCESSIVE, NOISE = 10.0, 0.01
RIGHT = (Status.PASSED, Status.IMPLAUSIBLE)  # called right by the bundle
WITHOUT_CANDIDATE = (Status.NOT_PRODUCED, Status.NOT_JUDGED)


def note(reading: Reading, place: str, claim: ParsedClaim) -> None:
    """Note a speedup too large or too small to believe, a right kernel without a time, and a missing source."""
    found = [claim.claimed_speedup, claim.recomputed_speedup]
    speedups = [one for one in found if one is not None]
    of_cases = [one for case in claim.cases for one in (case.claimed_speedup, case.speedup) if one is not None]
    largest = max(speedups + of_cases, default=0.0)
    if claim.status in RIGHT and largest > EXCESSIVE:
        reading.find("excessive_speedup", place, f"{largest:g}", claim.task)
    if any(1 < one < 1 + NOISE for one in speedups):
        reading.find("within_noise", place, f"{min(speedups):g} times the baseline", claim.task)
    if claim.status is Status.PASSED and not speedups and all(case.candidate_ms is None for case in claim.cases):
        reading.find("correct_without_time", place, claim.task, claim.task)
    pairs = [(case.baseline_ms, case.candidate_ms) for case in claim.cases]
    if claim.status in RIGHT and len(pairs) > 1 and all(before and before == after for before, after in pairs):
        reading.find("copied_baseline", place, f"all {len(pairs)} cases of {claim.task}", claim.task)
    if not claim.files and claim.status not in WITHOUT_CANDIDATE:
        reading.find("no_sources", place, f"{claim.task} {claim.attempt}".strip(), claim.task)
