"""Submits candidates that exist already: those of a run folder, or of a predictions file (JSONL).

A task that the source does not name is not produced. Two lines for the same task and repeat are refused, since no rule
could say which one counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluator.agents.chat import empty_candidate
from evaluator.agents.interface import SessionContext, SessionOutcome
from evaluator.errors import UsageError
from evaluator.tasks.candidate import MAX_BYTES, Candidate, read_candidate, too_large

MAX_FILE_BYTES = 1 << 30


def launch(context: SessionContext) -> SessionOutcome:
    source = Path(context.settings.text("source"))
    if not context.settings.text("source") or not source.exists():
        raise UsageError(
            f"source: seen {context.settings.text('source')!r}; expected an existing run folder or JSONL file"
        )
    candidate = _from_run_folder(context, source) if source.is_dir() else _from_predictions(context, source)
    if candidate is None:
        return SessionOutcome(empty_candidate(context), "gave_up", f"{source} holds nothing for {context.task.id}")
    return SessionOutcome(candidate, "finished")


def _from_run_folder(context: SessionContext, source: Path) -> Candidate | None:
    folder = source / "candidates" / context.task.id.replace("/", "--")
    return read_candidate(folder, context.task, label=context.agent) if folder.is_dir() else None


def _from_predictions(context: SessionContext, source: Path) -> Candidate | None:
    found = [
        files
        for line, raw in enumerate(_lines(source), 1)
        if (files := _files(raw, context, f"{source}:{line}")) is not None
    ]
    if len(found) > 1:
        raise UsageError(f"{source} holds {len(found)} predictions for {context.task.id}, repeat {context.repeat}")
    return _candidate(context, found[0]) if found else None


def _lines(source: Path) -> Iterator[Any]:
    if source.stat().st_size > MAX_FILE_BYTES:
        raise UsageError(f"{source} is larger than {MAX_FILE_BYTES} bytes")
    with source.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line) if line.strip() else None
            except (ValueError, RecursionError) as error:
                raise UsageError(f"{source}:{number}: not JSON: {error}") from error


def _files(raw: Any, context: SessionContext, where: str) -> dict[str, str] | None:
    """The files of a line about this task and repeat; a line without a repeat is for every repeat."""
    match raw:
        case None:
            return None
        case {"task": str() as task, "files": dict() as files} if all(
            isinstance(name, str) and isinstance(text, str) for name, text in files.items()
        ):
            mine = task == context.task.id and raw.get("repeat", context.repeat) == context.repeat
            return files if mine else None
    raise UsageError(f'{where}: expected {{"task": …, "files": {{name: text}}}}')


def _candidate(context: SessionContext, texts: dict[str, str]) -> Candidate:
    """A candidate under the rules of a candidate folder: editable files only, of bounded size, none missing."""
    files, problems = dict[str, bytes](), list[tuple[str, str]]()
    for name, text in sorted(texts.items()):
        data = text.encode("utf-8", "replace")
        if name not in context.task.editable:
            problems.append(("extra_file", name))
        elif len(data) > MAX_BYTES:
            problems.append(("not_a_source", f"{name} {too_large(len(data)).why}"))
        else:
            files[name] = data
    problems += [("not_written", name) for name in context.task.editable if not files.get(name, b"").strip()]
    return Candidate(files, context.agent, tuple(problems))
