"""The parsed bundle: its claims and totals in one form for all formats, for imports, pages and `bundle check`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.bundles.findings import BundleFinding
from evaluator.bundles.problems import BundleProblem
from evaluator.records.calibration import DeviceCalibration
from evaluator.records.reasons import Status
from evaluator.records.record import Record
from evaluator.records.sessions import SessionRecord
from evaluator.tasks.candidate import Candidate
from evaluator.unseen.record import UnseenRecord

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
    "level": "KernelBench level: 1, 2, 3 or 4",
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
    follows: str = ""  # the attempt of the same task that the bundle says it was made from


@dataclass(frozen=True, slots=True)
class Total:
    """A total of the whole bundle, as claimed and as recomputed from its rows."""

    name: str
    claimed: Claimed
    recomputed: Claimed


@dataclass(frozen=True, slots=True)
class BundledResult:
    """All parts of one task. Texts in records and sessions are masked; sources are unchanged."""

    task: str
    record: Record
    record_bytes: bytes
    candidate: Candidate
    unseen: UnseenRecord | None
    unseen_bytes: bytes
    session: SessionRecord | None  # the agent's session that wrote the candidate
    session_bytes: bytes


class Entries:
    """The results of all complete tasks in the order of run.json; each access reads it from the bundle again."""

    def __init__(self, whole: list[str], read: Callable[[str], BundledResult | None]) -> None:
        self._whole, self._read = whole, read

    def __len__(self) -> int:
        return len(self._whole)

    def __getitem__(self, index: int) -> BundledResult:
        entry = self._read(self._whole[index])
        assert entry is not None, "it was complete before"
        return entry

    def __iter__(self) -> Iterator[BundledResult]:
        return (self[index] for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entries) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A run folder or its zip, which have the same `digest`: it covers members' names and contents."""

    digest: str
    suite: str
    suite_digest: str
    agent: str
    repeat: int
    protocol: str
    device_class: str
    round: str | None  # sha256 of its secret
    settings: Mapping[str, Any]  # of the agent, if it works in sessions
    tasks: Mapping[str, str]  # id → digest
    architectures: frozenset[str]  # of the hosts of its records
    calibrations: tuple[DeviceCalibration, ...]  # of the run's devices, as far as they were calibrated
    entries: Entries
    problems: tuple[BundleProblem, ...] = field(default=())


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
