"""The parsed bundle: its claims and totals in one form for all formats, for imports, pages and `bundle check`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.bundles.findings import BundleFinding
from evaluator.bundles.native.bundle import Bundle
from evaluator.records.reasons import Status

Claimed = float | int | str | bool | None

# Facts that the site's form asks for, or that a bundle states in `arenaboard.yaml`; always shown as self-declared.
DECLARABLE: Mapping[str, str] = {
    "agent": "who wrote the candidates",
    "agent_version": "its version or commit",
    "model": "exact model identifier",
    "settings": "time limit, iterations, effort and any other setting that matters",
    "device": "product and partition mode, such as MI300X SPX",
    "versions": "ROCm or CUDA, torch, Triton",
    "benchmark_commit": "commit of the benchmark that was run",
    "golden_machine": "machine of the golden results that speedups are relative to",
    "level": "KernelBench level: 1, 2 or 3",
    "precision": "dtype of the run",
    "started_at": "day of the run",
    "output_tokens": "total number",
    "cost_usd": "total in US dollars",
    "licence": "of the candidates' sources",
}


@dataclass(frozen=True, slots=True)
class CaseClaim:
    """Claimed times of one case in milliseconds; where a time is None, a finding says why."""

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
    """The claims of a bundle about one task.

    `claimed` has the fields as written; `recomputed_speedup` is computed from `cases` by the format's own rule.
    """

    task: str
    is_known: bool  # False: in quarantine, does not count
    attempt: str  # a sample, a round or a solution; "" where a task has only one
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
    """A total of the whole bundle, as claimed and as recomputed from its rows."""

    name: str
    claimed: Claimed
    recomputed: Claimed


@dataclass(frozen=True, slots=True)
class ParsedBundle:
    """A bundle as parsed. `suite_tasks` are the denominator: a task without a claim counts as not produced."""

    format: str
    generation: str
    digest: str
    suite: str | None  # None: no suite of this site, so every task is in quarantine
    suite_tasks: tuple[str, ...]
    declared: Mapping[str, str]  # self-declared facts, by keys of DECLARABLE
    asked: tuple[str, ...]  # keys of DECLARABLE that are not declared
    claims: tuple[ParsedClaim, ...]
    totals: tuple[Total, ...]
    findings: tuple[BundleFinding, ...]
    own: Bundle | None = None  # the content to import, of ArenaBoard's own bundles

    @property
    def absent(self) -> tuple[str, ...]:
        claimed = {claim.task for claim in self.claims if claim.is_known}
        return tuple(task for task in self.suite_tasks if task not in claimed)

    @property
    def measurements(self) -> int:
        return sum(len(claim.cases) for claim in self.claims)

    def count(self, status: Status) -> int:
        """The number of known tasks with this status."""
        return sum(claim.status is status for claim in self.claims if claim.is_known)
