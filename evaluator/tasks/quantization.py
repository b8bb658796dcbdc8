"""Reads the key `contract` of an output: which inputs are quantised, and the printed thresholds of three measures."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evaluator.tasks.fields import Fields
from evaluator.tasks.spec import FORMS, Axis, Category, Groups, Input, Quantization

KEYS = ("quantised", "cosine", "l1", "rmse", "requires", "because")
NAME = re.compile(r"[a-z][a-z0-9_]*")


def read_contract(
    output: Fields, axes: Mapping[str, Axis], inputs: tuple[Input, ...], category: Category | None
) -> Quantization:
    """Read the contract of an output whose dtype and shape are read elsewhere."""
    value = output.mapping("contract")
    value.only(KEYS)
    if not _is_float(dtype := output.raw.get("dtype"), axes):
        output.problem("dtype", dtype, "a floating dtype, of what is computed from quantised inputs")
    tensors = (item for item in inputs if not item.is_number and not item.complex)
    known = {item.name: item for item in tensors if _is_float(item.dtype, axes)}
    quantised = tuple(_groups(name, item, known) for name, item in value.mapping("quantised").children(NAME))
    if not quantised and "quantised" in value:
        value.problem("quantised", value.raw["quantised"], "at least one input")
    requires = value.strings("requires", ())
    for index, name in enumerate(requires):
        if name not in FORMS:
            value.problem(f"requires.{index}", name, f"one of {', '.join(FORMS)}")
    if requires and category and category.language != "triton":
        value.problem("requires", list(requires), "nothing: only sources with Triton kernels are read for it")
    return Quantization(
        quantised,
        cosine=value.number("cosine", None, low=0, high=1),
        l1=value.number("l1", None, low=0, high=1),
        rmse=value.number("rmse", None, low=0),
        requires=requires,
        because=value.string("because", None),
    )


def _is_float(dtype: object, axes: Mapping[str, Axis]) -> bool:
    values = axes[dtype].values if isinstance(dtype, str) and dtype in axes else (dtype,)
    return all("float" in str(one) for one in values)


def _groups(name: str, value: Fields, inputs: Mapping[str, Input]) -> tuple[str, Groups]:
    value.only(("bits", "along", "group"))
    given = inputs.get(name)
    if given is None:
        value.problem("", name, "the name of an input tensor of floats")
    rank = len(given.shape) if given is not None else 0
    bits = value.whole("bits", None, low=2, high=8)
    along = value.sequence("along")
    if any(type(axis) is not int or not 0 <= axis < rank for axis in along) or len(set(along)) < len(along):
        value.problem("along", along, f"different dimensions of the input, from 0 to {rank - 1}")
        along = [0]
    size = value.whole("group", None, low=2, high=2**20) if "group" in value else None
    if size is not None and len(along) != 1:
        value.problem("group", size, "no group, or one dimension in along")
    return name, Groups(bits, tuple(along), size)
