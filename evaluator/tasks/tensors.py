"""Reads what config.yaml says of one input or output: its shape and dtype, how it is drawn, and how it is judged."""

from __future__ import annotations

import math
import re
from typing import Any, cast

from evaluator.tasks import derived, fields
from evaluator.tasks.fields import Fields
from evaluator.tasks.float8 import check_range
from evaluator.tasks.quantization import read_contract
from evaluator.tasks.spec import CATEGORIES, ITEMSIZE, Axis, Case, Dropout, Input, Numbers, Output, Sampled, TaskSpec

DTYPES = tuple(ITEMSIZE)
FLOATS = ("float64", "float32", "float16", "bfloat16")  # of random outputs
LAYOUTS = ("contiguous", "transposed", "padded")
DISTRIBUTIONS = {"normal": 2, "uniform": 2, "integers": 2, "bernoulli": 1, "permutation": 1}  # kind: its parameters
NUMBERS = ("uniform", "integers")  # the distributions of a drawn number
RULES = ("sampled", "dropout", "varying", "unique", "contract")  # of outputs that equality alone does not judge
DEFAULTS = {"varying": False, "unique": True, "complex": False, "identity": False, "nan": "forbidden"}
BESIDE_NO_RULE = ("complex", "identity", "nan")  # but varying
OUTPUT_KEYS = ("shape", "dtype", "may_alias", "identity", "nan", "complex", *RULES)
LEAST_SEEDS = 2**20  # values of a seed, as of drawn numbers: timed calls should not have one twice
NAME = re.compile(r"[a-z][a-z0-9_]*")


def read_input(name: str, value: Fields, axes: dict[str, Axis]) -> Input:
    if isinstance(value.raw.get("scalar"), dict):
        return _drawn_number(name, value, axes)
    if "scalar" in value:
        value.only(("scalar",))
        kind = "int" if isinstance(value.raw["scalar"], int | str) else "float"
        return Input(name, scalar=value.expression("scalar", set(axes)), scalar_kind=cast(Any, kind))
    made = "derived" in value
    drawn = ("derived",) if made else ("distribution", "special", "static")
    value.only(("shape", "dtype", "layout", "mutable", "when", "complex", *drawn))
    special = value.mapping("special", optional=True)
    dtype = _axis_or(value, "dtype", DTYPES, axes, "dtype", None)
    check_range(special, axes[dtype].values if dtype in axes else (dtype,))
    return Input(
        name,
        shape=tuple(value.expressions("shape", set(axes), required=True)),
        dtype=dtype,
        layout=_axis_or(value, "layout", LAYOUTS, axes, "layout", "contiguous"),
        distribution=("normal", ()) if made else _distribution(value.mapping("distribution"), set(axes)),
        special=tuple((key, special.numbers(key)) for key in special.names(NAME)),
        static=value.boolean("static", False),
        mutable=value.boolean("mutable", False),
        when=_axis_or(value, "when", (), axes, "flag", None) if "when" in value else None,
        derived=derived.read_renewal(value, axes) if made else None,
        complex=_complex(value, axes),
    )


def _drawn_number(name: str, value: Fields, axes: dict[str, Axis]) -> Input:
    value.only(("scalar", "special"))
    distribution = _distribution(value.mapping("scalar"), set(axes), of=NUMBERS)
    kind, special = "int" if distribution[0] == "integers" else "float", value.mapping("special", optional=True)
    alphabets = tuple((key, special.numbers(key)) for key in special.names(NAME))
    for key, values in alphabets:
        if not all(math.isfinite(one) and (kind == "float" or one.is_integer()) for one in values):
            special.problem(key, special.raw[key], f"{'whole' if kind == 'int' else 'finite'} numbers")
    return Input(name, distribution=distribution, special=alphabets, drawn=True, scalar_kind=cast(Any, kind))


