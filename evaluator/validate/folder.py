"""Checks of a task's files and contract that run none of its code."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from evaluator.errors import TaskError
from evaluator.judge.reference import SECOND
from evaluator.tasks.spec import CATEGORIES, ITEMSIZE, Axis, AxisValue, Case, Profile, TaskSpec, task_digest, task_files
from evaluator.tasks.suites import read_manifest, suite_names
from evaluator.unseen.generate import core_cases
from evaluator.validate.subject import Subject
from evaluator.wording import counted

LEAST_SMALL, LEAST_FULL = 5, 3
LEAST_WORDS = 40  # of a description
SECRETS = (b"one", b"two", b"three", b"four")  # four rounds
FENCE = " :#\"'{}"  # around a TODO
VARIANTS = {"wrong": "wrong_output", "right": "passed", "better": "passed"}
PLAIN_VARIANTS = {"wrong": "wrong_output"}
SOLVED_VARIANTS = PLAIN_VARIANTS | {"right": "passed"}  # where the baseline is no candidate: the task can be solved
FOLDERS = "home|root|Users|work|workspace|tmp|opt|mnt|srv|data|scratch|usr|var"  # at the root of a file system
PRIVATE = {
    "an absolute path": re.compile(rf"(?m)(?:^|[^\w.)/]|:/{{0,2}})/(?:{FOLDERS})/\w|\b[A-Z]:\\\w|(?:^|\W)~/\w"),
    "a mail address": re.compile(r"\b[\w.+-]+@[\w-]+\.\w{2,}\b"),
    "an address of a host": re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b"),
    "a key": re.compile(r"-----BEGIN|\b(?:ghp_|github_pat_|hf_|glpat-|xox[abp]-|AKIA)\w{8,}|\bsk-[\w-]{16,}"),
    "a secret": re.compile(
        r"""(?i)(?:password|passwd|secret|api_?key|token)\w*["']?\s*(?::\s*str\s*)?[:=]\s*["'][^"']{6,}["']"""
    ),
}  # fmt: skip
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def digest(subject: Subject) -> Iterator[str]:
    """The folder did not change meanwhile, and every suite with the task has its current digest."""
    task = subject.task
    if task_digest(task_files(task.folder)) != task.digest:
        yield "the folder changed while it was validated"
    for name in suite_names():
        frozen = read_manifest(name)[1].get(task.id, task.digest)
        if frozen != task.digest:
            yield f"suite {name} has digest {frozen[:12]}, the task {task.digest[:12]}; run `tasks --freeze {name}`"


def to_do(subject: Subject) -> Iterator[str]:
    """No TODO is left, and the description is long enough."""
    for name, data in task_files(subject.task.folder).items():
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if "TODO" in line:
                yield f"{name}:{number}: {line.partition('TODO')[2].strip(FENCE)}"
    if len(subject.task.description.split()) < LEAST_WORDS:
        yield f"description.md has fewer than {LEAST_WORDS} words"


def private(subject: Subject) -> Iterator[str]:
    """No file contains a path, an address or a secret of the machine that it was written on."""
    for name, data in task_files(subject.task.folder).items():
        text = data.decode("utf-8", "replace")
        for what, pattern in PRIVATE.items():
            for found in pattern.finditer(text):
                yield f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {what}: {found.group().strip()[:40]}"


def candidates(subject: Subject) -> Iterator[str]:
    """Expert and variants have only the editable file, all with different code, and variants state their status."""
    task = subject.task
    found = {name: _text(task.folder / "variants" / name / "expected") for name in task.variants}
    if found != (wanted := variants_of(task.category, is_plain=task.is_plain)):
        yield f"variants/*/expected: seen {found}; expected {wanted}{' of a plain task' if task.is_plain else ''}"
    experts = () if task.is_plain else ("expert",)
    for name in (*experts, *(f"variants/{variant}" for variant in task.variants)):
        files = {path.name for path in (task.folder / name).iterdir() if path.name != "__pycache__"}
        if files - {"expected"} != set(task.editable):
            yield f"{name}: seen {sorted(files)}; expected {list(task.editable)}"
    codes: dict[str, str] = {}
    for path in (path for name in task.editable for path in sorted(task.folder.rglob(name))):
        name, code = path.relative_to(task.folder).as_posix(), _code(path)
        if code in codes:
            yield f"{name} has the same code as {codes[code]}"
        codes[code] = name


def variants_of(category: str, *, is_plain: bool) -> Mapping[str, str]:
    """The variants that a task must have, each with the status that it gets."""
    if not is_plain:
        return VARIANTS
    return SOLVED_VARIANTS if CATEGORIES[category].starts_from_torch else PLAIN_VARIANTS


def names(subject: Subject) -> Iterator[str]:
    """The baseline defines the entry function and the kernels that the task names."""
    text = "\n".join(_text(subject.task.folder / name) for name in subject.task.sources)
    for name in (subject.task.entry.function, *subject.task.kernels):
        if f" {name}(" not in text:
            yield f"{name}: not in {', '.join(subject.task.sources)}"


