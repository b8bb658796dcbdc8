"""Whether a candidate answered the task's questions or its own: what each side's run was asked, compared.

Where the editable file also holds inputs, sizes or the check itself, a candidate can set its own exam. What the
untouched file is asked, by inside/asked, is what every candidate must be asked, and its answers must be close to its.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Mapping
from itertools import chain
from typing import NamedTuple

from evaluator.mounted.checkout import MountedTask

CLOSE = 0.05  # of the largest sample: a candidate may compute in another order or precision, not something else
SHOWN = 160


class Asked(NamedTuple):
    """One call: the function with the forms of its arguments, a digest of their contents, and samples of the answer."""

    question: str
    before: str
    after: tuple[float, ...]


Exam = tuple[Asked, ...]
Part = Mapping[str, tuple[float, ...]]


def read_exam(data: bytes | None) -> Exam:
    """The calls that an observed command noted; a line that is not in the form was written by the candidate."""
    found = list[Asked]()
    for line in (data or b"").splitlines():
        try:
            raw = json.loads(line)
            found.append(Asked(str(raw["question"]), str(raw["before"]), tuple(map(float, raw["after"]))))
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
            found.append(Asked("a line that the observer did not write", "", ()))
    return tuple(found)


def difference(ours: Exam, theirs: Exam, again: Callable[[], Exam]) -> str | None:
    """How the candidate's exam differs from that of the untouched file, or why nobody can tell; None if it does not.

    `again` runs the untouched file once more: what differs there too, as unseeded inputs do, cannot be compared.
    """
    for what, part in (("calls", _questions), ("contents", _contents), ("answers", _answers)):
        if found := _different(part(ours), part(theirs)):
            if _different(part(ours), part(again())):
                return f"{what} of the untouched file differ from run to run, so a candidate's cannot be compared"
            return f"{what} differ from those of the untouched file: {found[:SHOWN]}"
    return None


def lends_more(task: MountedTask, exam: Exam) -> bool:
    """Whether scripts use more of the editable files than the functions that they call with tensors."""
    used = {asked.question.partition("(")[0].partition(".")[0] for asked in exam if asked.after}
    scripts = "\n".join(
        data.decode(errors="replace")
        for name, data in task.files.items()
        if name.endswith(".py") and name not in task.editable
    )
    return any(re.search(rf"\b{re.escape(name)}\b", scripts) for name in _defined(task) - used)


def _defined(task: MountedTask) -> set[str]:
    """Names at the top of the editable files, without kernels: `@triton.jit` and its like."""
    names = set[str]()
    for name in task.editable:
        try:
            statements = ast.parse(task.files[name]).body if name.endswith(".py") and name in task.files else []
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in statements:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                if not any("jit" in ast.unparse(decorator) for decorator in node.decorator_list):
                    names.add(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                walked = chain.from_iterable(map(ast.walk, targets))
                names |= {target.id for target in walked if isinstance(target, ast.Name)}
    return names


def _questions(exam: Exam) -> Part:
    return {asked.question: () for asked in exam}


def _contents(exam: Exam) -> Part:
    return {f"{asked.question}, contents {asked.before}": () for asked in exam}


def _answers(exam: Exam) -> Part:
    return {f"{asked.question}, contents {asked.before}": asked.after for asked in exam}


def _different(ours: Part, theirs: Part) -> str | None:
    if more := sorted(theirs.keys() - ours.keys()):
        return f"it was asked {more[0]}"
    if missing := sorted(ours.keys() - theirs.keys()):
        return f"it was not asked {missing[0]}"
    return next((f"another answer to {name}" for name in ours if not _are_close(ours[name], theirs[name])), None)


def _are_close(ours: tuple[float, ...], theirs: tuple[float, ...]) -> bool:
    if len(ours) != len(theirs):
        return False
    allowed = CLOSE * max((abs(one) for one in ours if math.isfinite(one)), default=0.0)
    return all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= allowed for a, b in zip(ours, theirs, strict=True)
    )