def _distribution(
    value: Fields, axes: set[str], of: tuple[str, ...] = tuple(DISTRIBUTIONS)
) -> tuple[str, tuple[Any, ...]]:
    kinds = [kind for kind in of if kind in value]
    if len(kinds) != 1 or len(value.raw) != 1:
        value.problem("", value.raw, f"exactly one of {', '.join(of)}")
        return "normal", ()
    parameters = tuple(value.expressions(kinds[0], axes, required=True))
    if len(parameters) != DISTRIBUTIONS[kinds[0]]:
        value.problem(kinds[0], value.raw[kinds[0]], f"{DISTRIBUTIONS[kinds[0]]} numbers")
    return kinds[0], parameters


def read_output(name: str, value: Fields, axes: dict[str, Axis], inputs: tuple[Input, ...], category: str) -> Output:
    value.only(OUTPUT_KEYS)
    aliases = value.strings("may_alias", ())
    _check_rules(value)
    for alias in aliases:
        if alias not in {item.name for item in inputs}:
            value.problem("may_alias", alias, "the name of an input")
    return Output(
        name,
        shape=tuple(value.expressions("shape", set(axes), required=True)),
        dtype=_axis_or(value, "dtype", DTYPES, axes, "dtype", None),
        may_alias=aliases,
        identity=value.boolean("identity", False),
        nan=cast(Any, value.choice("nan", ("forbidden", "as_reference"), "forbidden")),
        sampled=_sampled(value, axes, inputs) if "sampled" in value else None,
        dropout=_dropout(value, axes, inputs) if "dropout" in value else None,
        varying=_varying(value),
        unique=value.boolean("unique", True),
        contract=read_contract(value, axes, inputs, CATEGORIES.get(category)) if "contract" in value else None,
        complex=_complex(value, axes),
    )


def _complex(value: Fields, axes: dict[str, Axis]) -> bool:
    """Whether the last dimension holds real and imaginary parts, which only 32 and 64-bit floats can become."""
    is_complex = value.boolean("complex", False)
    dtype, shape = value.raw.get("dtype"), value.raw.get("shape")
    dtypes = axes[str(dtype)].values if dtype in axes else (dtype,)
    if is_complex and not set(dtypes) <= {"float32", "float64"}:
        value.problem("dtype", dtype, "float32 or float64, for the parts of complex numbers")
    if is_complex and not (isinstance(shape, list) and shape and shape[-1] == 2):
        value.problem("shape", shape, "a last dimension of 2, for the parts of complex numbers")
    return is_complex


def _check_rules(output: Fields) -> None:
    """Report keys that cannot be judged together: an output has at most one rule, and most rules have no exceptions."""
    given = [key for key in (*RULES, *BESIDE_NO_RULE) if key in output and output.raw[key] != DEFAULTS.get(key)]
    rules = [key for key in RULES if key in given]
    for key in given:
        if rules and key != rules[0] and not (rules == ["varying"] and key in BESIDE_NO_RULE):
            output.problem(key, output.raw[key], f"no such key beside `{rules[0]}`")


def _varying(output: Fields) -> bool:
    varies = output.boolean("varying", False)
    if varies and not output.raw.get("shape"):
        output.problem("shape", output.raw.get("shape"), "a first dimension, which is the greatest length")
    if varies and "may_alias" in output:
        output.problem("may_alias", output.raw["may_alias"], "no such key beside `varying`")
    return varies


def _sampled(output: Fields, axes: dict[str, Axis], inputs: tuple[Input, ...]) -> Sampled | Numbers:
    value = output.mapping("sampled")
    if kinds := [kind for kind in ("uniform", "normal") if kind in value]:
        value.only((kinds[0], "seed"))
        parameters = tuple(value.expressions(kinds[0], set(axes)))
        if len(parameters) != 2:
            value.problem(kinds[0], value.raw[kinds[0]], "two numbers")
        return Numbers(cast(Any, kinds[0]), parameters, _random(output, value, axes, inputs))
    if not str(output.raw.get("dtype")).startswith("int"):
        output.problem("dtype", output.raw.get("dtype"), "an integer type, for the number of an outcome")
    if not output.raw.get("shape"):
        output.problem("shape", output.raw.get("shape"), "a last dimension, which counts the samples")
    value.only(("outcomes", "seed"))
    return Sampled(value.expression("outcomes", set(axes)), _seed(value, inputs))


