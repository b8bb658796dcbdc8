"""A candidate's source files beside the baseline's, and the commands that evaluate them again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from leaderboard.diffs import Diff, DiffLine, diff, is_comparable, numbered
from leaderboard.encoding import SCREEN
from leaderboard.pages.base import page_url, task_source_url
from leaderboard.queries import results
from leaderboard.queries.results import ResultDetailRow


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the candidate, compared with the baseline's file of the same name where there is one."""

    path: str
    sha256: str
    url: str
    text: str | None  # None where the archive lost it
    lines: tuple[DiffLine, ...] = field(metadata=SCREEN)
    diff: Diff | None = field(metadata=SCREEN)
    is_baseline: bool = field(metadata=SCREEN)
    caption: str = field(default="from the baseline to the candidate", metadata=SCREEN)


def sources(row: ResultDetailRow) -> tuple[Source, ...]:
    """Return the candidate's files with their differences, then files of the baseline that have no counterpart."""
    baseline = {path: _text(digest) for path, digest in sorted(row.task_files.items())}
    found = []
    for path, digest in sorted(row.candidate_files.items()):
        text, url = _text(digest), page_url("candidate", row.id, path)
        changes = _diff(baseline.get(path), text)
        found.append(Source(path, digest, url, text, numbered(text or ""), changes, False))
    for path, text in baseline.items():
        if path not in row.candidate_files:
            url = task_source_url(row.task, row.task_digest, path)
            found.append(Source(path, row.task_files[path], url, text, numbered(text or ""), None, True))
    return tuple(found)


def commands(row: ResultDetailRow) -> tuple[str, ...]:
    """Return shell commands that repeat the evaluation in a checkout: of the downloaded files, else of the agent's run.

    Empty where the candidate has no files.
    """
    if not row.candidate_files:
        return ()
    if _is_overlay(row):
        words = ["evaluate", row.task, "--candidate", "candidate", "--backend", row.backend, "--out", "result.json"]
        return (_evaluator(words),)
    words = ["run", "--suite", row.suite, "--agent", row.agent_slug, "--repeat", str(row.repeat)]
    return (_evaluator([*words, "--backend", row.backend, "--out", "run"]),)


def downloads(row: ResultDetailRow) -> tuple[tuple[str, str], ...]:
    """Return the files that the commands need, each as (path to write, quoted for the shell; address)."""
    if not _is_overlay(row):
        return ()
    return tuple(
        (shlex.quote(str(PurePosixPath("candidate", path))), page_url("candidate", row.id, path))
        for path in sorted(row.candidate_files)
    )


def _is_overlay(row: ResultDetailRow) -> bool:
    """Tell whether the candidate consists of files that it may replace, which is all that `evaluate` accepts."""
    return set(row.candidate_files) <= set(row.editable)


def _evaluator(words: Sequence[str]) -> str:
    return shlex.join([".venv/bin/python", "-m", "evaluator", *words])


def _text(digest: str) -> str | None:
    data = results.archived(digest)
    return None if data is None else data.decode("utf-8", "replace")


def _diff(old: str | None, new: str | None) -> Diff | None:
    return None if old is None or new is None or not is_comparable(old, new) else diff(old, new)
