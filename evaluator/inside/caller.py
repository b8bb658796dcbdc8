"""One case in the worker: its tensors, a call of the candidate, and its outputs as raw bytes in the mailbox.

The judge chooses sizes, dtypes and offsets; this side only copies. Its reports on types and red zones only help to
explain failures: the verdict depends on the bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import torch

from evaluator.inside.coverage import OutputBytes
from evaluator.inside.limits import DeviceKind
from evaluator.inside.pretend_gpu import real_device

Spec = dict[str, Any]


class _Options(TypedDict):
    dtype: torch.dtype
    device: str


PAD = 8  # extra elements in each row of a padded layout
# C functions, bound before the candidate is loaded: nothing it patches in torch.Tensor changes these checks.
_type, _tensor, _base = type, torch.Tensor, torch._C.TensorBase
_seen: Any = _base  # its attributes are descriptors, which torch's type stubs omit
_copy, _is_contiguous, _strides_of, _storage = _base.copy_, _base.is_contiguous, _base.stride, _base.untyped_storage
_dtype_of, _shape_of, _layout_of = _seen.dtype.__get__, _seen.shape.__get__, _seen.layout.__get__
_is_cow: Any = torch._C._is_cow_tensor  # type: ignore[attr-defined]
_lazy = (_seen.is_neg, _seen.is_conj, _seen._is_zerotensor, _is_cow)  # operations deferred until values are read
_storage_pointer: Any = torch._C.StorageBase.data_ptr  # type: ignore[attr-defined]


class Caller:
    """Calls `entry` on one case. `inputs` and `outputs` are the judge's specs: name, shape, dtype, layout, offset."""

    def __init__(
        self,
        entry: Callable[..., Any],
        inputs: list[Spec],
        outputs: list[Spec],
        style: str,
        hook: Callable[..., Any] | None = None,
        device: DeviceKind = "cpu",
    ) -> None:
        self.entry, self.style, self.positional = entry, style, takes_positions(entry)
        self.inputs, self.outputs, self.hook, self.device = inputs, outputs, hook, device
        self.arguments: dict[str, Any] = {}
        self.given: dict[str, Any] = {}
        self.returned: list[Any] = []
        self._previous: tuple[Any, ...] = ()  # the last call's tensors: new ones get other addresses

    def prepare(self, mailbox: Any, values: Spec | None = None) -> None:
        """Make new tensors with the contents in the mailbox; for style `out` also poisoned outputs.

        `values`: of inputs that are no tensors; without them those that the case was opened with.
        """
        self._previous = (self.given, self.returned)
        self.given, self.returned = {}, []
        for spec in self.inputs:
            if "offset" in spec:
                self.given[spec["name"]] = self._input(spec, mailbox)
            else:
                self.given[spec["name"]] = spec["value"] if values is None else values[spec["name"]]
        if self.style == "out":
            for spec in self.outputs:
                tensor = strided(spec, self.device)
                tensor.view(-1).view(torch.uint8).fill_(0xFF)
                self.given[spec["name"]] = tensor
        self.arguments = dict(self.given)

    def rest(self) -> None:
        """Free all device memory: other evaluations use the device between first calls and a timed session."""
        self.arguments, self.given, self.returned, self._previous = {}, {}, [], ()
        torch.cuda.empty_cache()

    def transform(self) -> None:
        """Let the candidate's `prepare` make a state from the static inputs; calls get it in their place."""
        if self.hook is not None:
            static = {spec["name"]: self.arguments.pop(spec["name"]) for spec in self.inputs if spec["static"]}
            self.arguments["state"] = self.hook(**static)

    def call(self) -> None:
        """Call the candidate once and keep its outputs."""
        values = self.arguments
        result = self.entry(*values.values()) if self.positional else self.entry(**values)
        if self.style == "out":
            self.returned = [self.given[spec["name"]] for spec in self.outputs]
        else:
            self.returned = list(result) if _type(result) in (tuple, list) else [result]

    def problem(self) -> tuple[str, str] | None:
        """Return reason code and detail if outputs have a wrong count, type, shape or layout, or alias an input."""
        if len(self.returned) != len(self.outputs):
            return "wrong_count", f"{len(self.returned)} returned, {len(self.outputs)} expected"
        for spec, output in zip(self.outputs, self.returned, strict=True):
            if found := problem_of(spec, output, self.given, self.device):
                return found
        return None

    def fetch(self, mailbox: Any) -> None:
        """Copy the outputs and the current inputs to their offsets in the mailbox."""
        for spec, output in zip(self.outputs, self.returned, strict=True):
            _copy(_mail(mailbox, spec["offset"], {**spec, "shape": list(_shape_of(output))}), output)
        for spec in self.inputs:
            if "offset" in spec:
                _copy(_mail(mailbox, spec["after"], spec), self.given[spec["name"]])

    def lengths(self) -> dict[str, int]:
        """Return how long the varying outputs are."""
        pairs = zip(self.outputs, self.returned, strict=True)
        return {spec["name"]: int(_shape_of(output)[0]) for spec, output in pairs if spec["varying"]}

    def output_bytes(self, mailbox: Any) -> dict[str, OutputBytes]:
        """Return where the outputs lie, and what was there before where an output is the memory of an input."""
        before = {_storage_of(self.given[spec["name"]]): spec for spec in self.inputs if "offset" in spec}
        found = {}
        for spec, output in zip(self.outputs, self.returned, strict=True):
            same = before.get(_storage_of(output)) if spec["may_alias"] else None
            known = same is not None and (same["shape"], same["dtype"]) == (spec["shape"], spec["dtype"])
            found[spec["name"]] = OutputBytes(output, _mail(mailbox, same["offset"], same) if same and known else None)
        return found

    def _input(self, spec: Spec, mailbox: Any) -> torch.Tensor:
        tensor = strided(spec, self.device)
        _copy(tensor, _mail(mailbox, spec["offset"], spec))
        return tensor


