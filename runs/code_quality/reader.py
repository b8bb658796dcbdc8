"""Measures candidates in child processes, under limits of memory and processor time; none of their code is run.

Parsers take memory and stack as a text demands, and the text may be hostile. Several candidates share a child, since
its start takes longer than a candidate; where it dies, each is measured again in one of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import runs

LARGEST = 256 << 10  # bytes of a candidate; as much as the evaluator reads of one source
TOGETHER = 20  # candidates; of the usual size they take a second
WALL_S = 120.0  # the child's processor time is limited to 10 s; on a busy host that takes longer
DIED = "its measurement reached a limit of memory, stack or time"
_ROOT = str(Path(runs.__file__).parents[1])
_START = f"import sys; sys.path.insert(0, {_ROOT!r}); from runs.code_quality import child; child.main()"

Files = Mapping[str, bytes]


def measure(candidates: Sequence[Files]) -> list[dict[str, Any]]:
    """Return for each candidate its figures (`parts.Quality` as JSON), or under `because` why it has none.

    Raises:
        OSError: this host cannot start a process.
    """
    refused = [_refused(files) for files in candidates]
    left = [files for files, because in zip(candidates, refused, strict=True) if because is None]
    found = iter([one for start in range(0, len(left), TOGETHER) for one in _measured(left[start : start + TOGETHER])])
    return [next(found) if because is None else {"because": because} for because in refused]


def _refused(files: Files) -> str | None:
    size = sum(map(len, files.values()))
    if not files:
        return "it has no file that the task lets a candidate write"
    return f"{size >> 10} KiB; code is measured up to {LARGEST >> 10} KiB" if size > LARGEST else None


def _measured(candidates: Sequence[Files]) -> list[dict[str, Any]]:
    found = _in_child(candidates)
    if found is not None:
        return found
    if len(candidates) == 1:
        return [{"because": DIED}]
    return [one for files in candidates for one in _measured([files])]


def _in_child(candidates: Sequence[Files]) -> list[dict[str, Any]] | None:
    """Return an answer for each candidate; None if the child died or its answer is not whole."""
    question = json.dumps([{name: data.decode("latin-1") for name, data in files.items()} for files in candidates])
    command = [sys.executable, "-I", "-c", _START]
    try:
        done = subprocess.run(command, input=question.encode(), capture_output=True, timeout=WALL_S, env={}, check=True)
        answer = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError):
        return None
    return answer if isinstance(answer, list) and len(answer) == len(candidates) else None
