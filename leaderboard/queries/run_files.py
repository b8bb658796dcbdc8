"""A run's public files in the archive: records, candidates and, once revealed, records on unseen cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from runs.models import Result, Run, UnseenEvaluation


class RunFile(NamedTuple):
    """A file. `name` is the task's path, then record.json, unseen.json or candidate/…"""

    name: str
    digest: str
    result_id: int
    task: str
    attempt: int
    status: str


def public_files(run_id: int) -> list[RunFile] | None:
    """Files of published attempts, by task; None if the run is not public."""
    if not Run.objects.public().filter(pk=run_id).exists():
        return None
    rows = Result.objects.public().filter(run=run_id).order_by("task__path", "id")
    published = rows.values_list(
        *("published_attempt", "published_attempt__record_digest", "candidate_files"),
        *("id", "task__path", "published_attempt__number", "published_attempt__status"),
    )
    seen = UnseenEvaluation.objects.visible().filter(attempt__published_for__run=run_id, state="done")
    unseen = dict(seen.values_list("attempt", "record_digest"))
    return [
        RunFile(f"{about[1]}/{name}", digest, *about)
        for attempt, record, candidate, *about in published
        for name, digest in _files(record, unseen.get(attempt, ""), candidate)
    ]


def _files(record: str, unseen: str, candidate: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Pairs of name and digest. An attempt that failed through our fault may have no record."""
    records = {"record.json": record, "unseen.json": unseen}
    yield from ((name, digest) for name, digest in records.items() if digest)
    yield from ((f"candidate/{path}", digest) for path, digest in sorted(candidate.items()))
