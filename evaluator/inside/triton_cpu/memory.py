"""Loads, stores and atomics with bounds checks; atomics on half-precision numbers; tensor descriptors."""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import interpreter as native
from triton._C.libtriton import ir
from triton.runtime.interpreter import TensorDescHandle, TensorHandle

from evaluator.inside.triton_cpu import libdevice
from evaluator.inside.triton_cpu.bounds import Bounds
from evaluator.inside.triton_cpu.dtypes import Array, numpy_dtype
from evaluator.inside.triton_cpu.errors import DeviceAssertFailed, OutOfBounds, UnsupportedFeature
from evaluator.inside.triton_cpu.narrow import NarrowFloats
from evaluator.inside.triton_cpu.undefined import not_a_number, undefined
from evaluator.inside.triton_cpu.written import Written


class Memory(NarrowFloats):
    """The part of the builder that accesses memory. `bounds` and `written` are set during a launch."""

    def __init__(self) -> None:
        super().__init__()
        self.bounds, self.written = Bounds([]), Written()
        self.has_other = False  # the running load says what masked lanes hold
        self._turn = 0  # of undefined values

    def create_masked_load(self, ptrs: Any, mask: Any, other: Any, *hints: Any, **named_hints: Any) -> Any:
        self._check("load", ptrs, mask)
        if other is None and not self.has_other and not np.all(mask.data):
            kind = ptrs.get_element_ty()
            other = TensorHandle(self._undefined(kind, ptrs.data.shape), kind)
        return super().create_masked_load(ptrs, mask, other, *hints, **named_hints)

    def create_tensor_pointer_load(self, ptr: Any, boundary_check: Any, padding: Any, *hints: Any) -> Any:
        pointers, inside = ptr.materialize_pointers(boundary_check)
        return self.create_masked_load(pointers, inside, _padding(padding, pointers), *hints)

    def create_descriptor_load(self, desc: Any, indices: Any, *hints: Any) -> Any:
        pointers, inside = desc.materialize_pointers(indices)
        return self.create_masked_load(pointers, inside, _padding(desc.padding, pointers), *hints, is_volatile=False)

    def create_masked_store(self, ptrs: Any, value: Any, mask: Any, *hints: Any, **named_hints: Any) -> Any:
        self._check("store", ptrs, mask)
        return super().create_masked_store(ptrs, value, mask, *hints, **named_hints)

    def create_atomic_cas(self, ptr: Any, *operands: Any) -> Any:
        self._check("atomic", ptr, None)
        return super().create_atomic_cas(ptr, *operands)

    def create_atomic_rmw(self, operation: Any, ptr: Any, value: Any, mask: Any, *order: Any) -> Any:
        self._check("atomic", ptr, mask)
        old = self._read_and_write(operation, ptr, value, mask, *order)
        if np.all(mask.data):
            return old
        kind = old.dtype.scalar
        return TensorHandle(np.where(mask.data, old.data, self._undefined(kind, old.data.shape)), kind)

    def _read_and_write(self, operation: Any, ptr: Any, value: Any, mask: Any, *order: Any) -> Any:
        if operation == ir.ATOMIC_OP.FADD and value.dtype.scalar.primitive_bitwidth == 16:
            return self._add_halves(ptr, value, mask)
        if operation == ir.ATOMIC_OP.XCHG:
            return self._exchange_bits(ptr, value, mask, *order)
        return super().create_atomic_rmw(operation, ptr, value, mask, *order)

    def create_make_tensor_descriptor(self, *arguments: Any) -> Any:
        """Make a descriptor without the inherited alignment checks: on gfx942 it is just pointers."""
        return Descriptor(*arguments[:4], *arguments[5:])

    def create_descriptor_reduce(self, kind: Any, descriptor: Descriptor, value: Any, offsets: Any) -> Any:
        """Do an atomic of a descriptor as one on the pointers inside it; its result is not given to anybody."""
        pointers, inside = descriptor.materialize_pointers(offsets)
        dtype, name = value.dtype.scalar, str(kind.name)
        if name == "ADD" and dtype.is_floating():
            name = "FADD"
        elif name in ("MAX", "MIN") and dtype.is_int_unsigned():
            name = f"U{name}"
        order = ir.MEM_SEMANTIC.RELAXED, ir.MEM_SYNC_SCOPE.GPU
        return self.create_atomic_rmw(
            ir.ATOMIC_OP.__members__[name], pointers, value, TensorHandle(inside, tl.int1), *order
        )

    def create_assert(self, condition: Any, message: str) -> None:
        self._require(condition, f"device_assert failed in program {self.grid_idx}: {message}")

    def create_assume(self, condition: Any) -> None:
        self._require(condition, f"assume failed in program {self.grid_idx}")

    def create_extern_elementwise(
        self, library: str, path: str, symbol: str, operands: Any, result_type: Any, is_pure: bool
    ) -> Any:
        return libdevice.call(symbol, operands, result_type)

    def create_inline_asm(self, *arguments: Any) -> Any:
        raise UnsupportedFeature("inline assembly")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("create_"):
            raise UnsupportedFeature(f"Triton operation {name.removeprefix('create_')}")
        raise AttributeError(name)

    def _check(self, what: str, pointers: Any, mask: Any) -> None:
        addresses = pointers.data
        if mask is not None:
            active = np.asarray(mask.data)
            if not active.all():
                addresses = np.broadcast_to(addresses, active.shape)[active]
        item_bytes = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
        if outside := self.bounds.outside(addresses, item_bytes):
            raise OutOfBounds(
                f"{what} out of bounds in program {self.grid_idx}: {outside} of {addresses.size} active lanes"
            )
        if what != "load" and addresses.size:
            self.written.note(addresses, item_bytes, self.bounds)

    def _undefined(self, dtype: Any, shape: tuple[int, ...]) -> Array:
        self._turn += 1
        return undefined(dtype, shape, self._turn)

    def _require(self, condition: Any, text: str) -> None:
        if not np.all(condition.data):
            raise DeviceAssertFailed(text)

    def _add_halves(self, pointers: Any, value: Any, mask: Any) -> Any:
        """Add in rounds with one lane per address each, so that lanes with the same address add one by one."""
        addresses, waiting = np.ascontiguousarray(pointers.data).reshape(-1), np.array(mask.data, bool).reshape(-1)
        added = np.ascontiguousarray(value.data).reshape(-1)
        before = np.zeros_like(added)
        while waiting.any():
            lanes = np.flatnonzero(waiting)
            lanes = lanes[np.unique(addresses[lanes], return_index=True)[1]]
            before[lanes] = self._add_once(addresses[lanes], added[lanes], value.dtype.scalar)
            waiting[lanes] = False
        return TensorHandle(before.reshape(value.data.shape), value.dtype.scalar)

    def _exchange_bits(self, pointers: Any, value: Any, mask: Any, *order: Any) -> Any:
        """Exchange floats by their bits; the inherited method exchanges integers only."""
        bits = tl.dtype(f"uint{value.data.itemsize * 8}")
        integers = TensorHandle(value.data.view(numpy_dtype(bits)), bits)
        old = super().create_atomic_rmw(ir.ATOMIC_OP.XCHG, pointers, integers, mask, *order)
        return TensorHandle(old.data.view(value.data.dtype), value.dtype.scalar)

    def _add_once(self, addresses: Array, added: Array, dtype: Any) -> Array:
        everywhere = np.ones(addresses.shape, bool)
        old = native.load(addresses, everywhere, np.zeros_like(added), numpy_dtype(dtype))
        total = self.create_fadd(TensorHandle(old, dtype), TensorHandle(added, dtype))
        native.store(addresses, total.data, everywhere)
        array: Array = old
        return array


