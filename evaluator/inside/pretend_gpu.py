"""Emulate a GPU in torch: devices are mapped to the CPU, and tensors report cuda:0 as their device.

Only functions that take a device are wrapped (1.5 µs per call); other operations are as fast as before, and every
tensor is a plain torch.Tensor. `.cuda()` returns the tensor itself, as for one on the device, `.cpu()` a copy.
`real_device` returns the actual device of a tensor.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _device

from evaluator.inside import mi300x, pretend_cuda
from evaluator.inside.pretend_cuda import answering

CUDA = torch.device("cuda", 0)
CPU = torch.device("cpu")
FACTORIES = (
    *("empty", "empty_like", "empty_strided", "empty_permuted", "zeros", "zeros_like", "ones", "ones_like", "full"),
    *("full_like", "rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "randperm", "arange"),
    *("linspace", "logspace", "eye", "tensor", "as_tensor", "asarray", "scalar_tensor", "tril_indices", "triu_indices"),
    *("normal", "hann_window", "hamming_window", "bartlett_window", "blackman_window", "kaiser_window"),
    *("sparse_coo_tensor", "sparse_csr_tensor"),
)
METHODS = ("new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros", "new_tensor")
_device_of: Callable[[torch.Tensor], torch.device] = torch._C.TensorBase.device.__get__
_to = torch.Tensor.to
_set_default_device = torch.set_default_device


@functools.cache
def install() -> None:
    """Change torch for the rest of the process; a second call does nothing."""
    for place, names in ((torch, FACTORIES), (torch.Tensor, METHODS)):
        for name in names:
            setattr(place, name, _on_cpu(getattr(place, name)))
    for name, value in TENSOR.items():
        setattr(torch.Tensor, name, value)
    for name, value in pretend_cuda.NAMES.items():
        setattr(torch.cuda, name, value)
    torch.Generator = Generator  # type: ignore[misc]
    torch.set_default_device = _default_device
    torch.nn.Module.cuda = lambda self, device=None: self  # type: ignore[method-assign]
    torch.version.hip = mi300x.HIP_VERSION
    _device.DeviceContext.__init__ = _on_cpu(_device.DeviceContext.__init__)  # type: ignore[method-assign]
    torch.autocast.__init__ = _autocast(torch.autocast.__init__)  # type: ignore[method-assign]


def real_device(tensor: torch.Tensor) -> torch.device:
    """Return the actual device of a tensor."""
    with torch._C.DisableTorchFunction():  # else `with torch.device(...)` would intercept the getter
        return _device_of(tensor)


class Generator(torch._C.Generator):
    """A generator for any device, which is the CPU's."""

    def __new__(cls, device: object = None) -> Generator:
        return super().__new__(cls, device="cpu")  # type: ignore[call-arg]  # torch's stubs have __init__ only


def _on_cpu(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function: map devices in its arguments to the CPU; drop pinned memory, which needs a driver."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if "device" in options:
            options["device"] = _real(options["device"])
        options.pop("pin_memory", None)
        return function(*map(_mapped, arguments), **options)

    return call


def _mapped(argument: Any) -> Any:
    """Map a positional argument that is a device; a string is one only if it names a GPU."""
    if isinstance(argument, torch.device) or (isinstance(argument, str) and argument.startswith(("cuda", "hip"))):
        return _real(argument)
    return argument


def _real(device: Any) -> Any:
    """Map a GPU, also given as a number, to the CPU; return None and meta unchanged."""
    if device is None:
        return None
    kind = "cuda" if isinstance(device, int) else torch.device(device).type
    return CPU if kind in ("cuda", "hip") else device


def _moved(self: torch.Tensor, *arguments: Any, **options: Any) -> torch.Tensor:
    """Replace Tensor.to: moving to the CPU copies, since the tensor counts as one on the GPU."""
    asked = options.get("device", arguments[0] if arguments else None)
    if isinstance(asked, (str, torch.device)) and torch.device(asked).type == "cpu":
        options["copy"] = True
    if "device" in options:
        options["device"] = _real(options["device"])
    if isinstance(asked, int) and arguments:
        arguments = (CPU, *arguments[1:])
    moved: torch.Tensor = _to(self, *map(_mapped, arguments), **options)
    return moved


def _default_device(device: Any) -> None:
    """Replace torch.set_default_device: do nothing, as everything is on the CPU."""
    _set_default_device(None if _real(device) == CPU else device)


def _copied(self: torch.Tensor, memory_format: torch.memory_format = torch.preserve_format) -> torch.Tensor:
    return self.clone(memory_format=memory_format)


def _pretended_device(self: torch.Tensor) -> torch.device:
    device = _device_of(self)
    return CUDA if device.type == "cpu" else device


def _autocast(inherited: Callable[..., None]) -> Callable[..., None]:
    """Wrap autocast's constructor: the GPU's autocast is the CPU's, with the GPU's default dtype."""

    def create(self: Any, device_type: str, dtype: torch.dtype | None = None, *more: Any, **options: Any) -> None:
        inherited(self, "cpu", dtype or (torch.float16 if device_type == "cuda" else None), *more, **options)

    return create


TENSOR: dict[str, Any] = {
    "to": _moved,
    "cpu": _copied,
    "cuda": lambda self, *arguments, **options: self,
    "pin_memory": lambda self, device=None: self,
    "is_pinned": answering(True),
    "record_stream": answering(None),
    "get_device": answering(0),
    "device": property(_pretended_device),
    "is_cuda": property(lambda self: _device_of(self).type == "cpu"),
    "is_cpu": property(lambda self: False),
}