def cases(subject: Subject) -> Iterator[str]:
    """There are enough cases of both profiles, some with odd sizes, and with all dtypes, layouts and flags."""
    task = subject.task
    for profile, least in (("small", LEAST_SMALL), ("full", LEAST_FULL)):
        those = [case for case in task.cases if case.profile == profile]
        if len(those) < least:
            yield f"{counted(len(those), f'{profile} case')}; expected at least {least}"
        if not any(value % 2 and value > 1 for case in those for value in case.numbers.values()):
            yield f"no {profile} case has an odd size"
        for axis in (axis for axis in task.axes if axis.kind != "dim"):
            missing = set(axis.values) - {case.value(axis.name) for case in those}
            if missing and (profile == "small" or axis.kind == "dtype"):
                yield f"no {profile} case has {axis.name} {', '.join(sorted(map(str, missing)))}"


def unseen(subject: Subject) -> Iterator[str]:
    """The contract leaves room for the unseen cases of rounds, whatever their secret is."""
    profiles: tuple[Profile, ...] = ("small", "full")
    for profile, secret in product(profiles, SECRETS):
        try:
            core_cases(subject.task, secret, profile)
        except TaskError as error:
            yield from error.problems


def model(subject: Subject) -> Iterator[str]:
    """Bytes and operations are finite, and the bytes include at least all outputs that are not also inputs."""
    task = subject.task
    for case in task.cases:
        moved, operations = task.work_of(case)
        if not all(map(math.isfinite, (moved, operations))) or moved <= 0 or operations < 0:
            yield f"{case.id}: {moved} bytes, {operations} operations"
        written = sum(
            math.prod(int(extent.value(case.numbers)) for extent in output.shape)
            * ITEMSIZE[task.dtype_of(output.dtype, case)]
            for output in task.outputs
            if not output.may_alias and not output.varying
        )
        if moved < written:
            yield f"{case.id}: {moved:g} bytes moved, fewer than the {written} bytes of the outputs"


def axes(subject: Subject) -> Iterator[str]:
    """Each axis with several values has several values among the cases, and changes the work.

    Axes that are passed as numbers are tested by the check `inputs` instead; one that a renewal names may count ids.
    """
    task = subject.task
    numbers = {name for item in task.inputs if item.scalar for name in item.scalar.names}
    numbers |= {name for item in task.derived if item.derived for name in item.derived.axes}
    for axis in (axis for axis in task.axes if len(axis.values) != 1):
        if len({case.value(axis.name) for case in task.cases}) < 2:
            yield f"{axis.name}: all cases have the value {task.cases[0].value(axis.name)}"
        if axis.name not in numbers and is_silent(task, axis):
            yield f"{axis.name}: no other value changes inputs, outputs, bytes or operations of any case"


def is_silent(task: TaskSpec, axis: Axis) -> bool:
    """Whether an axis affects no shape, dtype, layout, bytes or operations of any case."""
    pairs = ((case, other) for case in task.cases for other in others(task, case, axis))
    return all(_work(task, case) == _work(task, other) for case, other in pairs)


def is_copy(task: TaskSpec) -> bool:
    """Whether the second reference has the same code as the first."""
    first, second = task.folder / "reference.py", task.folder / SECOND
    if second.is_file():
        return _code(first) == _code(second)
    bodies = {node.name: node.body for node in ast.parse(_text(first)).body if isinstance(node, ast.FunctionDef)}
    one, other = ([*map(ast.dump, bodies[name])] for name in ("reference", "second_opinion"))
    return one == other


def others(task: TaskSpec, case: Case, axis: Axis) -> Iterator[Case]:
    """The case with other allowed values of one axis."""
    seen = [other.value(axis.name) for other in task.cases]
    near = (axis.low, axis.high, int(case.value(axis.name)) + axis.multiple_of) if axis.kind == "dim" else axis.values
    for value in dict.fromkeys([*seen, *near]):
        other = Case(tuple((name, value if name == axis.name else old) for name, old in case.axes), case.profile)
        if value != case.value(axis.name) and _is_allowed(task, other, axis, value):
            yield other


def _is_allowed(task: TaskSpec, case: Case, axis: Axis, value: AxisValue) -> bool:
    if axis.kind == "dim" and not (axis.low <= int(value) <= axis.high and int(value) % axis.multiple_of == 0):
        return False
    return all(coupling.value(case.numbers) for every in task.axes for coupling in every.couplings)


def _work(task: TaskSpec, case: Case) -> tuple[object, ...]:
    """Shapes, dtypes and layouts of inputs and outputs, and the bytes and operations of a case."""
    inputs = tuple(
        None
        if item.when and not case.value(item.when)
        else (
            tuple(extent.value(case.numbers) for extent in item.shape),
            task.dtype_of(item.dtype, case),
            dict(case.axes).get(item.layout, item.layout),
        )
        for item in task.inputs
    )
    outputs = tuple(
        (tuple(extent.value(case.numbers) for extent in output.shape), task.dtype_of(output.dtype, case))
        for output in task.outputs
    )
    return inputs, outputs, task.work_of(case)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""


def _code(path: Path) -> str:
    """A source without docstring and comments, which make no difference between two codes."""
    text = _text(path)
    if path.suffix == ".py":
        return ast.dump(ast.Module(ast.parse(text).body[1:], []))
    return "".join(COMMENT.sub("", text).split())
