"""Hands in what somebody wrote before: the candidates of a run's folder, or a predictions JSONL.

A task that the source says nothing of is not produced. Two lines for the same task and repeat are refused, since no
rule could say which one counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluator.agents.chat import nothing
from evaluator.agents.interface import Desk, Work
from evaluator.errors import UsageError
from evaluator.tasks.candidate import MAX_BYTES, Candidate, read_candidate

MAX_FILE_BYTES = 1 << 30


def launch(desk: Desk) -> Work:
    source = Path(desk.settings.text("source"))
    if not desk.settings.text("source") or not source.exists():
        raise UsageError(
            f"source: seen {desk.settings.text('source')!r}; expected a run's folder or a JSONL file that is there"
        )
    candidate = _of_folder(desk, source) if source.is_dir() else _of_predictions(desk, source)
    if candidate is None:
        return Work(nothing(desk), "gave_up", f"{source} holds nothing for {desk.task.id}")
    return Work(candidate, "finished")


def _of_folder(desk: Desk, source: Path) -> Candidate | None:
    folder = source / "candidates" / desk.task.id.replace("/", "--")
    return read_candidate(folder, desk.task, label=desk.agent) if folder.is_dir() else None


def _of_predictions(desk: Desk, source: Path) -> Candidate | None:
    found = [
        files
        for line, raw in enumerate(_lines(source), 1)
        if (files := _files(raw, desk, f"{source}:{line}")) is not None
    ]
    if len(found) > 1:
        raise UsageError(f"{source} holds {len(found)} predictions for {desk.task.id}, repeat {desk.repeat}")
    return _candidate(desk, found[0]) if found else None


def _lines(source: Path) -> Iterator[Any]:
    if source.stat().st_size > MAX_FILE_BYTES:
        raise UsageError(f"{source} is larger than {MAX_FILE_BYTES} bytes")
    with source.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line) if line.strip() else None
            except (ValueError, RecursionError) as error:
                raise UsageError(f"{source}:{number}: not JSON: {error}") from error


def _files(raw: Any, desk: Desk, where: str) -> dict[str, str] | None:
    """The files of a line about this task and repeat; a line without a repeat is for all."""
    match raw:
        case None:
            return None
        case {"task": str() as task, "files": dict() as files} if all(
            isinstance(name, str) and isinstance(text, str) for name, text in files.items()
        ):
            mine = task == desk.task.id and raw.get("repeat", desk.repeat) == desk.repeat
            return files if mine else None
    raise UsageError(f'{where}: expected {{"task": …, "files": {{name: text}}}}')


def _candidate(desk: Desk, texts: dict[str, str]) -> Candidate:
    """By the rules of a folder: only editable files, each a source of bounded size, none missing."""
    files, problems = dict[str, bytes](), list[tuple[str, str]]()
    for name, text in sorted(texts.items()):
        data = text.encode("utf-8", "replace")
        if name not in desk.task.editable:
            problems.append(("extra_file", name))
        elif len(data) > MAX_BYTES:
            problems.append(("not_a_source", name))
        else:
            files[name] = data
    problems += [("not_written", name) for name in desk.task.editable if not files.get(name, b"").strip()]
    return Candidate(files, desk.agent, tuple(problems))
