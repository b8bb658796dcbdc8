"""Parses ArenaBoard's own bundles into claims, like those of any other format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, median
from typing import overload

from evaluator.bundles.native.contents import MANIFEST, MARKS, NAME, bundle_of, own_files, record_of
from evaluator.bundles.parsed import BundledResult, CaseClaim, ParsedBundle, ParsedClaim
from evaluator.bundles.problems import BundleError
from evaluator.bundles.reading import Reading
from evaluator.records.measurements import FUNCTIONAL, T_DEV, Clock
from evaluator.records.record import CaseRecord

__all__ = ["MARKS", "NAME", "recognises", "translate"]

ASKED = ("model", "agent_version", "settings", "output_tokens", "cost_usd", "licence")


def recognises(reading: Reading) -> bool:
    files = own_files(reading.files)
    if MANIFEST not in files:
        return False
    raw = Reading({MANIFEST: files[MANIFEST]}).parsed(MANIFEST)
    return not isinstance(raw, dict) or "suite_digest" in raw or "tasks" in raw


def translate(reading: Reading) -> ParsedBundle | None:
    own = Reading(own_files(reading.files), reading.declared_by_submitter)
    claims = list[ParsedClaim]()
    try:
        bundle = bundle_of(own, lambda entry: claims.append(_claim(own, entry)))
    except BundleError as error:
        reading.problems += error.problems
        return None
    declared = own.declared({"agent": bundle.agent, "device": bundle.device_class})
    own.end()
    reading.problems += own.problems
    reading.findings += own.findings
    return ParsedBundle(
        format=NAME,
        generation=bundle.protocol,
        digest=bundle.digest,
        suite=bundle.suite,
        suite_tasks=tuple(bundle.tasks),
        declared=declared,
        asked=tuple(key for key in ASKED if key not in declared),
        claims=tuple(claims),
        totals=(),
        findings=(),
        own=bundle,
    )


class OwnCases(Sequence[CaseClaim]):
    """The cases of one record, which is read again on access: an import needs only their number."""

    def __init__(self, reading: Reading, task: str, count: int) -> None:
        self._reading, self._task, self._count = reading, task, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> CaseClaim: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CaseClaim]: ...
    def __getitem__(self, index: int | slice) -> CaseClaim | Sequence[CaseClaim]:
        return tuple(self)[index]

    def __iter__(self) -> Iterator[CaseClaim]:
        return map(_case, record_of(self._reading, self._task).cases)


def _claim(reading: Reading, entry: BundledResult) -> ParsedClaim:
    """The claim of one task. Whether the site has the task with this digest is checked on import."""
    record = entry.record
    speedups = [case.speedup for case in record.cases]
    whole = [speedup for speedup in speedups if speedup is not None]
    claimed = fmean(whole) if whole and len(whole) == len(speedups) else None
    for name, data in entry.candidate.files.items():
        reading.source(data, f"candidates: {name}", entry.task)
    return ParsedClaim(
        task=entry.task,
        is_known=True,
        attempt="",
        status=record.status,
        reason=record.reason,
        message=reading.text(record.message, f"records: {entry.task}", entry.task),
        claimed={"compiled": record.compiled, "correct": record.correct, "flags": ", ".join(record.flags)},
        claimed_speedup=claimed,
        recomputed_speedup=None,  # an import computes it from blocks and sessions
        cases=OwnCases(reading, entry.task, len(record.cases)),
        files=entry.candidate.files,
    )


def _case(case: CaseRecord) -> CaseClaim:
    clock: Clock | None = case.clocks.get(T_DEV) or case.clocks.get(FUNCTIONAL)
    before, after = (median(clock.baseline_ms), median(clock.candidate_ms)) if clock else (None, None)
    return CaseClaim(case.id, before, after, case.speedup)
