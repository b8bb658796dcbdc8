"""Values of a task, which is read from tasks/<category>/<source>/<name>/ and identified by a digest.

tasks/README.md explains the format; `reader` checks it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator.state import REPOSITORY
from evaluator.tasks.expressions import Expression

Profile = Literal["small", "full"]
AxisValue = int | str | bool
NOT_IN_DIGEST = ("description.md", "variants")
BASELINES = ("eager", "compile", "library")  # what a task may be timed against beside its own baseline
ITEMSIZE = {  # of every dtype that a task may use
    **dict.fromkeys(("float64", "int64"), 8),
    **dict.fromkeys(("float32", "int32"), 4),
    **dict.fromkeys(("float16", "bfloat16", "int16"), 2),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"), 1),
    **dict.fromkeys(("int8", "uint8", "bool"), 1),
}


@dataclass(frozen=True, slots=True)
class Category:
    """From what to what a candidate goes."""

    title: str
    language: Literal["hip", "triton"]  # of candidates
    starts_from_torch: bool  # the baseline is a PyTorch module, run eagerly; else the source that candidates edit

    @property
    def suffix(self) -> str:
        return {"hip": ".hip", "triton": ".py"}[self.language]


CATEGORIES = {
    "hip2hip": Category("HIP to HIP", "hip", starts_from_torch=False),
    "torch2hip": Category("PyTorch to HIP", "hip", starts_from_torch=True),
    "torch2triton": Category("PyTorch to Triton", "triton", starts_from_torch=True),
    "triton2triton": Category("Triton to Triton", "triton", starts_from_torch=False),
}


def tasks_folder() -> Path:
    """The folder of all tasks: $ARENA_TASKS if set, otherwise tasks/ in the repository."""
    return Path(os.environ.get("ARENA_TASKS") or REPOSITORY / "tasks")


@dataclass(frozen=True, slots=True)
class Axis:
    """One parameter of the contract with callers: a dimension, a dtype, a layout or a flag."""

    name: str
    kind: Literal["dim", "dtype", "layout", "flag"]
    low: int = 0
    high: int = 0
    multiple_of: int = 1
    values: tuple[AxisValue, ...] = ()
    couplings: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One input configuration, identified by its sorted axis=value pairs; how values are drawn is not part of it."""

    axes: tuple[tuple[str, AxisValue], ...]
    profile: Profile

    @property
    def id(self) -> str:
        return ",".join(f"{name}={_plain(value)}" for name, value in sorted(self.axes))

    def value(self, name: str) -> AxisValue:
        return dict(self.axes)[name]

    @property
    def numbers(self) -> dict[str, int]:
        """The values that expressions may read: dimensions, and flags as 0 or 1."""
        return {name: int(value) for name, value in self.axes if not isinstance(value, str)}


