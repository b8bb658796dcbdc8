"""What readers of a finished claim must know, in the same way for all forms of all benchmarks."""

from __future__ import annotations

from evaluator.bundles.parsed import ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.records.reasons import Status

EXCESSIVE, NOISE = 10.0, 0.01
RIGHT = (Status.PASSED, Status.IMPLAUSIBLE)  # called right by the bundle
WITHOUT_CANDIDATE = (Status.NOT_PRODUCED, Status.NOT_JUDGED)


def note(reading: Reading, place: str, claim: ParsedClaim, *, is_time_judged: bool = False) -> None:
    """Note a speedup too large or too small to believe, a right kernel without a time, and a missing source.

    `is_time_judged`: the format itself has decided whether there is a time, of which the claim need not show anything.
    """
    found = [claim.claimed_speedup, claim.recomputed_speedup]
    speedups = [one for one in found if one is not None]
    of_cases = [one for case in claim.cases for one in (case.claimed_speedup, case.speedup) if one is not None]
    largest = max(speedups + of_cases, default=0.0)
    if claim.status in RIGHT and largest > EXCESSIVE:
        reading.find("excessive_speedup", place, f"{largest:g}", claim.task)
    noise = [one for one in speedups if 1 < one < 1 + NOISE]
    if claim.status in RIGHT and noise:
        reading.find("within_noise", place, f"{noise[0]:g} times the baseline", claim.task)
    is_timed = is_time_judged or speedups or any(case.candidate_ms is not None for case in claim.cases)
    if claim.status is Status.PASSED and not is_timed:
        reading.find("correct_without_time", place, claim.task, claim.task)
    pairs = [(case.baseline_ms, case.candidate_ms) for case in claim.cases]
    if claim.status in RIGHT and len(pairs) > 1 and all(before and before == after for before, after in pairs):
        reading.find("copied_baseline", place, f"all {len(pairs)} cases of {claim.task}", claim.task)
    if not claim.files and claim.status not in WITHOUT_CANDIDATE:
        reading.find("no_sources", place, f"{claim.task} {claim.attempt}".strip(), claim.task)
