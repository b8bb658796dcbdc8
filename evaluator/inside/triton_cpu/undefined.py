"""The values of lanes that Triton leaves undefined: masked ones of a load without `other`, and of an atomic's result.

On a device they hold anything, often 0. Here they hold what shows in the output of a kernel that uses them: NaN and the
largest numbers of both signs, for integers two patterns of bits, in turns.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from evaluator.inside.triton_cpu.dtypes import Array, numpy_dtype

_BITS = {  # NaN, the largest number and the lowest one of types that NumPy lacks
    "bf16": (0x7FC0, 0x7F7F, 0xFF7F),
    "fp8e4nv": (0x7F, 0x7E, 0xFE),
    "fp8e5": (0x7F, 0x7B, 0xFB),
    "fp8e4b8": (0x80, 0x7F, 0xFF),
    "fp8e5b16": (0x80, 0x7F, 0xFF),
}


def undefined(dtype: Any, shape: tuple[int, ...], turn: int) -> Array:
    """Return values of a scalar type that no kernel may rely on; the first one differs from turn to turn."""
    pattern, count = _pattern(dtype.name, numpy_dtype(dtype)), math.prod(shape)
    start = turn % len(pattern)
    return _repeated(dtype.name, numpy_dtype(dtype), count + len(pattern))[start : start + count].reshape(shape)


def not_a_number(dtype: Any, shape: tuple[int, ...]) -> Array:
    """Return NaN of a scalar float type as it is stored; NumPy would make 0 of it in an unsigned integer."""
    return np.full(shape, _pattern(dtype.name, numpy_dtype(dtype))[0])


@functools.lru_cache(maxsize=16)
def _repeated(name: str, kind: np.dtype[Any], count: int) -> Array:
    values = np.resize(_pattern(name, kind), count)
    values.flags.writeable = False
    return values


@functools.cache
def _pattern(name: str, kind: np.dtype[Any]) -> Array:
    if name in _BITS:
        nan, most, least = _BITS[name]
        return np.array([nan, most, nan, least], kind)
    if kind.kind == "f":
        limits = np.finfo(kind)
        return np.array([np.nan, limits.max, np.nan, limits.min], kind)
    if kind.kind == "b":
        return np.array([True])
    return np.frombuffer(b"\xaa" * kind.itemsize + b"\x55" * kind.itemsize, kind)