def _dropout(output: Fields, axes: dict[str, Axis], inputs: tuple[Input, ...]) -> Dropout:
    value = output.mapping("dropout")
    value.only(("p", "seed", "hidden"))
    is_hidden, shape = value.boolean("hidden", False), output.raw.get("shape")
    if is_hidden and not (isinstance(shape, list) and len(shape) > 1):
        output.problem("shape", shape, "two dimensions or more, for rows of what has hidden dropout")
    if is_hidden and "may_alias" in output:
        output.problem("may_alias", output.raw["may_alias"], "no such key beside hidden dropout")
    return Dropout(value.expression("p", set(axes)), _random(output, value, axes, inputs), is_hidden)


def _random(output: Fields, value: Fields, axes: dict[str, Axis], inputs: tuple[Input, ...]) -> str:
    """The seed of an output of random floats: one int64, since a number would be the same in every call."""
    dtype, seed = output.raw.get("dtype"), _seed(value, inputs)
    values = axes[dtype].values if isinstance(dtype, str) and dtype in axes else (dtype,)
    if not all(one in FLOATS for one in values):
        output.problem("dtype", dtype, f"one of {', '.join(FLOATS)}")
    shapes = {item.name: [extent.text for extent in item.shape] for item in inputs if item.dtype == "int64"}
    if seed and shapes.get(seed) != ["1"]:
        value.problem("seed", seed, "an input of one int64: shape [1], dtype int64")
    return seed


def _seed(value: Fields, inputs: tuple[Input, ...]) -> str:
    name = str(value.choice("seed", tuple(item.name for item in inputs)))
    if any(item.name == name and (item.static or item.when is not None) for item in inputs):
        value.problem("seed", name, "an input that is in every call and differs from call to call: no static, no when")
    return name


def _axis_or(
    value: Fields, key: str, literals: tuple[str, ...], axes: dict[str, Axis], kind: str, default: str | None
) -> str:
    """A field that holds one of the literals, or the name of an axis of that kind."""
    names = tuple(name for name, axis in axes.items() if axis.kind == kind)
    return str(value.choice(key, (*literals, *names), default))


def check_randomness(spec: TaskSpec, case: Case, where: Fields) -> None:
    """Report distributions and shares that do not exist for this case."""
    for seed in (item for item in spec.inputs if item.name in {output.seed for output in spec.outputs}):
        _check_seed(seed, case, where)
    for output in spec.outputs:
        if output.dropout and output.dropout.p is not fields.ZERO:
            p = fields.value_or_problem(output.dropout.p, case.numbers, where, f"{output.name}.dropout.p")
            if p is not None and not 0 < p < 1:
                where.problem(f"outputs.{output.name}.dropout.p", f"{p} for {case.id}", "a share between 0 and 1")
            if p == 0.5:
                wanted = "a share other than 0.5, at which p and 1 - p are the same"
                where.problem(f"outputs.{output.name}.dropout.p", f"{p} for {case.id}", wanted)
        if isinstance(output.sampled, Numbers) and len(output.sampled.parameters) == 2:
            name = f"outputs.{output.name}.sampled.{output.sampled.kind}"
            first, second = (
                fields.value_or_problem(each, case.numbers, where, name) for each in output.sampled.parameters
            )
            least = first if output.sampled.kind == "uniform" else 0
            if second is not None and least is not None and not least < second:
                where.problem(name, f"{second} for {case.id}", f"a second number above {least}")


def _check_seed(seed: Input, case: Case, where: Fields) -> None:
    name = f"inputs.{seed.name}.distribution"
    if seed.distribution[0] != "integers":
        where.problem(name, seed.distribution[0], "integers, for a seed")
        return
    low, high = (fields.value_or_problem(each, case.numbers, where, name) for each in seed.distribution[1])
    if low is not None and high is not None and high - low < LEAST_SEEDS:
        where.problem(name, f"{high - low} values for {case.id}", f"at least {LEAST_SEEDS}, for a seed")
