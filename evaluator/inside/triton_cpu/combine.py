"""tl.reduce, tl.associative_scan and tl.map_elementwise on whole blocks.

Triton's interpreter calls a combine function once per element (a sort of 256 took 0.6 s). Here whole blocks of
neighbours are combined, in log2(n) calls; a function that branches on its values is called lane by lane. Sums of
half-precision numbers are rounded at each step, as on the device.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl
from triton.language import standard
from triton.runtime.interpreter import TensorHandle

from evaluator.inside.triton_cpu.builder import semantic
from evaluator.inside.triton_cpu.dtypes import Array, is_narrow, numpy_dtype
from evaluator.inside.triton_cpu.errors import UnsupportedFeature
from evaluator.inside.triton_cpu.meaning import BlockTruth, assigned

Blocks = tuple[Any, ...]
REDUCTIONS = {
    "_elementwise_max": np.fmax,
    "_elementwise_min": np.fmin,
    "_sum_combine": np.add,
    "_xor_combine": np.bitwise_xor,
    "_or_combine": np.bitwise_or,
}
SCANS = {"_sum_combine": np.add, "_prod_combine": np.multiply}
EXTREMES = {
    "_argmax_combine_tie_break_left": np.argmax,
    "_argmax_combine_tie_break_fast": np.argmax,
    "_argmin_combine_tie_break_left": np.argmin,
    "_argmin_combine_tie_break_fast": np.argmin,
}


def reduce(operand: Any, axis: Any, combine_fn: Any, keep_dims: Any = False, **options: object) -> Any:
    """Reduce over one axis, or over the whole block if `axis` is None."""
    blocks, axis, keep_dims = _tuple(operand), _plain(axis), _plain(keep_dims)
    rank = len(blocks[0].shape)
    axes = tuple(range(rank)) if axis is None else (axis % rank,)
    if axis is None:
        blocks = tuple(_tensor(block.handle.data.reshape(-1), block.dtype) for block in blocks)
    arrays = _reduced(blocks, axes[0], combine_fn)
    if keep_dims:
        arrays = [np.expand_dims(array, axes) for array in arrays]
    results = tuple(_tensor(array, block.dtype) for array, block in zip(arrays, blocks, strict=True))
    return results if isinstance(operand, tuple) else results[0]


def associative_scan(operand: Any, axis: Any, combine_fn: Any, reverse: Any = False, **options: object) -> Any:
    """Scan inclusively along one axis, from its end if `reverse`."""
    blocks, reverse = _tuple(operand), _plain(reverse)
    axis = _plain(axis) % len(blocks[0].shape)
    if reverse:
        blocks = tuple(_tensor(np.flip(block.handle.data, axis), block.dtype) for block in blocks)
    scanned = _scanned(blocks, axis, combine_fn)
    if reverse:
        scanned = tuple(_tensor(np.flip(block.handle.data, axis), block.dtype) for block in scanned)
    return scanned if isinstance(operand, tuple) else scanned[0]


def map_elementwise(scalar_fn: Any, *operands: Any, pack: Any = 1, **options: object) -> Any:
    """Apply `scalar_fn` to every lane of blocks of the same shape."""
    if _plain(pack) != 1:
        raise UnsupportedFeature("map_elementwise with pack > 1")
    results = _apply(scalar_fn, semantic.broadcast_tensors(*operands))
    return results if len(results) > 1 else results[0]


def _reduced(blocks: Blocks, axis: int, combine_fn: Any) -> list[Array]:
    ufunc = _native(REDUCTIONS, combine_fn, blocks)
    if ufunc is not None:
        data = blocks[0].handle.data
        return [ufunc.reduce(data, axis=axis, dtype=data.dtype)]
    extremes = _extremes(blocks, axis, combine_fn)
    if extremes is not None:
        return extremes
    while blocks[0].handle.data.shape[axis] > 1:
        even, odd = (_every_second(blocks, axis, first) for first in (0, 1))
        blocks = _combined(combine_fn, even, odd)
    return [np.take(block.handle.data, 0, axis) for block in blocks]


def _scanned(blocks: Blocks, axis: int, combine_fn: Any) -> Blocks:
    ufunc = _native(SCANS, combine_fn, blocks)
    if ufunc is not None:
        data = blocks[0].handle.data
        return (_tensor(ufunc.accumulate(data, axis=axis, dtype=data.dtype), blocks[0].dtype),)
    length = blocks[0].handle.data.shape[axis]
    index = np.arange(length).reshape([-1 if dim == axis else 1 for dim in range(len(blocks[0].shape))])
    distance = 1
    while distance < length:
        earlier = tuple(_tensor(np.roll(block.handle.data, distance, axis), block.dtype) for block in blocks)
        joined = _combined(combine_fn, earlier, blocks)
        blocks = tuple(
            _tensor(np.where(index >= distance, new.handle.data, old.handle.data), old.dtype)
            for new, old in zip(joined, blocks, strict=True)
        )
        distance *= 2
    return blocks


def _native(table: dict[str, Any], combine_fn: Any, blocks: Blocks) -> Any:
    """Return NumPy's equivalent of a Triton function, unless it would sum half-precision numbers without rounding."""
    ufunc = _known(table, combine_fn)
    halves = any(block.dtype.is_floating() and block.dtype.primitive_bitwidth < 32 for block in blocks)
    return None if halves else ufunc


