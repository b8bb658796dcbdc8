"""Run folders as the evaluator writes them, made of records that say what a test wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evaluator.bundles.archives.packing import slug, zip_folder
from evaluator.records.record import PROTOCOL, Record, write_record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.reader import load_task
from evaluator.unseen.generate import GENERATOR_VERSION, core_cases
from evaluator.unseen.record import UnseenRecord, write_unseen
from evaluator.unseen.rounds import secret_digest
from runs.models import Suite, Task
from tests.records import record_for
from tests.runs.unseen_records import make_unseen

Judge = Callable[[Task, Candidate], Record]


def passing(task: Task, candidate: Candidate) -> Record:
    return record_for(task.path, task.digest, task.category, candidate)


def made_up(task: Task) -> dict[str, bytes]:
    return {path: f"// of {task.path}\n".encode() for path in task.editable}


def make_folder(
    folder: Path,
    suite: Suite,
    judge: Judge = passing,
    *,
    secret: bytes | None = None,
    sources_of: Callable[[Task], dict[str, bytes]] = made_up,
    **changes: Any,
) -> Path:
    """One task's record, sources and line in run.json after the other; with a secret unseen cases, too."""
    tasks = list(suite.tasks.all())
    for task in tasks:
        sources = sources_of(task)
        record = judge(task, Candidate(sources, "rewrite"))
        write_record(record, folder / "records" / f"{slug(task.path)}.json")
        for path, data in sources.items():
            file = folder / "candidates" / slug(task.path) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        if secret is not None:
            write_unseen(
                _unseen(task, Candidate(sources, "rewrite"), secret), folder / "unseen" / f"{slug(task.path)}.json"
            )
    manifest: Mapping[str, Any] = {
        "schema": 1,
        "protocol": PROTOCOL,
        "evaluator": "0.1.0",
        "suite": suite.label,
        "suite_digest": suite.digest,
        "agent": "rewrite",
        "repeat": 0,
        "backend": "cpu",
        "device_class": "cpu-x86_64",
        "round": secret_digest(secret) if secret is not None else None,
        "tasks": {task.path: task.digest for task in tasks},
    } | changes
    (folder / "run.json").write_text(json.dumps(manifest))
    return folder


def make_zip(folder: Path, suite: Suite, judge: Judge = passing, **changes: Any) -> Path:
    return zip_folder(make_folder(folder, suite, judge, **changes))


def _unseen(task: Task, candidate: Candidate, secret: bytes) -> UnseenRecord:
    spec = load_task(task.path)
    cases = core_cases(spec, secret, "small")
    return make_unseen(spec, candidate, cases, round_digest=secret_digest(secret), generator=GENERATOR_VERSION)
