"""One agent over one suite, as a folder that can be continued after any interruption, and at the end a zip to hand in.

DIR/run.json, DIR/candidates/<task>/..., DIR/records/<task>.json, DIR.zip. A record is kept if it is of this task and
candidate; everything else is evaluated again.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluator import VERSION, codec
from evaluator.agents import produce
from evaluator.candidate import Candidate
from evaluator.errors import UsageError
from evaluator.pipeline import Evaluator
from evaluator.reasons import Status
from evaluator.records import PROTOCOL, SCHEMA_VERSION, Record, read_record, write_record
from evaluator.suites import Suite
from evaluator.taskspec import TaskSpec

ZIP_DATE = (2026, 1, 1, 0, 0, 0)  # the same content makes the same zip
Progress = Callable[[str, Record | None], None]  # task id, then its record when there is one


@dataclass(frozen=True, slots=True)
class Outcome:
    """A record, and the status its agent is known to deserve."""

    record: Record
    expected: Status

    @property
    def as_expected(self) -> bool:
        return self.record.status is self.expected


def run_suite(
    suite: Suite, agent: str, evaluator: Evaluator, folder: Path, *, repeat: int = 0, progress: Progress | None = None
) -> list[Outcome]:
    """Evaluate an agent on every task of a suite, continuing where an earlier run stopped; zip at the end.

    Raises:
        UsageError: the folder holds another run.
    """
    _claim(folder, _manifest(suite, agent, evaluator, repeat))
    outcomes = []
    for task in suite.tasks:
        if progress:
            progress(task.id, None)
        produced = produce(agent, task, repeat)
        record = _kept(folder, task, produced.candidate) or _evaluate(folder, task, produced.candidate, evaluator)
        outcomes.append(Outcome(record, produced.expected))
        if progress:
            progress(task.id, record)
    zip_folder(folder)
    return outcomes


def zip_folder(folder: Path) -> Path:
    """DIR.zip beside DIR, members sorted, dates fixed."""
    target = folder.with_name(folder.name + ".zip")
    temporary = target.with_name(target.name + ".part")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files(folder):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())
    temporary.replace(target)
    return target


def slug(task_id: str) -> str:
    return task_id.replace("/", "--")


def _manifest(suite: Suite, agent: str, evaluator: Evaluator, repeat: int) -> dict[str, object]:
    return {
        "schema": SCHEMA_VERSION,
        "protocol": PROTOCOL,
        "evaluator": VERSION,
        "suite": suite.label,
        "suite_digest": suite.digest,
        "agent": agent,
        "repeat": repeat,
        "backend": evaluator.backend.name,
        "device_class": evaluator.backend.device_class,
        "tasks": {task.id: task.digest for task in suite.tasks},
    }


def _claim(folder: Path, manifest: dict[str, object]) -> None:
    path = folder / "run.json"
    if path.is_file():
        before = _read_manifest(path)
        other = sorted(key for key in manifest if before.get(key) != manifest[key])
        if other:
            raise UsageError(f"{folder} holds another run (other {', '.join(other)}); give a new folder")
        return
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and holds no run.json; give a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(codec.dumps(manifest), encoding="utf-8")


def _read_manifest(path: Path) -> dict[str, object]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict):
        raise UsageError(f"{path} is damaged; give a new folder, or remove this one")
    return manifest


def _kept(folder: Path, task: TaskSpec, candidate: Candidate) -> Record | None:
    """A finished record of exactly this task and candidate; one of our own faults is tried again."""
    path = folder / "records" / f"{slug(task.id)}.json"
    if not path.is_file():
        return None
    try:
        record = read_record(path.read_bytes())
    except codec.DecodeError:
        return None
    same = (record.task.digest, record.candidate.digest) == (task.digest, candidate.digest)
    return record if same and record.status is not Status.ERRORED else None


def _evaluate(folder: Path, task: TaskSpec, candidate: Candidate, evaluator: Evaluator) -> Record:
    for name, data in candidate.files.items():
        path = folder / "candidates" / slug(task.id) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    record = evaluator.evaluate(task, candidate)
    write_record(record, folder / "records" / f"{slug(task.id)}.json")
    return record


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".part"))
