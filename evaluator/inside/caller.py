"""One case laid out in the worker: its tensors, one call of the candidate, what came back as raw bytes in the mailbox.

The judge decides sizes, dtypes and places; this side only copies. What it reports about types and zones is a courtesy:
the verdict rests on the bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import torch

from evaluator.inside.limits import DeviceKind
from evaluator.inside.pretend_gpu import real_device

Spec = dict[str, Any]


class _Options(TypedDict):
    dtype: torch.dtype
    device: str


PAD = 8  # extra elements in each row of a padded layout
# Bound before a candidate is loaded, and of C: what it patches in torch.Tensor does not change what is asked here.
_type, _tensor, _base = type, torch.Tensor, torch._C.TensorBase
_seen: Any = _base  # whose attributes are descriptors, which torch's types do not say
_copy, _is_contiguous, _strides_of, _storage = _base.copy_, _base.is_contiguous, _base.stride, _base.untyped_storage
_dtype_of, _shape_of, _layout_of = _seen.dtype.__get__, _seen.shape.__get__, _seen.layout.__get__
_is_cow: Any = torch._C._is_cow_tensor  # type: ignore[attr-defined]
_put_off = (_seen.is_neg, _seen.is_conj, _seen._is_zerotensor, _is_cow)  # work that waits for whoever reads the values
_storage_pointer: Any = torch._C.StorageBase.data_ptr  # type: ignore[attr-defined]


class Caller:
    """Runs `entry` on one case. `inputs` and `outputs` are the judge's specs: name, shape, dtype, layout, offset."""

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
        self._previous: tuple[Any, ...] = ()  # keeps the last call's tensors alive, so that the next ones lie elsewhere

    def prepare(self, mailbox: Any) -> None:
        """Fresh tensors with the contents that lie in the mailbox; poisoned outputs for style out."""
        self._previous = (self.given, self.returned)
        self.given, self.returned = {}, []
        for spec in self.inputs:
            self.given[spec["name"]] = self._place(spec, mailbox) if "offset" in spec else spec["value"]
        if self.style == "out":
            for spec in self.outputs:
                tensor = strided(spec, self.device)
                tensor.view(-1).view(torch.uint8).fill_(0xFF)
                self.given[spec["name"]] = tensor
        self.arguments = dict(self.given)

    def rest(self) -> None:
        """Hold no memory of the device: between first calls and a session others are at work there."""
        self.arguments, self.given, self.returned, self._previous = {}, {}, [], ()
        torch.cuda.empty_cache()

    def transform(self) -> None:
        """Let the candidate's `prepare` make a state of the static inputs; the call gets it in their place."""
        if self.hook is not None:
            static = {spec["name"]: self.arguments.pop(spec["name"]) for spec in self.inputs if spec["static"]}
            self.arguments["state"] = self.hook(**static)

    def call(self) -> None:
        """One call; the outputs are kept."""
        values = self.arguments
        result = self.entry(*values.values()) if self.positional else self.entry(**values)
        if self.style == "out":
            self.returned = [self.given[spec["name"]] for spec in self.outputs]
        else:
            self.returned = list(result) if _type(result) in (tuple, list) else [result]

    def problem(self) -> tuple[str, str] | None:
        """Reason code and detail if what came back is not what was asked for: count, type, shape, layout, alias."""
        if len(self.returned) != len(self.outputs):
            return "wrong_count", f"{len(self.returned)} returned, {len(self.outputs)} expected"
        for spec, output in zip(self.outputs, self.returned, strict=True):
            if found := problem_of(spec, output, self.given, self.device):
                return found
        return None

    def fetch(self, mailbox: Any) -> None:
        """Copy outputs, and inputs as they are now, to their places in the mailbox."""
        for spec, output in zip(self.outputs, self.returned, strict=True):
            _copy(_mail(mailbox, spec["offset"], spec), output)
        for spec in self.inputs:
            if "offset" in spec:
                _copy(_mail(mailbox, spec["after"], spec), self.given[spec["name"]])

    def _place(self, spec: Spec, mailbox: Any) -> torch.Tensor:
        tensor = strided(spec, self.device)
        _copy(tensor, _mail(mailbox, spec["offset"], spec))
        return tensor


def problem_of(spec: Spec, output: Any, given: dict[str, Any], device: DeviceKind) -> tuple[str, str] | None:
    """Reason code and detail if one output is not of the form its spec asks for; `given`: what it may not lie in."""
    name = spec["name"]
    if _type(output) is not _tensor:
        return "wrong_type", f"{name} is a {_type(output).__name__}"
    dtype, shape, strides = _dtype_of(output), list(_shape_of(output)), _strides_of(output)
    if dtype != _dtype(spec):
        return "wrong_dtype", f"{name} is {dtype}, expected {_dtype(spec)}"
    if shape != spec["shape"]:
        return "wrong_shape", f"{name} is {shape}, expected {spec['shape']}"
    place = real_device(output)
    if _layout_of(output) != torch.strided or place.type != device or not _is_contiguous(output):
        return "wrong_layout", f"{name} lies on {place} with strides {list(strides)}"
    if any(bit(output) for bit in _put_off):
        return "wrong_layout", f"{name} holds values that are still to be negated, conjugated, written or copied"
    for other, value in given.items():
        shares = isinstance(value, torch.Tensor) and other not in spec["may_alias"] and other != name
        if shares and value.numel() and _storage_of(output) == _storage_of(value):
            return "aliases_input", f"{name} lies in {other}"
    return None


def _storage_of(tensor: torch.Tensor) -> int:
    return int(_storage_pointer(_storage(tensor)))


def takes_positions(entry: Callable[..., Any]) -> bool:
    """A function bound by pybind11 without py::arg has no names for its arguments: its text says arg0."""
    return "(arg0:" in (getattr(entry, "__doc__", None) or "")


def _dtype(spec: Spec) -> torch.dtype:
    dtype: torch.dtype = getattr(torch, spec["dtype"])
    return dtype


def _mail(mailbox: Any, offset: int, spec: Spec) -> torch.Tensor:
    tensor: torch.Tensor = mailbox.tensor(offset, spec["shape"], _dtype(spec))
    return tensor


def strided(spec: Spec, device: DeviceKind) -> torch.Tensor:
    """An empty tensor of the spec's shape in its layout."""
    shape, options = list(spec["shape"]), _Options(dtype=_dtype(spec), device=device)
    match spec.get("layout", "contiguous"):
        case "transposed" if len(shape) >= 2:
            return torch.empty([*shape[:-2], shape[-1], shape[-2]], **options).transpose(-1, -2)
        case "padded" if shape:
            return torch.empty([*shape[:-1], shape[-1] + PAD], **options)[..., : shape[-1]]
    return torch.empty(shape, **options)
