"""A task's contract as plain values and tables: axes, inputs, outputs, tolerances, relations and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.tasks.expressions import Expression
from evaluator.tasks.spec import Axis, Input, Numbers, Output, Relation, TaskSpec
from leaderboard.formatting import NONE, significant
from leaderboard.tables import Cell, Field, Table, table, text_field


@dataclass(frozen=True, slots=True)
class AxisLine:
    name: str
    kind: str
    values: str
    couplings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InputLine:
    name: str
    shape: str
    dtype: str
    layout: str
    drawn: str  # the distribution of its values
    special: dict[str, list[str]]  # name → values of further draws, whose elements have no other values
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutputLine:
    name: str
    shape: str
    dtype: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToleranceLine:
    """Relative RMSE ≤ max(4 × the baseline's, c·eps·√n); each element within max(4 × its worst, tau)·(RMS(r) + |r|).

    Without c and n where no element is compared, but mean, variance and covariance.
    """

    dtype: str
    c: float | None
    n: str
    tau: float
    because: str


@dataclass(frozen=True, slots=True)
class RelationLine:
    """What holds of every right answer: its error ≤ max(4 × the baseline's, c·eps·√n), or 0 where no dtype is named."""

    relation: str
    dtype: str
    c: float | None
    n: str
    because: str


@dataclass(frozen=True, slots=True)
class TaskContract:
    function: str
    style: str
    has_prepare: bool
    axes: tuple[AxisLine, ...]
    inputs: tuple[InputLine, ...]
    derived: str  # a sentence on the inputs that are made as one set; empty where there are none
    outputs: tuple[OutputLine, ...]
    tolerances: tuple[ToleranceLine, ...]
    relations: tuple[RelationLine, ...]
    model_bytes: str
    model_flops: str
    is_atomic: bool
    limits: dict[str, float]


def task_contract(spec: TaskSpec) -> TaskContract:
    return TaskContract(
        function=spec.entry.function,
        style=spec.entry.style,
        has_prepare=spec.entry.prepare,
        axes=tuple(AxisLine(axis.name, axis.kind, _values(axis), _texts(axis.couplings)) for axis in spec.axes),
        inputs=tuple(map(_input, spec.inputs)),
        derived=_derived(spec),
        outputs=tuple(OutputLine(one.name, _shape(one.shape), one.dtype, _output_notes(one)) for one in spec.outputs),
        tolerances=tuple(
            ToleranceLine(dtype, None, "", one.tau, one.because)
            if spec.has_hidden_dropout_only
            else ToleranceLine(dtype, one.c, one.n.text, one.tau, one.because)
            for dtype, one in spec.tolerance.items()
        ),
        relations=tuple(line for relation in spec.relations for line in _relation(relation)),
        model_bytes=spec.model_bytes.text,
        model_flops=spec.model_flops.text,
        is_atomic=spec.atomic,
        limits={
            "build_s": spec.limits.build_s,
            "first_call_s": spec.limits.first_call_s,
            "call_s": spec.limits.call_s,
            "memory_mb": spec.limits.memory_mb,
        },
    )


def contract_tables(contract: TaskContract) -> tuple[Table, ...]:
    """Make the tables of axes, inputs, outputs, tolerances and relations."""
    axes: tuple[Field[AxisLine], ...] = (
        text_field("axis", "Axis", lambda one: one.name, is_code=True),
        text_field("kind", "Kind", lambda one: one.kind),
        text_field("values", "Values", lambda one: one.values),
        text_field("couplings", "Constraints", lambda one: "; ".join(one.couplings) or NONE, is_code=True),
    )
    inputs: tuple[Field[InputLine], ...] = (
        text_field("input", "Input", lambda one: one.name, is_code=True),
        text_field("shape", "Shape", lambda one: one.shape or NONE, is_code=True),
        text_field("dtype", "Type", lambda one: one.dtype or NONE, is_code=True),
        text_field("layout", "Layout", lambda one: one.layout or NONE, is_code=True),
        Field("drawn", "Distribution", _drawn_cell),
        text_field("notes", "Notes", lambda one: "; ".join(one.notes) or NONE),
    )
    outputs: tuple[Field[OutputLine], ...] = (
        text_field("output", "Output", lambda one: one.name, is_code=True),
        text_field("shape", "Shape", lambda one: one.shape, is_code=True),
        text_field("dtype", "Type", lambda one: one.dtype, is_code=True),
        text_field("notes", "Notes", lambda one: "; ".join(one.notes)),
    )
    tolerances: tuple[Field[ToleranceLine], ...] = (
        text_field("dtype", "Type", lambda one: one.dtype, is_code=True),
        Field("c", "c", lambda one: Cell(NONE if one.c is None else f"{one.c:g}", one.c), is_number=True),
        text_field("n", "n", lambda one: one.n or NONE, is_code=True),
        Field("tau", "τ", lambda one: Cell(significant(one.tau, 2), one.tau), is_number=True),
        text_field("because", "Reason", lambda one: one.because),
    )
    relations: tuple[Field[RelationLine], ...] = (
        text_field("relation", "Relation", lambda one: one.relation, is_code=True),
        text_field("dtype", "Type", lambda one: one.dtype or NONE, is_code=True),
        Field("c", "c", lambda one: Cell("exact" if one.c is None else f"{one.c:g}", one.c), is_number=True),
        text_field("n", "n", lambda one: one.n or NONE, is_code=True),
        text_field("because", "Reason", lambda one: one.because),
    )
    no_tolerance = "No output needs a tolerance; the notes above say how each is judged."
    if contract.relations:
        no_tolerance = "All outputs are judged by relations, so no tolerance is needed."
    return (
        table("axes", "Axes: what callers may vary", axes, contract.axes, "The task has no axes."),
        table("inputs", "Inputs", inputs, contract.inputs, "The task has no inputs."),
        table("outputs", "Outputs", outputs, contract.outputs, "The task has no outputs."),
        table("tolerances", "Tolerances: how close an output must be", tolerances, contract.tolerances, no_tolerance),
        table(
            "relations",
            "Relations: what holds of every right answer",
            relations,
            contract.relations,
            "Every output is unique, so it is compared with the reference.",
        ),
    )


def _values(axis: Axis) -> str:
    if axis.kind == "dim":
        step = f", multiples of {axis.multiple_of}" if axis.multiple_of != 1 else ""
        return f"{axis.low} to {axis.high}{step}"
    return "true or false" if axis.kind == "flag" else ", ".join(str(value) for value in axis.values)


def _input(one: Input) -> InputLine:
    notes = []
    if one.when:
        notes.append(f"only where {one.when} is true, else None")
    if one.static:
        notes.append("the same in every call, may be prepared once")
    if one.mutable:
        notes.append("may be changed")
    if one.complex:
        notes.append("the last dimension holds real and imaginary parts")
    if one.scalar is not None:
        return InputLine(one.name, "a number", one.scalar_kind, "", one.scalar.text, {}, tuple(notes))
    if one.derived:
        return InputLine(one.name, _shape(one.shape), one.dtype, one.layout, "derived", {}, tuple(notes))
    name, arguments = one.distribution
    special = {name: [f"{value:g}" for value in values] for name, values in one.special}
    drawn = f"{name}({', '.join(_texts(arguments))})"
    if one.drawn:
        return InputLine(
            one.name, "a number", one.scalar_kind, "", drawn, special, (*notes, "another one in each call")
        )
    return InputLine(one.name, _shape(one.shape), one.dtype, one.layout, drawn, special, tuple(notes))


def _relation(one: Relation) -> tuple[RelationLine, ...]:
    if one.exact:
        return (RelationLine(one.name, "", None, "", one.exact),)
    bounds = one.bounds.items()
    return tuple(RelationLine(one.name, dtype, bound.c, bound.n.text, bound.because) for dtype, bound in bounds)


def _derived(spec: TaskSpec) -> str:
    """How the set of derived inputs is made, and how it changes before each timed call (judge/renewal.py)."""
    made = [one.derived for one in spec.derived if one.derived]
    if not made:
        return ""
    also = f", also of the kinds {', '.join(spec.special_sets)}" if spec.special_sets else ""
    changes = {
        "a new order of": [axis for one in made for axis in one.order],
        "new positive factors along": [axis for one in made for axis in one.scale],
        "new ids of": [one.relabel for one in made],
        "moved runs of": [one.offsets for one in made],
    }
    named = ((words, dict.fromkeys(filter(None, axes))) for words, axes in changes.items())
    new = "; ".join(f"{words} {', '.join(axes)}" for words, axes in named if axes)
    return f"Derived: made by inputs.py as one set{also}." + (f" Each timed call has {new}." if new else "")


def _output_notes(one: Output) -> tuple[str, ...]:
    notes = [f"may be {name}, written in place" for name in one.may_alias]
    notes += ["a copy of an input is correct"] if one.identity else []
    notes += ["its first extent is the greatest: how long it is follows from the inputs"] if one.varying else []
    if isinstance(one.sampled, Numbers):
        distribution = f"{one.sampled.kind}({', '.join(_texts(one.sampled.parameters))})"
        return (*notes, f"random numbers from {one.sampled.seed}, checked by their distribution, {distribution}")
    if one.dropout:
        notes.append(f"dropout of a share of {one.dropout.p.text}, random from {one.dropout.seed}")
        if one.dropout.hidden:
            notes[-1] += ", before a linear step: mean, variance and covariance are judged"
    if one.sampled:
        chance = (
            f"random from {one.sampled.seed}, checked by their distribution over {one.sampled.outcomes.text} outcomes"
        )
        return (*notes, chance)
    notes += ["the last dimension holds real and imaginary parts"] if one.complex else []
    notes += [f"from quantised inputs, {one.contract} ({one.contract.because})"] if one.contract else []
    notes += [] if one.unique else ["several answers are right, judged by the relations"]
    notes += ["NaN where the reference has NaN"] if one.nan == "as_reference" else ["no NaN"]
    return tuple(notes)


def _shape(shape: Sequence[Expression]) -> str:
    return f"[{', '.join(_texts(shape))}]"


def _texts(expressions: Sequence[Expression]) -> tuple[str, ...]:
    return tuple(expression.text for expression in expressions)


def _drawn_cell(one: InputLine) -> Cell:
    special = "; ".join(f"{name} {{{', '.join(values)}}}" for name, values in one.special.items())
    return Cell(one.drawn, one.drawn, note=f"also draws with only: {special}" if special else "")
