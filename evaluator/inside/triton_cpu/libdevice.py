"""Functions of AMD's device library by symbol, computed with torch in the precision of their operands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from triton.runtime.interpreter import TensorHandle

from evaluator.inside.triton_cpu.dtypes import numpy_dtype
from evaluator.inside.triton_cpu.errors import UnsupportedFeature

Function = Callable[..., torch.Tensor]
SYMBOL = re.compile(r"^__(?:ocml|triton_hip)_(\w+?)(?:_f32|_f64)?$")
SAME_NAME = (
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "copysign", "cos", "cosh", "erf", "erfc"),
    *("erfinv", "exp", "exp2", "expm1", "floor", "fmod", "hypot", "isfinite", "isinf", "isnan", "lgamma", "log"),
    *("log10", "log1p", "log2", "nextafter", "pow", "rsqrt", "signbit", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)


def call(symbol: str, operands: Sequence[Any], result_type: Any) -> Any:
    """Call a function on handles of operands; return the result's handle."""
    name = SYMBOL.match(symbol)
    function = FUNCTIONS.get(name.group(1)) if name else None
    if function is None:
        raise UnsupportedFeature(f"device library function {symbol}")
    result = function(*(torch.from_numpy(np.array(operand.data)) for operand in operands)).numpy()
    return TensorHandle(result.astype(numpy_dtype(result_type)), result_type.scalar)


def _half_away_from_zero(x: torch.Tensor) -> torch.Tensor:
    whole = torch.trunc(x)
    return torch.where((x - whole).abs() >= 0.5, whole + torch.sign(x), whole)


def _exponent(x: torch.Tensor) -> torch.Tensor:
    return torch.frexp(x).exponent - 1


FUNCTIONS: dict[str, Function] = {
    **{name: getattr(torch, name) for name in SAME_NAME},
    "fabs": torch.abs,
    "iabs": torch.abs,
    "fast_expf": torch.exp,
    "fast_tanhf": torch.tanh,
    "fast_fdividef": torch.div,
    "rint": torch.round,
    "nearbyint": torch.round,
    "llrint": torch.round,
    "round": _half_away_from_zero,
    "fma": lambda x, y, z: torch.addcmul(z.double(), x.double(), y.double()),
    "ldexp": torch.ldexp,
    "pown": torch.pow,
    "ilogb": _exponent,
    "erfcx": torch.special.erfcx,
    "i0": torch.special.i0,
    "i1": torch.special.i1,
    "j0": torch.special.bessel_j0,
    "j1": torch.special.bessel_j1,
    "y0": torch.special.bessel_y0,
    "y1": torch.special.bessel_y1,
}
