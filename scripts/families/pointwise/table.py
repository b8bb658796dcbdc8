"""The table: one row an operator, in a file for each of the benchmark's categories, and what a row must hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.tensors import DTYPES, NAME
from scripts.families.layout import TableLoader

CATEGORIES = ("Activation", "Math", "Fusion")
SHARED = "shared"  # of a file: values that several rows name by their anchor
CODES: Mapping[str, str | None] = {"reference": None, "second": "by", "wrong": "because"}  # what is said beside them
KEYS = ("title", "description", "inputs", "outputs", "flops", "tolerance", "baseline", "kernel", *CODES)
OPTIONAL = ("dtypes", "layouts", "flags", "couplings", "small", "full", "note")
FLOATS = ("float32", "float16", "bfloat16")  # the dtypes where a row names none
SMALL = ("8x128 float32", "7x67 float32", "1x29 float32", "13x1 float32", "3x1023 float16", "2x2051 bfloat16")
FULL = ("4096x8192 float32", "8192x6144 float16", "4001x10007 float16", "4096x14336 bfloat16")
CASE = re.compile(r"(\d+)x(\d+)((?: \w+)*)")


def rows(problems: Problems, folder: Path = Path(__file__).parent) -> Mapping[str, Fields]:
    """Every row by the id of its task. What is wrong with a row is added to the problems."""
    found = dict[str, Fields]()
    for category in CATEGORIES:
        text = (folder / f"{category.lower()}.yaml").read_bytes()
        table = Fields.read(text, problems, TableLoader)
        for name, row in Fields({**table.raw, SHARED: {}}, "", problems).children(NAME):
            if name != SHARED:
                _check(row)
                found[f"torch2triton/kernelbenchx/{name}"] = Fields({**row.raw, "category": category}, name, problems)
    return found


def _check(row: Fields) -> None:
    """Report what the template could not write, or would write wrong; the task reader checks the rest."""
    row.only((*KEYS, *OPTIONAL))
    row.string("title", None)
    row.string("description", None)
    row.number("flops", None, low=1)
    for key in ("outputs", "tolerance"):
        list(row.mapping(key).children(NAME))
    for key in ("baseline", "kernel"):
        _check_code(row, key)
    for key, beside in CODES.items():
        part = row.mapping(key)
        part.only(("code", *([beside] if beside else [])))
        _check_code(part, "code")
        if beside:
            part.string(beside, None)
    for key in ("reference", "second"):
        _check_values(row.mapping(key, optional=True), len(row.mapping("outputs", optional=True).raw))
    inputs = row.mapping("inputs")
    if all({"shape", "scalar"} & set(value.raw) for _, value in inputs.children(NAME)):
        row.problem("inputs", list(inputs.raw), "a tensor without a shape, so of the output's")
    _check_cases(row)


def _check_cases(row: Fields) -> None:
    dtypes = row.strings("dtypes", FLOATS)
    for index, dtype in enumerate(dtypes):
        if dtype not in DTYPES:
            row.problem(f"dtypes.{index}", dtype, f"one of {', '.join(DTYPES)}")
    words = {*dtypes, *row.strings("layouts", ()), *row.strings("flags", ())}
    for key, usual in (("small", SMALL), ("full", FULL)):
        for index, text in enumerate(row.strings(key, usual)):
            match = CASE.fullmatch(text)
            used = set(match[3].split()) if match else set()
            if not match or used - words or (len(dtypes) > 1 and not used & set(dtypes)):
                expected = f"like 8x128 {dtypes[0]}: sizes, dtype, and any of {', '.join(sorted(words - {*dtypes}))}"
                row.problem(f"{key}.{index}", text, expected)


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


def _check_code(row: Fields, key: str) -> None:
    lines = row.string(key, None).splitlines()
    try:
        ast.parse("\n".join(["def body():", *(f"    {line}" for line in lines or ["pass"])]))
    except SyntaxError as error:
        row.problem(key, lines[max(0, (error.lineno or 2) - 2)], f"Python: {error.msg}")
