"""Submits candidates that exist already: those of a run folder, or of a predictions file (JSONL).

A task that the source does not name is not produced. Two lines for the same task and repeat are refused, since no rule
could say which one counts. What KernelBench-X's models wrote is judged as it is, by the task's own contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluator.agents.chat import empty_candidate
from evaluator.agents.interface import SessionContext, SessionOutcome
from evaluator.agents.replay.predictions import prediction_of
from evaluator.errors import UsageError
from evaluator.tasks.candidate import MAX_BYTES, Candidate, read_candidate, too_large


def launch(context: SessionContext) -> SessionOutcome:
    source = Path(context.settings.text("source"))
    if not context.settings.text("source") or not source.exists():
        raise UsageError(
            f"source: seen {context.settings.text('source')!r}; expected an existing run folder or JSONL file"
        )
    candidate, note = _from_run_folder(context, source), None
    if not source.is_dir() and (found := prediction_of(source, context.task, context.repeat)):
        candidate, note = _candidate(context, found.files), found.note
    if candidate is None:
        return SessionOutcome(empty_candidate(context), "gave_up", f"{source} holds nothing for {context.task.id}")
    return SessionOutcome(candidate, "finished", note)


def _from_run_folder(context: SessionContext, source: Path) -> Candidate | None:
    folder = source / "candidates" / context.task.id.replace("/", "--")
    return read_candidate(folder, context.task, label=context.agent) if folder.is_dir() else None


def _candidate(context: SessionContext, texts: Mapping[str, str]) -> Candidate:
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