def problem_of(spec: Spec, output: Any, given: dict[str, Any], device: DeviceKind) -> tuple[str, str] | None:
    """Return reason code and detail if an output violates its spec, or shares memory with one of `given`; else None."""
    name = spec["name"]
    if _type(output) is not _tensor:
        return "wrong_type", f"{name} is a {_type(output).__name__}"
    dtype, shape, strides = _dtype_of(output), list(_shape_of(output)), _strides_of(output)
    if dtype != _dtype(spec):
        return "wrong_dtype", f"{name} is {dtype}, expected {_dtype(spec)}"
    if not _fits(shape, spec):
        return "wrong_shape", f"{name} is {shape}, expected {'at most ' * spec['varying']}{spec['shape']}"
    location = real_device(output)
    if _layout_of(output) != torch.strided or location.type != device or not _is_contiguous(output):
        return "wrong_layout", f"{name} is on {location} with strides {list(strides)}"
    if any(bit(output) for bit in _lazy):
        return "wrong_layout", f"{name} has a pending negation, conjugation, zero fill or copy"
    for other, value in given.items():
        shares = isinstance(value, torch.Tensor) and other not in spec["may_alias"] and other != name
        if shares and value.numel() and _storage_of(output) == _storage_of(value):
            return "aliases_input", f"{name} shares memory with {other}"
    return None


def _fits(shape: list[int], spec: Spec) -> bool:
    wanted: list[int] = spec["shape"]
    if not spec["varying"]:
        return shape == wanted
    return len(shape) == len(wanted) and shape[0] <= wanted[0] and shape[1:] == wanted[1:]


def _storage_of(tensor: torch.Tensor) -> int:
    return int(_storage_pointer(_storage(tensor)))


def takes_positions(entry: Callable[..., Any]) -> bool:
    """Return whether the entry takes positional arguments only: functions bound by pybind11 without py::arg do."""
    return "(arg0:" in (getattr(entry, "__doc__", None) or "")


def _dtype(spec: Spec) -> torch.dtype:
    dtype: torch.dtype = getattr(torch, spec["dtype"])
    return dtype


def _mail(mailbox: Any, offset: int, spec: Spec) -> torch.Tensor:
    tensor: torch.Tensor = mailbox.tensor(offset, spec["shape"], _dtype(spec))
    return tensor


def strided(spec: Spec, device: DeviceKind) -> torch.Tensor:
    """Return an empty tensor of the spec's shape in its layout."""
    shape, options = list(spec["shape"]), _Options(dtype=_dtype(spec), device=device)
    match spec.get("layout", "contiguous"):
        case "transposed" if len(shape) >= 2:
            return torch.empty([*shape[:-2], shape[-1], shape[-2]], **options).transpose(-1, -2)
        case "padded" if shape:
            return torch.empty([*shape[:-1], shape[-1] + PAD], **options)[..., : shape[-1]]
    return torch.empty(shape, **options)