def _extremes(blocks: Blocks, axis: int, combine_fn: Any) -> list[Array] | None:
    """Return value and index of a maximum or minimum; None if NaN makes the order of comparisons matter."""
    find = _known(EXTREMES, combine_fn)
    if find is None or is_narrow(blocks[0].dtype):
        return None
    values, index = (block.handle.data for block in blocks)
    numbers = np.arange(values.shape[axis]).reshape([-1 if dim == axis else 1 for dim in range(values.ndim)])
    if not (index == numbers).all() or (values.dtype.kind == "f" and np.isnan(values).any()):
        return None
    place = np.expand_dims(find(values, axis=axis), axis)
    return [np.take_along_axis(array, place, axis).squeeze(axis) for array in (values, index)]


def _known(table: dict[str, Any], combine_fn: Any) -> Any:
    name = getattr(combine_fn, "__name__", "")
    return table.get(name) if combine_fn is getattr(standard, name, None) else None


def _every_second(blocks: Blocks, axis: int, first: int) -> Blocks:
    lanes = (slice(None),) * axis + (slice(first, None, 2),)
    return tuple(_tensor(block.handle.data[lanes], block.dtype) for block in blocks)


def _combined(combine_fn: Any, left: Blocks, right: Blocks) -> Blocks:
    results = _apply(combine_fn, (*left, *right))
    return tuple(semantic.cast(result, block.dtype) for result, block in zip(results, left, strict=True))


def _apply(function: Any, blocks: Blocks) -> Blocks:
    """Apply a function to whole blocks or, if it branches on a value, lane by lane."""
    shape = blocks[0].handle.data.shape
    try:
        results = _tuple(function(*blocks))
    except BlockTruth:
        results = _lane_by_lane(function, blocks)
    tensors = (assigned(result) for result in results)
    return tuple(_tensor(np.broadcast_to(tensor.handle.data, shape), tensor.dtype) for tensor in tensors)


def _lane_by_lane(function: Any, blocks: Blocks) -> Blocks:
    shape = blocks[0].handle.data.shape
    lanes = zip(*(block.handle.data.reshape(-1) for block in blocks), strict=True)
    rows = []
    for lane in lanes:
        scalars = (_tensor(value, block.dtype) for value, block in zip(lane, blocks, strict=True))
        rows.append([assigned(result) for result in _tuple(function(*scalars))])
    columns = zip(*rows, strict=True)
    return tuple(
        _tensor(np.concatenate([one.handle.data for one in column]).reshape(shape), column[0].dtype)
        for column in columns
    )


def _tensor(data: Any, dtype: Any) -> Any:
    """Return a block, or a scalar for an array without axes."""
    array = np.asarray(data, dtype=numpy_dtype(dtype))
    if array.ndim == 0:
        return tl.tensor(TensorHandle(array.reshape(1), dtype), dtype)
    return tl.tensor(TensorHandle(array, dtype), tl.block_type(dtype, list(array.shape)))


def _tuple(value: Any) -> Blocks:
    return tuple(value) if isinstance(value, (tuple, tl.tuple)) else (value,)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value