def _padding(option: Any, pointers: Any) -> Any:
    """Return what lanes beyond the border hold. Triton's own code pads bf16 and fp8 with 0 where it means NaN."""
    kind, shape = pointers.get_element_ty(), pointers.data.shape
    if option is None:
        return None
    nan = option == ir.PADDING_OPTION.PAD_NAN
    return TensorHandle(not_a_number(kind, shape) if nan else np.zeros(shape, numpy_dtype(kind)), kind)


class Descriptor(TensorDescHandle):  # type: ignore[misc]  # triton has no types
    """A descriptor that allows any base and any offset."""

    def materialize_pointers(self, offsets: Any) -> tuple[Any, Array]:
        item_bytes = self.base.dtype.element_ty.primitive_bitwidth // 8
        pointers = np.broadcast_to(self.base.data, self.block_shape)
        inside = np.ones(self.block_shape, dtype=bool)
        for axis, length in enumerate(self.block_shape):
            shape = [1] * len(self.block_shape)
            shape[axis] = length
            index = (offsets[axis].data.astype(np.int64) + np.arange(length)).reshape(shape)
            pointers = pointers + (item_bytes * index * self.strides[axis].data).astype(np.uint64)
            inside = inside & (index >= 0) & (index < self.shape[axis].data)
        return TensorHandle(pointers, self.base.dtype.scalar), inside
