"""The child process that reads sources: limits first, then each file by its language's rules; findings go out as JSON.

It imports the standard library only, and of that little: the start is most of its time.
"""

from __future__ import annotations

import json
import resource
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

from evaluator.gates.plain.found import UNREADABLE, SourceFinding

MEMORY_BYTES, PROCESSOR_S = 1 << 30, 10
MOST_OF_A_RULE = 50  # findings of one rule that one file may have; more tell nobody more
LONGEST_NAME = 80
# A person sees such text in another order than a compiler.
TURNED = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def main() -> None:
    confine()
    question = json.loads(sys.stdin.buffer.read())
    requirements = question["requirements"]
    answer = {name: read_source(name, data.encode("latin-1"), requirements) for name, data in question["files"].items()}
    sys.stdout.write(json.dumps(answer))


def confine() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read_source(name: str, data: bytes, requirements: Sequence[str] = ()) -> list[SourceFinding]:
    """Return the findings in one source in order of lines; one that cannot be read has one that says why."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return [SourceFinding(1, UNREADABLE, "not UTF-8")]
    if not TURNED.isdisjoint(text):
        return [SourceFinding(1, UNREADABLE, "characters that turn the direction of text around")]
    try:
        return _bounded([*_read(name, data, text), *_missing(data, requirements)])
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [SourceFinding(1, UNREADABLE, type(error).__name__)]


def _read(name: str, data: bytes, text: str) -> Iterable[SourceFinding]:
    """Apply the rules of the file's language; every import costs, so only those of one language are loaded."""
    if name.endswith(".py"):
        from evaluator.gates.plain.python_rules import read_python

        return read_python(data)
    from evaluator.gates.plain.hip_rules import read_hip

    return read_hip(text)


def _missing(data: bytes, requirements: Sequence[str]) -> Iterable[SourceFinding]:
    """Ask a Python source for the forms that its task requires; the task's reader turns requirements of others away."""
    if not requirements:
        return ()
    from evaluator.gates.plain.quantised import missing_forms

    return missing_forms(data, requirements)


def _bounded(findings: Iterable[SourceFinding]) -> list[SourceFinding]:
    """Keep each use once, the first lines of each rule, and the beginning of a long name."""
    kept, seen = list[SourceFinding](), Counter[str]()
    first = dict[tuple[str, str], SourceFinding]()
    for one in sorted(findings):
        first.setdefault((one.rule, one.name[:LONGEST_NAME]), one._replace(name=one.name[:LONGEST_NAME]))
    for one in first.values():
        seen[one.rule] += 1
        if seen[one.rule] <= MOST_OF_A_RULE:
            kept.append(one)
    return kept