@dataclass(frozen=True, slots=True)
class Renewal:
    """How a derived input changes before each timed call, so that the relations of its set hold (judge/renewal.py).

    For each axis that is named here, one new order of 0 … value - 1 is drawn for the whole set.
    """

    order: tuple[str | None, ...] = ()  # for each dimension the axis in whose new order its elements are
    scale: tuple[
        str | None, ...
    ] = ()  # for each dimension the axis by whose new positive factors values are multiplied
    relabel: str | None = None  # values are ids of this axis, and named anew; those outside stay
    offsets: str | None = None  # values are where the runs of each element of this axis begin, and where the last ends
    segments: str | None = (
        None  # the input with such offsets: the runs along the first dimension move with their owners
    )

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that it names itself."""
        return tuple(name for name in (*self.order, *self.scale, self.relabel, self.offsets) if name)


@dataclass(frozen=True, slots=True)
class Input:
    """A tensor argument, or (`scalar`) a plain Python number."""

    name: str
    shape: tuple[Expression, ...] = ()
    dtype: str = "float32"  # a torch dtype or the name of a dtype axis
    layout: str = "contiguous"  # contiguous, transposed, padded, or the name of a layout axis
    distribution: tuple[str, tuple[Expression, ...]] = ("normal", ())
    special: tuple[tuple[str, tuple[float, ...]], ...] = ()  # named alphabets of special values
    static: bool = False
    mutable: bool = False
    when: str | None = None  # the flag axis that says whether the input is given; otherwise None is passed
    scalar: Expression | None = None
    scalar_kind: Literal["int", "float"] = "float"
    derived: Renewal | None = None  # made by the task's inputs.py together with all others that are
    drawn: bool = False  # a number that is drawn from `distribution` for each call
    complex: bool = False  # the last dimension holds real and imaginary parts

    @property
    def is_number(self) -> bool:
        return self.drawn or self.scalar is not None


@dataclass(frozen=True, slots=True)
class Sampled:
    """Marks an output of random samples: along its last dimension, independent draws from one distribution."""

    outcomes: Expression  # the number of outcomes; values are 0 … outcomes - 1
    seed: str  # the input that the random numbers come from


@dataclass(frozen=True, slots=True)
class Numbers:
    """Marks an output of independent random numbers from one distribution."""

    kind: Literal["uniform", "normal"]
    parameters: tuple[Expression, ...]  # of uniform the lowest number and its upper bound; of normal mean and deviation
    seed: str


@dataclass(frozen=True, slots=True)
class Dropout:
    """Marks an output whose elements are 0 with probability p, independently, and otherwise divided by 1 - p.

    `hidden`: that happens to something that the output is computed from, linearly, so only its variance shows it.
    """

    p: Expression
    seed: str
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Groups:
    """How an input is quantised: one scale for all elements along these axes, or for `size` neighbours along one."""

    bits: int
    along: tuple[int, ...]
    size: int | None = None


FORMS = {  # that a contract may require of a candidate's source; gates/plain/quantised.py sees them in Python
    "int8_dot": "both operands of every tl.dot cast to int8",
    "int4_weights": "an operand of every tl.dot, or of what is summed, made of half bytes",
}


@dataclass(frozen=True, slots=True)
class Quantization:
    """The contract of an output computed from quantised inputs: the printed thresholds of its three measures."""

    inputs: tuple[tuple[str, Groups], ...]
    cosine: float
    l1: float
    rmse: float
    requires: tuple[str, ...]  # FORMS that a candidate's source must show
    because: str

    def __str__(self) -> str:
        bits = ", ".join(f"{groups.bits} bits for {name}" for name, groups in self.inputs)
        bounds = f"cosine at least {self.cosine:g}, relative L1 error up to {self.l1:g}, RMSE up to {self.rmse:g}"
        honest = "honest quantisation, by max / (2^(bits - 1) - 1),"
        text = f"{bits}: {bounds}; where {honest} of the same numbers misses one, its own error decides"
        forms = "; ".join(f"{FORMS[name]} ({name})" for name in self.requires)
        return f"{text}; a source that does not show this is put on hold: {forms}" if forms else text


@dataclass(frozen=True, slots=True)
class Output:
    name: str
    shape: tuple[Expression, ...]
    dtype: str
    may_alias: tuple[str, ...] = ()
    identity: bool = False
    nan: Literal["forbidden", "as_reference"] = "forbidden"
    sampled: Sampled | Numbers | None = None
    dropout: Dropout | None = None
    unique: bool = True  # otherwise there are several right answers, which the task's relations judge
    varying: bool = False  # its first extent is the greatest: how long it is follows from the values of the inputs
    contract: Quantization | None = None
    complex: bool = False

    @property
    def seed(self) -> str | None:
        """The input that the output's random numbers come from; None where nothing is random."""
        random = self.sampled or self.dropout
        return random.seed if random else None

    def allows(self, case: Case, shape: Sequence[int]) -> bool:
        """Whether the reference may return this shape."""
        wanted = self.reference_shape(case)
        if not self.varying:
            return tuple(shape) == wanted
        return len(shape) == len(wanted) and shape[0] <= wanted[0] and tuple(shape[1:]) == wanted[1:]

    def reference_shape(self, case: Case) -> tuple[int, ...]:
        """The shape the reference returns: the output's own or, where it is sampled, that of the probabilities."""
        shape = tuple(int(extent.value(case.numbers)) for extent in self.shape)
        if isinstance(self.sampled, Sampled):
            return *shape[:-1], int(self.sampled.outcomes.value(case.numbers))
        return shape


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Bounds: relative RMSE ≤ max(4 × baseline's, c·eps·√n) and |y − r| ≤ max(4 × its worst, tau)·(RMS(r) + |r|)."""

    c: float
    n: Expression
    tau: float
    because: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a relation's error: max(4 × baseline's, c·eps·√n)."""

    c: float
    n: Expression
    because: str


@dataclass(frozen=True, slots=True)
class Relation:
    """What holds of every right answer; relations.py computes how far an answer is from it."""

    name: str
    bounds: Mapping[str, Bound]  # by dtype of the outputs
    exact: str = ""  # why there may be no error at all; there are no bounds then


@dataclass(frozen=True, slots=True)
class EntryPoint:
    function: str
    style: Literal["return", "out"]
    prepare: bool


@dataclass(frozen=True, slots=True)
class TaskLimits:
    build_s: float = 600
    first_call_s: float = 120
    call_s: float = 60
    memory_mb: int = 8192


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A native task. `id` is its path below tasks/; `digest` identifies its contents."""

    id: str
    folder: Path
    digest: str
    category: str
    sources: tuple[str, ...]  # what the agent starts from
    kernels: tuple[str, ...]
    editable: tuple[str, ...]  # the only paths a candidate may have
    entry: EntryPoint
    axes: tuple[Axis, ...]
    cases: tuple[Case, ...]
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    tolerance: Mapping[str, Tolerance]
    model_bytes: Expression
    model_flops: Expression
    atomic: bool
    source: str
    provenance: Mapping[str, str]
    limits: TaskLimits
    special_sets: tuple[str, ...] = ()  # further draws that inputs.py makes
    relations: tuple[Relation, ...] = ()
    baselines: tuple[str, ...] | None = None  # kinds beside the task's own (tasks/baselines.py); None: it says nothing
    instructions: str = ""  # for agents, in the task's own words
    cheatsheet: str = ""

    @property
    def derived(self) -> tuple[Input, ...]:
        """The inputs that inputs.py makes as one set."""
        return tuple(item for item in self.inputs if item.derived is not None)

    @property
    def starts_from_torch(self) -> bool:
        return CATEGORIES[self.category].starts_from_torch

    @property
    def has_hidden_dropout_only(self) -> bool:
        """Whether no element is compared: of its tolerances only tau is used."""
        return all(output.dropout is not None and output.dropout.hidden for output in self.outputs)

    @property
    def description(self) -> str:
        return (self.folder / "description.md").read_text(encoding="utf-8")

    @property
    def is_plain(self) -> bool:
        """Whether the folder has no expert: nothing then says how fast a candidate can be."""
        return not (self.folder / "expert").is_dir()

    @property
    def solution(self) -> str | None:
        """The folder of the task's own right candidate: the expert, or `right` of a plain task that has one."""
        if not self.is_plain:
            return "expert"
        return "variants/right" if "right" in self.variants else None

    @property
    def variants(self) -> tuple[str, ...]:
        folder = self.folder / "variants"
        if not folder.is_dir():
            return ()
        return tuple(sorted(path.name for path in folder.iterdir() if path.is_dir() and path.name != "__pycache__"))

    def cases_of(self, profiles: tuple[Profile, ...]) -> tuple[Case, ...]:
        return tuple(case for case in self.cases if case.profile in profiles)

    def main_dtype(self, case: Case) -> str:
        """The value of the case's first dtype axis; without such an axis, the dtype of the first input tensor."""
        dtypes = [str(case.value(axis.name)) for axis in self.axes if axis.kind == "dtype"]
        return dtypes[0] if dtypes else next((item.dtype for item in self.inputs if not item.is_number), "float32")

    def work_of(self, case: Case) -> tuple[float, float]:
        """Bytes moved and operations done by the ideal algorithm; `itemsize` is that of the case's main dtype."""
        numbers = {**case.numbers, "itemsize": ITEMSIZE[self.main_dtype(case)]}
        return float(self.model_bytes.value(numbers)), float(self.model_flops.value(numbers))

    def dtype_of(self, dtype: str, case: Case) -> str:
        """The dtype that an input or output names, resolved through the case's axes."""
        return str(dict(case.axes).get(dtype, dtype))


def task_files(folder: Path) -> dict[str, bytes]:
    """The contents of every file below a folder by relative path, without caches and links."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    names = {path: path.relative_to(folder).as_posix() for path in paths if "__pycache__" not in path.parts}
    return {name: path.read_bytes() for path, name in names.items()}


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write contents by relative path below a folder; missing folders are created."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def task_digest(files: Mapping[str, bytes]) -> str:
    """The sha256 over the sorted (path, sha256) of every file except the description and the variants."""
    lines = [
        f"{name}\0{hashlib.sha256(data).hexdigest()}\n"
        for name, data in sorted(files.items())
        if name.split("/", 1)[0] not in NOT_IN_DIGEST
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _plain(value: AxisValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
