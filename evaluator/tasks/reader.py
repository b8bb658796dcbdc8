"""Reads and checks a task's config.yaml; reports every problem at once, with its key, what was seen and expected."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any, cast

from evaluator.errors import UsageError
from evaluator.tasks import derived, fields, tensors
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.relations import check_relations, read_relations
from evaluator.tasks.spec import (
    BASELINES,
    CATEGORIES,
    Axis,
    Case,
    EntryPoint,
    Input,
    Numbers,
    Output,
    Profile,
    TaskLimits,
    TaskSpec,
    Tolerance,
    task_digest,
    task_files,
    tasks_folder,
)

V1_OPTIONAL = ("compile_command", "correctness_command", "performance_command", "prompt", "target_file_path")
V1_KEYS = ("task_type", "source_file_path", "target_kernel_functions", *V1_OPTIONAL, "task_result_template", "arena")
PROMPT_KEYS = ("instructions", "cheatsheet", "source_code", "task_type", "output_format")  # the first two are used
MOST_PROMPT_CHARACTERS = 8000  # of either: our own sheets of a device and a language together have about as many
ARENA_KEYS = ("version", "entry", "editable", "axes", "cases", "inputs", "outputs", "model")
ARENA_OPTIONAL = ("tolerance", "atomic", "source", "provenance", "limits", "special_sets", "relations", "baselines")


def task_ids(root: Path | None = None) -> list[str]:
    """The ids of all task folders, sorted."""
    root = root or tasks_folder()
    return sorted(path.parent.relative_to(root).as_posix() for path in root.rglob("config.yaml"))


def load_task(task_id: str, root: Path | None = None) -> TaskSpec:
    """Read one task.

    Raises:
        UsageError: there is no such task.
        TaskError: the folder breaks the format; the error has every problem.
    """
    root, path = root or tasks_folder(), PurePosixPath(task_id)
    is_plain = path.as_posix() == task_id and not path.is_absolute() and ".." not in path.parts
    if not is_plain or not (root / path / "config.yaml").is_file():
        raise UsageError(f"no task is named {task_id!r}; `python -m evaluator tasks` lists them")
    return read_task(root / task_id, task_id)


def read_task(folder: Path, task_id: str) -> TaskSpec:
    """Read one task folder. Raises TaskError with every problem."""
    files, problems = task_files(folder), Problems(f"{task_id}/config.yaml")
    spec = _task(Fields.read(files.get("config.yaml", b""), problems), task_id, folder, files)
    problems.raise_if_any()
    return spec


def _task(top: Fields, task_id: str, folder: Path, files: dict[str, bytes]) -> TaskSpec:
    top.only(V1_KEYS)
    arena = top.mapping("arena")
    arena.only((*ARENA_KEYS, *ARENA_OPTIONAL))
    arena.choice("version", (1,))
    category = str(top.choice("task_type", tuple(CATEGORIES)))
    if category in CATEGORIES and task_id.split("/")[0] != category:
        top.problem("task_type", category, f"the first part of the task's id, {task_id!r}")
    axes = tuple(_axis(name, value) for name, value in arena.mapping("axes").children(tensors.NAME))
    names = {axis.name: axis for axis in axes}
    inputs = tuple(
        tensors.read_input(name, value, names) for name, value in arena.mapping("inputs").children(tensors.NAME)
    )
    found = arena.mapping("outputs").children(tensors.NAME)
    prompt = top.mapping("prompt", optional=True)
    prompt.only(PROMPT_KEYS)
    outputs = tuple(tensors.read_output(name, value, names, inputs, category) for name, value in found)
    cases = _cases(arena, axes)
    spec = TaskSpec(
        id=task_id,
        folder=folder,
        digest=task_digest(files),
        category=category,
        sources=_files(top, "source_file_path", files),
        kernels=top.strings("target_kernel_functions"),
        editable=_editable(arena, category),
        entry=_entry(arena.mapping("entry")),
        axes=axes,
        cases=cases,
        inputs=inputs,
        outputs=outputs,
        tolerance=_tolerance(arena.mapping("tolerance", optional=True), outputs, names),
        model_bytes=arena.mapping("model").expression("bytes", {*names, "itemsize"}),
        model_flops=arena.mapping("model").expression("flops", {*names, "itemsize"}),
        atomic=arena.boolean("atomic", False),
        source=arena.string("source", "arena"),
        provenance=_texts(arena.mapping("provenance", optional=True)),
        limits=_limits(arena.mapping("limits", optional=True)),
        special_sets=arena.strings("special_sets", ()),
        relations=read_relations(arena.mapping("relations", optional=True), outputs, names),
        baselines=read_baselines(arena, "baselines", category, set(files)) if "baselines" in arena else None,
        instructions=_for_agents(prompt, "instructions"),
        cheatsheet=_for_agents(prompt, "cheatsheet"),
    )
    _check_folder(spec, top, files)
    derived.check(spec, arena, files)
    check_relations(spec, arena, files)
    for case in cases:
        check_shapes(spec, case, arena)
        tensors.check_randomness(spec, case, arena)
    return spec


def _axis(name: str, value: Fields) -> Axis:
    kind = value.choice("kind", ("dim", "dtype", "layout", "flag"))
    value.only(("kind", "range", "multiple_of", "couplings") if kind == "dim" else ("kind", "values", "couplings"))
    couplings = tuple(value.expressions("couplings", None))
    if kind == "dim":
        low, high = value.pair("range")
        multiple = int(value.number("multiple_of", 1, low=1))
        return Axis(name, "dim", low, high, multiple, couplings=couplings)
    allowed: tuple[Any, ...] = {"dtype": tensors.DTYPES, "layout": tensors.LAYOUTS}.get(str(kind), (False, True))
    values = tuple(value.sequence("values")) if kind != "flag" else (False, True)
    for index, item in enumerate(values):
        if item not in allowed:
            value.problem(f"values.{index}", item, f"one of {', '.join(map(str, allowed))}")
    return Axis(name, cast(Any, kind), values=values, couplings=couplings)


def _cases(arena: Fields, axes: tuple[Axis, ...]) -> tuple[Case, ...]:
    cases: list[Case] = []
    for item in arena.items("cases"):
        item.only((*(axis.name for axis in axes), "profile"))
        case = read_case(item, axes)
        if any(case.id == other.id for other in cases):
            item.problem("", case.id, "a case that is not listed already")
        cases.append(case)
    return tuple(cases)


def read_case(item: Fields, axes: tuple[Axis, ...]) -> Case:
    """A case with one value for each axis, and its profile. Values that the contract does not allow become problems."""
    profile = cast(Profile, item.choice("profile", ("small", "full")))
    case = Case(tuple((axis.name, _axis_value(item, axis)) for axis in axes), profile)
    for coupling in (coupling for axis in axes for coupling in axis.couplings):
        if not fields.holds(coupling, case.numbers, item):
            item.problem("", case.id, f"{coupling.text} (coupling)")
    return case


def _axis_value(item: Fields, axis: Axis) -> int | str | bool:
    if axis.kind == "flag":
        return item.boolean(axis.name, None)
    if axis.kind != "dim":
        return str(item.choice(axis.name, axis.values))
    value = item.number(axis.name, None, low=axis.low, high=axis.high)
    if value % axis.multiple_of:
        item.problem(axis.name, value, f"a multiple of {axis.multiple_of}")
    return int(value)


def _tolerance(value: Fields, outputs: tuple[Output, ...], axes: dict[str, Axis]) -> dict[str, Tolerance]:
    found = {}
    for name, item in value.children(re.compile("|".join(tensors.DTYPES))):
        item.only(("c", "n", "tau", "because"))
        c, tau = item.number("c", None, low=0), item.number("tau", None, low=0)
        found[name] = Tolerance(float(c), item.expression("n", set(axes)), float(tau), item.string("because", None))
    for output in (one for one in outputs if one.unique and not isinstance(one.sampled, Numbers)):
        wanted = axes[output.dtype].values if output.dtype in axes else (output.dtype,)
        for dtype in map(str, wanted):
            if "float" in dtype and output.contract is None and dtype not in found:
                value.problem(dtype, None, f"a tolerance, since output {output.name} can have this dtype")
    return found


def _entry(value: Fields) -> EntryPoint:
    value.only(("function", "style", "prepare"))
    style = value.choice("style", ("return", "out"))
    return EntryPoint(value.string("function", None), cast(Any, style), value.boolean("prepare", False))


def read_baselines(where: Fields, key: str, category: str, files: set[str]) -> tuple[str, ...]:
    """The kinds of further baselines in a list; each but `compile` has a file of its own, baselines/<kind>.py."""
    kinds, has_module = where.strings(key, ()), category in CATEGORIES and CATEGORIES[category].starts_from_torch
    for index, kind in enumerate(kinds):
        place = f"{key}.{index}"
        if kind not in BASELINES or kind in kinds[:index]:
            where.problem(place, kind, f"one of {', '.join(BASELINES)}, each once")
        elif kind == "eager" and has_module:
            where.problem(place, kind, "another kind: the task's own baseline is eager")
        elif kind == "compile" and not has_module and "eager" not in kinds:
            where.problem(place, kind, "a module to compile: the kind eager beside it")
        elif kind != "compile" and f"baselines/{kind}.py" not in files:
            where.problem(place, kind, f"its file baselines/{kind}.py")
    return kinds


def _limits(value: Fields) -> TaskLimits:
    value.only(("build_s", "first_call_s", "call_s", "memory_mb"))
    given = {key: value.number(key, None, low=1, high=100_000) for key in value.raw if key in TaskLimits.__slots__}
    return TaskLimits(**cast(Any, given))


def _for_agents(prompt: Fields, key: str) -> str:
    """A text of the task's own that agents are shown; empty where it has none, as null says in v1."""
    if prompt.raw.get(key) is None:
        return ""
    text = prompt.string(key, None)
    if len(text) > MOST_PROMPT_CHARACTERS:
        prompt.problem(key, f"{len(text)} characters", f"at most {MOST_PROMPT_CHARACTERS}")
    return text


