"""Triton's element types in NumPy: bf16 and fp8 are stored as unsigned integers and widened to compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import triton.language as tl

Array = npt.NDArray[Any]

BFLOAT16 = "bf16"
FLOAT8 = {
    "fp8e4nv": torch.float8_e4m3fn,
    "fp8e5": torch.float8_e5m2,
    "fp8e4b8": torch.float8_e4m3fnuz,
    "fp8e5b16": torch.float8_e5m2fnuz,
}
SATURATING = ("fp8e4nv", "fp8e5")  # clamped by Triton's code; the others, converted in hardware, overflow to NaN
NUMPY = {
    "int1": np.dtype(np.bool_),
    **{name: np.dtype(name) for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    "fp16": np.dtype(np.float16),
    "fp32": np.dtype(np.float32),
    "fp64": np.dtype(np.float64),
    BFLOAT16: np.dtype(np.uint16),
    **dict.fromkeys([*FLOAT8, "fp8e4b15"], np.dtype(np.uint8)),
}
POINTER = np.dtype(np.uint64)


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the NumPy dtype for a scalar, pointer or block type of Triton."""
    scalar = dtype.scalar
    return POINTER if isinstance(scalar, tl.pointer_type) else NUMPY[scalar.name]


def array_of(values: Any, dtype: Any) -> Array:
    """Return numbers as an array of a Triton type that NumPy has too."""
    return np.array(values, dtype=NUMPY[dtype.scalar.name])


def is_narrow(dtype: Any) -> bool:
    """Return whether it is a float type that NumPy cannot compute with."""
    return dtype.name == BFLOAT16 or dtype.name in FLOAT8


def widen(data: Array, dtype: Any) -> Array:
    """Convert bf16 or fp8 data to float32, exactly."""
    if dtype.name == BFLOAT16:
        return (data.astype(np.uint32) << 16).view(np.float32)
    eight_bits = torch.from_numpy(np.array(data, dtype=np.uint8))
    return _array(eight_bits.view(FLOAT8[dtype.name]).to(torch.float32))


def narrow(data: Array, dtype: Any) -> Array:
    """Convert float32 values to bf16 or fp8 data: to nearest, ties to even, with overflow as on gfx942."""
    data = np.ascontiguousarray(data, dtype=np.float32)
    if dtype.name == BFLOAT16:
        return _narrow_to_bfloat16(data)
    kind = FLOAT8[dtype.name]
    values = torch.from_numpy(data.copy())
    if dtype.name in SATURATING:
        values = values.clamp(-torch.finfo(kind).max, torch.finfo(kind).max)
    return _array(values.to(kind).view(torch.uint8))


def _narrow_to_bfloat16(data: Array) -> Array:
    bits = data.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(data), np.uint32(0x7FC0) | (bits >> 16 & 0x8000), rounded).astype(np.uint16)


def _array(tensor: torch.Tensor) -> Array:
    array: Array = tensor.numpy()
    return array
