"""What a bundle claims, whatever its format: the one value that importers, pages and `bundle check` work with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.bundles.findings import BundleFinding
from evaluator.bundles.native.bundle import Bundle
from evaluator.records.reasons import Status

Claimed = float | int | str | bool | None

# What a form asks for and a bundle can bring along in `arenaboard.yaml`; always marked self-declared.
DECLARABLE: Mapping[str, str] = {
    "agent": "who wrote the candidates",
    "agent_version": "its version or commit",
    "model": "exact model identifier",
    "settings": "time limit, iterations, effort and whatever else changes the outcome",
    "device": "product and partition mode, such as MI300X SPX",
    "versions": "ROCm or CUDA, torch, Triton",
    "benchmark_commit": "commit of the benchmark that was run",
    "golden_machine": "whose golden results the speeds are relative to",
    "level": "KernelBench level: 1, 2 or 3",
    "precision": "dtype of the run",
    "started_at": "day of the run",
    "output_tokens": "in all",
    "cost_usd": "in all",
    "licence": "of the candidates' sources",
}


@dataclass(frozen=True, slots=True)
class CaseClaim:
    """Claimed times of one case, in milliseconds; None: there is none, and a finding says why."""

    id: str
    baseline_ms: float | None
    candidate_ms: float | None
    claimed_speedup: float | None = None

    @property
    def speedup(self) -> float | None:
        if self.baseline_ms is None or self.candidate_ms is None:
            return None
        ratio = self.baseline_ms / self.candidate_ms
        return ratio if math.isfinite(ratio) and ratio > 0 else None


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """What a bundle says of one task, and what follows from its own times.

    `claimed` is kept as it was written; `recomputed_speedup` is by the format's own rule, from `cases`.
    """

    task: str
    is_known: bool  # False: in quarantine, counts for nothing
    attempt: str  # a sample, a round or a solution; "" where there is one a task
    status: Status
    reason: str | None  # a key of reasons.REASONS
    message: str | None  # masked and cut
    claimed: Mapping[str, Claimed]
    claimed_speedup: float | None
    recomputed_speedup: float | None
    cases: Sequence[CaseClaim]
    files: Mapping[str, bytes]  # the candidate's sources


@dataclass(frozen=True, slots=True)
class Total:
    """A number about the whole bundle: as claimed, and as its rows have it."""

    name: str
    claimed: Claimed
    recomputed: Claimed


@dataclass(frozen=True, slots=True)
class ParsedBundle:
    """`suite_tasks` are the denominator: a task without a claim counts as not produced."""

    format: str
    generation: str
    digest: str
    suite: str | None  # None: none of ours, so every task is in quarantine
    suite_tasks: tuple[str, ...]
    declared: Mapping[str, str]  # said by the bundle of itself
    asked: tuple[str, ...]  # keys of DECLARABLE that it does not say
    claims: tuple[ParsedClaim, ...]
    totals: tuple[Total, ...]
    findings: tuple[BundleFinding, ...]
    own: Bundle | None = None  # of one of our own bundles: what is imported

    @property
    def absent(self) -> tuple[str, ...]:
        claimed = {claim.task for claim in self.claims if claim.is_known}
        return tuple(task for task in self.suite_tasks if task not in claimed)

    @property
    def measurements(self) -> int:
        return sum(len(claim.cases) for claim in self.claims)

    def count(self, status: Status) -> int:
        """Of known tasks."""
        return sum(claim.status is status for claim in self.claims if claim.is_known)
