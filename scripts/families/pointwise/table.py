"""The table: one row an operator, in a file for each of the benchmark's categories, and what a row must hold."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping
from pathlib import Path

from evaluator.errors import TaskError
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.tensors import DTYPES, NAME
from scripts.families.layout import TableLoader, flow

CATEGORIES = ("Activation", "Math", "Fusion")
SHARED = "shared"  # of a file: values that several rows name by their anchor
REFERENCES, CANDIDATES = ("reference", "second"), ("right", "wrong")
KEYS = ("title", "description", "inputs", "outputs", "flops", "tolerance", "baseline", *REFERENCES, *CANDIDATES)
OPTIONAL = ("dtypes", "layouts", "flags", "couplings", "small", "full", "note")
PLACES = {"[cols]": "offsets % cols", "[rows, 1]": "offsets // cols"}  # of an input's element, by the input's shape
FLOATS = ("float32", "float16", "bfloat16")  # the dtypes where a row names none
SMALL = ("8x128 float32", "7x67 float32", "1x29 float32", "13x1 float32", "3x1023 float16", "2x2051 bfloat16")
FULL = ("4096x8192 float32", "8192x6144 float16", "4001x10007 float16", "4096x14336 bfloat16")
CASE = re.compile(r"(\d+)x(\d+)((?: \w+)*)")


KERNEL = ("tl", "libdevice", "offsets", "inside", "count", "cols")  # what a kernel knows beside its inputs
BUILT_IN = frozenset(dir(builtins))


def rows(problems: Problems, folder: Path = Path(__file__).parent) -> Mapping[str, Fields]:
    """Every right row by the id of its task. What is wrong with the others is added to the problems, with its file."""
    found, files = dict[str, Fields](), dict[str, str]()
    for category in CATEGORIES:
        own = Problems(f"{folder.name}/{category.lower()}.yaml")
        for name, row in _table(folder / f"{category.lower()}.yaml", own):
            before = len(own.lines)
            if name in files:
                row.problem("", name, f"a name of its own: {files[name]} has it too")
            files[name] = own.file
            _check(row)
            if len(own.lines) == before:
                found[f"torch2triton/kernelbenchx/{name}"] = Fields({**row.raw, "category": category}, name, own)
        problems.lines += own.lines
    return found


def _table(path: Path, problems: Problems) -> list[tuple[str, Fields]]:
    try:
        table = Fields.read(path.read_bytes(), problems, TableLoader)
    except TaskError as error:
        problems.lines += error.problems
        return []
    return list(Fields({name: row for name, row in table.raw.items() if name != SHARED}, "", problems).children(NAME))


def _check(row: Fields) -> None:
    """Report what the template could not write, or would write wrong; the task reader checks the rest."""
    row.only((*KEYS, *OPTIONAL))
    for key in ("title", "description"):
        row.string(key, None)
    row.string("note", "none")
    row.whole("flops", None, low=1, high=1_000_000)
    list(row.mapping("tolerance").children(NAME))
    outputs, inputs = [name for name, _ in row.mapping("outputs").children(NAME)], _inputs(row)
    if not outputs:
        row.problem("outputs", outputs, "at least one output")
    _check_code(row, "baseline", {*inputs, "torch"})
    for key in REFERENCES:
        part = _part(row, key, said=key != "reference")
        _check_code(part, "code", {*inputs, "math", "torch"})
        _check_values(part, len(outputs))
    flags = {name for name, value in inputs.items() if value.raw.get("scalar") in row.strings("flags", ())}
    pointers = {f"{name}_ptr" for name in (*inputs, *outputs)}
    known = {*(name.upper() if name in flags else name for name in inputs), *pointers, *KERNEL}
    for key in CANDIDATES:
        part = _part(row, key)
        missing = set(outputs) - _check_code(part, "code", known)
        if missing and "code" in part:
            part.problem("code", part.raw.get("code"), f"a value for {', '.join(sorted(missing))}")
    _check_cases(row)


def _inputs(row: Fields) -> dict[str, Fields]:
    """The inputs, whose shapes and flags are looked at."""
    found = dict(row.mapping("inputs").children(NAME))
    for value in found.values():
        if "shape" in value and flow(value.raw["shape"]) not in PLACES:
            value.problem("shape", value.raw["shape"], f"none, or one of {', '.join(PLACES)}")
    if all({"shape", "scalar"} & set(value.raw) for value in found.values()):
        row.problem("inputs", list(found), "a tensor without a shape, so of the output's")
    flags = row.strings("flags", ())
    for index, flag in enumerate(flags):
        if all(value.raw.get("scalar") != flag for value in found.values()):
            row.problem(f"flags.{index}", flag, "the scalar of an input")
    couplings = row.mapping("couplings", optional=True)
    couplings.only(flags)
    for flag in couplings.raw:
        couplings.strings(str(flag))
    return found


def _part(row: Fields, key: str, said: bool = True) -> Fields:
    """A code and, where it is not PyTorch's own, what its file says of it."""
    part = row.mapping(key)
    part.only(("says", "code") if said else ("code",))
    if said:
        part.string("says", None)
    return part


def _check_cases(row: Fields) -> None:
    dtypes = row.strings("dtypes", FLOATS)
    for index, dtype in enumerate(dtypes):
        if dtype not in DTYPES:
            row.problem(f"dtypes.{index}", dtype, f"one of {', '.join(DTYPES)}")
    layouts, flags = row.strings("layouts", ()), row.strings("flags", ())
    for key, usual in (("small", SMALL), ("full", FULL)):
        if not row.raw.get(key, usual):
            row.problem(key, row.raw[key], "at least one case")
            continue
        for index, text in enumerate(row.strings(key, usual)):
            match = CASE.fullmatch(text)
            words = match[3].split() if match else []
            named = sum(word in dtypes for word in words)
            is_right = match and len(words) == len(set(words)) and set(words) <= {*dtypes, *layouts, *flags}
            if not is_right or named != (len(dtypes) > 1) or sum(word in layouts for word in words) > 1:
                like = f"like 8x128 {dtypes[0]}" if len(dtypes) > 1 else "like 8x128"
                expected = f"{like}: sizes, the dtype if there are several, a layout, and any of {', '.join(flags)}"
                row.problem(f"{key}.{index}", text, expected if flags else expected.rpartition(",")[0])


def _check_values(part: Fields, outputs: int) -> None:
    """The last line of a reference is one value, or a tuple with one for each output."""
    last = str(part.raw.get("code", "")).strip().splitlines()[-1:]
    try:
        node = ast.parse("".join(last), mode="eval").body
    except SyntaxError:
        node = None
    values = len(node.elts) if isinstance(node, ast.Tuple) else 1
    if node is None or values != outputs:
        part.problem("code", "".join(last), f"a last line with the values of {outputs} outputs")


def _check_code(row: Fields, key: str, known: set[str]) -> set[str]:
    """The names that the code assigns; it may read those, the known ones and Python's own."""
    lines = row.string(key, None).splitlines()
    try:
        tree = ast.parse("\n".join(["def body():", *(f"    {line}" for line in lines or ["pass"])]))
    except SyntaxError as error:
        row.problem(key, lines[max(0, (error.lineno or 2) - 2)], f"Python: {error.msg}")
        return set()
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    assigned = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    if unknown := {node.id for node in names} - assigned - known - BUILT_IN:
        row.problem(key, ", ".join(sorted(unknown)), f"only names that are known there: {', '.join(sorted(known))}")
    return assigned
