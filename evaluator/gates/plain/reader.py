"""Reads a candidate's sources in a child process, under limits of memory and processor time.

Parsers take memory and stack as a text demands, and the text may be hostile. The child imports the standard library
alone, reads all files of a candidate and ends. If it dies, no source of the candidate counts as read.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import evaluator
from evaluator.errors import HostError
from evaluator.gates.plain.found import UNREADABLE, SourceFinding

LARGEST = 256 << 10  # bytes of one source; the largest honest one known has 90 KiB
WALL_S = 300.0  # the child's processor time is limited to 10 s; on a busy host that takes longer
_ROOT = str(Path(evaluator.__file__).parents[1])
_START = f"import sys; sys.path.insert(0, {_ROOT!r}); from evaluator.gates.plain import child; child.main()"


def read_sources(files: Mapping[str, bytes], requirements: Sequence[str] = ()) -> dict[str, list[SourceFinding]]:
    """Return the findings in every source, by file and in order of lines. A source that cannot be read has one too.

    `requirements`: forms of computing that each source must show, else it has a finding (`quantised.py`).

    Raises:
        HostError: this host cannot start a process.
    """
    found = {name: [_too_large(data)] for name, data in files.items() if len(data) > LARGEST}
    rest = {name: data for name, data in files.items() if name not in found}
    return found | (_in_child(rest, requirements) if rest else {})


def _in_child(files: Mapping[str, bytes], requirements: Sequence[str]) -> dict[str, list[SourceFinding]]:
    texts = {name: data.decode("latin-1") for name, data in files.items()}
    question = json.dumps({"files": texts, "requirements": list(requirements)}).encode()
    command = [sys.executable, "-I", "-S", "-c", _START]
    try:
        done = subprocess.run(command, input=question, capture_output=True, timeout=WALL_S, env={}, check=True)
        answer = json.loads(done.stdout)
        return {name: [SourceFinding(*one) for one in answer[name]] for name in files}
    except (subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        return {name: [SourceFinding(1, UNREADABLE, _end_of(error))] for name in files}
    except OSError as error:
        raise HostError(f"the reader of sources did not start: {error}") from error


def _too_large(data: bytes) -> SourceFinding:
    return SourceFinding(
        1, UNREADABLE, f"{len(data) >> 10} KiB, and a source of more than {LARGEST >> 10} KiB is not read"
    )


def _end_of(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"the reader took more than {WALL_S:.0f} s"
    if isinstance(error, subprocess.CalledProcessError):
        return "the reader reached a limit of memory, stack or time"
    return "the reader's answer is not whole"
