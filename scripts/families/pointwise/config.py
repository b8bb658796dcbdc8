"""The `config.yaml` of an operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scripts.families.layout import entry, flow, sentence
from scripts.families.pointwise.operator import Argument, Operator
from scripts.families.pointwise.table import CASE, FULL, SMALL

ELEMENTS = {"offsets": "rows * cols", "offsets % cols": "cols", "offsets // cols": "rows"}  # of a tensor, by its place


def config(operator: Operator) -> str:
    parts = (_head, _axes, _cases, _tensors, _tolerance, _foot)
    return "\n".join(line for part in parts for line in part(operator)) + "\n"


def _head(operator: Operator) -> Iterator[str]:
    yield "task_type: torch2triton"
    yield "source_file_path: [module.py]"
    yield "target_kernel_functions: [forward]"
    yield "arena:"
    yield "  version: 1"
    yield "  entry: {function: forward, style: return}"
    yield f"  editable: [{operator.name}.py]"


def _axes(operator: Operator) -> Iterator[str]:
    yield "  axes:"
    yield "    rows: {kind: dim, range: [1, 65536]}"
    yield '    cols: {kind: dim, range: [1, 65536], couplings: ["rows * cols <= 2 ** 28"]}'
    if len(operator.dtypes) > 1:
        yield f"    dtype: {{kind: dtype, values: {flow(operator.dtypes)}}}"
    if operator.layouts:
        yield f"    layout: {{kind: layout, values: {flow(operator.layouts)}}}"
    couplings = operator.row.raw.get("couplings", {})
    for flag in operator.flags:
        yield f"    {flag}: {flow({'kind': 'flag'} | ({'couplings': couplings[flag]} if flag in couplings else {}))}"


def _cases(operator: Operator) -> Iterator[str]:
    yield "  cases:"
    for profile, usual in (("small", SMALL), ("full", FULL)):
        yield from (f"    - {flow(_case(operator, text, profile))}" for text in operator.row.strings(profile, usual))


def _case(operator: Operator, text: str, profile: str) -> dict[str, object]:
    """A case from its text: `8x128 bfloat16 padded approximate`."""
    match = CASE.fullmatch(text)
    assert match, text
    words = match[3].split()
    case: dict[str, object] = {"rows": int(match[1]), "cols": int(match[2])}
    if len(operator.dtypes) > 1:
        case["dtype"] = next(word for word in words if word in operator.dtypes)
    if operator.layouts:
        case["layout"] = next((word for word in words if word in operator.layouts), operator.layouts[0])
    return {**case, **{flag: flag in words for flag in operator.flags}, "profile": profile}


def _tensors(operator: Operator) -> Iterator[str]:
    yield "  inputs:"
    for item in operator.arguments:
        yield from entry(item.name, _input(operator, item), 4)
    yield "  outputs:"
    for name, given in operator.outputs.items():
        yield from entry(name, {"shape": ["rows", "cols"], "dtype": operator.dtype, **given}, 4)


def _input(operator: Operator, item: Argument) -> dict[str, Any]:
    if not item.is_tensor:
        return dict(item.given)
    layout = {"layout": "layout"} if operator.layouts and "shape" not in item.given else {}
    return {"shape": ["rows", "cols"], "dtype": operator.dtype, **layout, **item.given}


def _tolerance(operator: Operator) -> Iterator[str]:
    tolerance = operator.part("tolerance")
    yield "  tolerance:" if tolerance else "  tolerance: {}"
    yield from (f"    {dtype}: {flow(bounds)}" for dtype, bounds in tolerance.items())


def _foot(operator: Operator) -> Iterator[str]:
    flops = int(operator.row.raw["flops"])
    work = {"bytes": _bytes(operator), "flops": f"{flops} * rows * cols" if flops > 1 else "rows * cols"}
    yield f"  model: {flow(work)}"
    if any(item.is_drawn for item in operator.arguments):
        yield "  baselines: []  # torch.compile would compile anew for the numbers of every call"
    yield "  source: kernelbenchx"
    counterpart = {"benchmark": "KernelBench-X", "path": f"{operator.category}/{operator.name}.py"}
    counterpart["operator_type"] = operator.category
    if "note" not in operator.row.raw:
        yield f"  provenance: {flow(counterpart)}"
        return
    yield "  provenance:"
    yield from (f"    {key}: {text}" for key, text in counterpart.items())
    yield f"    note: {sentence(operator.text('note'))}"


def _bytes(operator: Operator) -> str:
    """Every element of inputs and outputs once; those with a dtype of their own (bool, int8) are one byte each."""
    sizes = [(ELEMENTS[item.place], "dtype" in item.given) for item in operator.tensors]
    sizes += [("rows * cols", "dtype" in given) for given in operator.outputs.values()]
    terms = []
    for elements, is_a_byte in dict.fromkeys(sizes):
        count = sizes.count((elements, is_a_byte))
        terms.append(f"{f'{count} * ' if count > 1 else ''}{elements}{'' if is_a_byte else ' * itemsize'}")
    return " + ".join(terms)