def _texts(value: Fields) -> dict[str, str]:
    return {name: value.string(name, None) for name in value.names(tensors.NAME)}


def _files(top: Fields, key: str, files: dict[str, bytes]) -> tuple[str, ...]:
    names = top.strings(key)
    for name in names:
        if name not in files:
            top.problem(key, name, "a file of the task folder")
    return names


def _editable(arena: Fields, category: str) -> tuple[str, ...]:
    names = arena.strings("editable")
    for name in names:
        if Path(name).name != name:
            arena.problem("editable", name, "a file name without folders")
    suffix = CATEGORIES[category].suffix
    if len(names) != 1 or not names[0].endswith(suffix):
        arena.problem("editable", list(names), f"one file that ends in {suffix}")
    return names


def _check_folder(spec: TaskSpec, top: Fields, files: dict[str, bytes]) -> None:
    wanted = {"reference.py", "description.md", *(f"expert/{name}" for name in spec.editable if not spec.is_plain)}
    for name in sorted(wanted - files.keys()):
        top.problem("(folder)", "no file", name)
    if spec.entry.style == "out" and any(output.varying for output in spec.outputs):
        top.problem("arena.entry.style", "out", "return, since what a call returns says how long a varying output is")
    if not spec.starts_from_torch and not set(spec.editable) <= set(spec.sources):
        top.problem("arena.editable", list(spec.editable), "files of source_file_path, which is the baseline to edit")
    if spec.starts_from_torch and set(spec.editable) & set(files):
        top.problem("arena.editable", list(spec.editable), "a file that does not exist yet: the agent writes it")


def check_shapes(spec: TaskSpec, case: Case, where: Fields) -> None:
    """Report shapes whose dimensions are not whole, non-negative numbers for this case."""
    items: tuple[Input | Output, ...] = (*spec.inputs, *spec.outputs)
    for item in items:
        for extent in item.shape:
            value = fields.value_or_problem(extent, case.numbers, where, f"{item.name}.shape")
            if value is not None and (value != int(value) or value < 0):
                where.problem(f"{item.name}.shape", f"{extent.text} = {value} for {case.id}", "a whole number ≥ 0")
