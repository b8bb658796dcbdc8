"""Reads files of predictions, JSON a line: ours, {"task", "files"}, and KernelBench-X's, {"predict", "file"}.

A file is read whole before any line of it counts, so that all its problems are reported at once. KernelBench-X's names
lead to the tasks that are after its own; its `predict` is a model's answer, from which the source is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.agents.fenced_files import FENCE, blocks_of, lines_of
from evaluator.errors import TaskError, UsageError
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.spec import TaskSpec, tasks_folder
from evaluator.wording import counted

MAX_FILE_BYTES = 1 << 30
MAX_LINE_BYTES = 32 << 20  # far more than any model writes; a line is read whole
MOST_PROBLEMS = 50  # that are reported one by one
BENCHMARK = "KernelBench-X"
END_TOKENS = ("<|im_end|>", "<|EOT|>")
DEFINED = re.compile(r"^(?:def[ \t]+(\w+)[ \t]*\(|(\w+)[ \t]*=)", re.MULTILINE | re.ASCII)
FORMS = '{"task": …, "files": {name: text}} or KernelBench-X\'s {"predict": text, "file": "Category/name.py"}'


@dataclass(frozen=True, slots=True)
class Prediction:
    files: Mapping[str, str]  # by the names of the task's editable files
    note: str | None  # what is known to be wrong with it, before it is judged


class _Line(NamedTuple):
    number: int
    repeat: int | None  # None: it is for every repeat
    begin: int  # in the file, in bytes
    end: int


def prediction_of(source: Path, task: TaskSpec, repeat: int) -> Prediction | None:
    """The prediction for a task and repeat; None where the file has none.

    Raises:
        UsageError: with every problem of the file.
    """
    facts = source.stat()
    for line in _index(source, facts.st_size, facts.st_mtime_ns, tasks_folder()).get(task.id, ()):
        if line.repeat in (None, repeat):
            with source.open("rb") as file:
                file.seek(line.begin)
                return _prediction(json.loads(_text(file.read(line.end - line.begin))), task)
    return None


def source_in(answer: str) -> str:
    """The source in a model's answer: its fenced block, the longest of several; without one, the whole text.

    Marks of a conversation's end are left out, and fences that nothing closes.
    """
    for token in END_TOKENS:
        answer = answer.replace(token, "")
    longest = max((block.text for block in blocks_of(answer)), key=len, default="")
    return longest if longest.strip() else "".join(f"{line}\n" for line in lines_of(answer) if not FENCE.match(line))


def _prediction(raw: Any, task: TaskSpec) -> Prediction:
    if (files := _files_of_ours(raw)) is not None:
        return Prediction(files, None)
    name = task.editable[0]
    text = source_in(raw["predict"])
    defined = {found for match in DEFINED.finditer(text) for found in match.groups() if found}
    if not text.strip() or task.entry.function in defined:
        return Prediction({name: text}, None)
    theirs = [one for one in (Path(raw["file"]).stem, "kernel_function") if one in defined]
    has = f"{' and '.join(theirs)}, as {BENCHMARK} calls it, and no" if theirs else "no"
    note = f"{raw['file']} defines {has} {task.entry.function}, which this task calls with inputs of its own"
    return Prediction({name: text}, note)


@lru_cache(maxsize=4)  # a run asks for each of its tasks
def _index(source: Path, size: int, changed_ns: int, tasks: Path) -> Mapping[str, list[_Line]]:
    """The lines about each task. `size` and `changed_ns` tell one state of the file from another."""
    if size > MAX_FILE_BYTES:
        raise UsageError(f"{source} is larger than {MAX_FILE_BYTES} bytes")
    found, problems = dict[str, list[_Line]](), list[str]()
    for number, begin, end, data in _lines(source):
        try:
            task_id, repeat = _about(json.loads(_text(data)), tasks)
        except (ValueError, RecursionError) as error:
            problems.append(f"{source}:{number}: {error}")
            continue
        before = found.setdefault(task_id, [])
        same = next((one for one in before if None in (one.repeat, repeat) or one.repeat == repeat), None)
        if same is not None:
            problems.append(f"{source}:{number}: another prediction for {task_id}, after the one in line {same.number}")
        before.append(_Line(number, repeat, begin, end))
    if problems:
        rest = len(problems) - MOST_PROBLEMS
        more = [f"and {counted(rest, 'further problem')}"] if rest > 0 else []
        raise UsageError("\n".join([*problems[:MOST_PROBLEMS], *more]))
    return found


def _lines(source: Path) -> Iterator[tuple[int, int, int, bytes]]:
    """Number, begin, end and bytes of each line that is not blank."""
    with source.open("rb") as file:
        begin = 0
        for number, line in enumerate(iter(partial(file.readline, MAX_LINE_BYTES + 1), b""), 1):
            if len(line) > MAX_LINE_BYTES:
                raise UsageError(f"{source}:{number}: longer than {MAX_LINE_BYTES} bytes")
            if line.strip():
                yield number, begin, begin + len(line), line
            begin += len(line)


def _about(raw: Any, tasks: Path) -> tuple[str, int | None]:
    """Which task and repeat a line is about. Raises ValueError with the reason why it is about none."""
    if _files_of_ours(raw) is not None:
        return raw["task"], _repeat(raw)
    match raw:
        case {"predict": str(), "file": str(path)}:
            if path not in (known := _tasks_by_path(tasks)):
                raise ValueError(f"no task is after {BENCHMARK}'s {path!r:.100}")
            return known[path], _repeat(raw)
        case {"predict": str()}:
            raise ValueError('a prediction without "file", and its text alone does not say for which task it is')
    raise ValueError(f"expected {FORMS}")


def _files_of_ours(raw: Any) -> Mapping[str, str] | None:
    """The files of a line in our form; None where it has another."""
    match raw:
        case {"task": str(), "files": dict(files)} if all(isinstance(text, str) for text in files.values()):
            return files
    return None


def _repeat(raw: Mapping[str, Any]) -> int | None:
    match raw.get("repeat"):
        case None:
            return None
        case int(repeat) if not isinstance(repeat, bool) and repeat >= 0:
            return repeat
    raise ValueError(f"repeat: seen {raw['repeat']!r:.100}; expected a whole number from 0")


@lru_cache(maxsize=2)
def _tasks_by_path(tasks: Path) -> Mapping[str, str]:
    """The id of each task after one of KernelBench-X's, by the other's path."""
    found = {}
    for task_id in task_ids(tasks):
        try:
            about = load_task(task_id, tasks).provenance
        except TaskError:  # of another task: whoever runs that one is told
            continue
        if about.get("benchmark") == BENCHMARK and about.get("path"):
            found[about["path"]] = task_id
    return found


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig")
