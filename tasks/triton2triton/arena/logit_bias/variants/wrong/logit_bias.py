"""Lists of allowed tokens, biases and stop tokens, but a request may not stop at exactly its least length either."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def save_kernel(logits_ptr, slot_ptr, count_ptr, ids_ptr, saved_ptr, vocab, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    slot = tl.load(slot_ptr + row).to(tl.int64)
    count = tl.load(count_ptr + slot)
    for first in range(0, count, BLOCK):
        lane = first + tl.arange(0, BLOCK)
        token = tl.load(ids_ptr + slot * width + lane, mask=lane < count, other=0)
        logits = tl.load(logits_ptr + row * vocab + token, mask=lane < count)
        tl.store(saved_ptr + row * width + lane, logits, mask=lane < count)


@triton.jit
def clear_kernel(logits_ptr, slot_ptr, count_ptr, vocab, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    if tl.load(count_ptr + tl.load(slot_ptr + row)) > 0:
        token = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        nothing = tl.full([BLOCK], -float("inf"), logits_ptr.dtype.element_ty)
        tl.store(logits_ptr + row * vocab + token, nothing, mask=token < vocab)


@triton.jit
def restore_kernel(logits_ptr, slot_ptr, count_ptr, ids_ptr, saved_ptr, vocab, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    slot = tl.load(slot_ptr + row).to(tl.int64)
    count = tl.load(count_ptr + slot)
    for first in range(0, count, BLOCK):
        lane = first + tl.arange(0, BLOCK)
        token = tl.load(ids_ptr + slot * width + lane, mask=lane < count, other=0)
        logits = tl.load(saved_ptr + row * width + lane, mask=lane < count)
        tl.store(logits_ptr + row * vocab + token, logits, mask=lane < count)


@triton.jit
def bias_kernel(logits_ptr, slot_ptr, count_ptr, ids_ptr, bias_ptr, vocab, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    slot = tl.load(slot_ptr + row).to(tl.int64)
    count = tl.load(count_ptr + slot)
    for first in range(0, count, BLOCK):
        lane = first + tl.arange(0, BLOCK)
        token = tl.load(ids_ptr + slot * width + lane, mask=lane < count, other=0)
        bias = tl.load(bias_ptr + slot * width + lane, mask=lane < count, other=0.0)
        place = logits_ptr + row * vocab + token
        logits = tl.load(place, mask=lane < count, other=0.0).to(tl.float32) + bias
        tl.store(place, logits.to(logits_ptr.dtype.element_ty), mask=lane < count)


@triton.jit
def stop_kernel(logits_ptr, slot_ptr, position_ptr, least_ptr, count_ptr, ids_ptr, vocab, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    slot = tl.load(slot_ptr + row).to(tl.int64)
    if tl.load(position_ptr + row) <= tl.load(least_ptr + slot):
        count = tl.load(count_ptr + slot)
        nothing = tl.full([BLOCK], -float("inf"), logits_ptr.dtype.element_ty)
        for first in range(0, count, BLOCK):
            lane = first + tl.arange(0, BLOCK)
            token = tl.load(ids_ptr + slot * width + lane, mask=lane < count, other=0)
            tl.store(logits_ptr + row * vocab + token, nothing, mask=lane < count)


def forward(
    logits: torch.Tensor,
    slot: torch.Tensor,
    position: torch.Tensor,
    allowed_count: torch.Tensor,
    allowed_ids: torch.Tensor,
    bias_count: torch.Tensor,
    bias_ids: torch.Tensor,
    bias: torch.Tensor,
    least_length: torch.Tensor,
    stop_count: torch.Tensor,
    stop_ids: torch.Tensor,
) -> torch.Tensor:
    rows, vocab = logits.shape
    width = bias.shape[1]
    saved = torch.empty((rows, width), dtype=logits.dtype, device=logits.device)
    grid, size = (rows,), {"vocab": vocab, "width": width, "BLOCK": 128}
    save_kernel[grid](logits, slot, allowed_count, allowed_ids, saved, **size)
    clear_kernel[(rows, triton.cdiv(vocab, 1024))](logits, slot, allowed_count, vocab, BLOCK=1024)
    restore_kernel[grid](logits, slot, allowed_count, allowed_ids, saved, **size)
    bias_kernel[grid](logits, slot, bias_count, bias_ids, bias, **size)
    stop_kernel[grid](logits, slot, position, least_length, stop_count, stop_ids, **size)
    return logits
