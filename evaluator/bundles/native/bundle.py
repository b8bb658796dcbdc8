"""ArenaBoard's own bundles as values: the run, and its results one task at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluator.bundles.problems import BundleProblem
from evaluator.records.calibration import DeviceCalibration
from evaluator.records.record import Record
from evaluator.records.sessions import SessionRecord
from evaluator.tasks.candidate import Candidate
from evaluator.unseen.record import UnseenRecord


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
