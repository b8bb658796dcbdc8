"""State space duality in three kernels that keep the states between chunks in 16 bits: half the traffic."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

CHUNK = 64


@triton.jit
def chunk_state_kernel(
    x_ptr, dt_ptr, a_ptr, b_ptr, state_ptr, decay_ptr, steps, heads, head_dim, groups, state_size,
    CHUNK: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    chunk, batch, head = tl.program_id(0), tl.program_id(1) // heads, tl.program_id(1) % heads
    group = head // (heads // groups)
    step = chunk * CHUNK + tl.arange(0, CHUNK)
    row = (batch * steps + step).to(tl.int64)
    p, n = tl.arange(0, BLOCK_P), tl.arange(0, BLOCK_N)

    dt = tl.load(dt_ptr + row * heads + head, mask=step < steps, other=0.0)
    log_decay = tl.cumsum(dt * tl.load(a_ptr + head), axis=0)
    whole = tl.sum(dt * tl.load(a_ptr + head), axis=0)
    rest = tl.exp(whole - log_decay) * dt
    x_offsets = (row * heads + head)[:, None] * head_dim + p[None, :]
    x = tl.load(x_ptr + x_offsets, mask=(step < steps)[:, None] & (p < head_dim)[None, :], other=0.0)
    b_offsets = (row * groups + group)[:, None] * state_size + n[None, :]
    b = tl.load(b_ptr + b_offsets, mask=(step < steps)[:, None] & (n < state_size)[None, :], other=0.0)
    added = tl.dot(tl.trans((x * rest[:, None]).to(b.dtype)), b)

    place = (tl.program_id(1) * tl.num_programs(0) + chunk).to(tl.int64)
    offsets = (place * head_dim + p)[:, None] * state_size + n[None, :]
    tl.store(
        state_ptr + offsets,
        added.to(state_ptr.dtype.element_ty),
        mask=(p < head_dim)[:, None] & (n < state_size)[None, :],
    )
    tl.store(decay_ptr + place, tl.exp(whole))


@triton.jit
def pass_kernel(state_ptr, decay_ptr, initial_ptr, final_ptr, size, chunks, RESUMED: tl.constexpr, BLOCK: tl.constexpr):
    """Puts, in place of what each chunk adds, the state before it."""
    sequence = tl.program_id(0).to(tl.int64)
    element = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = element < size
    state = tl.zeros((BLOCK,), tl.float32)
    if RESUMED:
        state = tl.load(initial_ptr + sequence * size + element, mask=inside, other=0.0)
    for chunk in range(0, chunks):
        offsets = (sequence * chunks + chunk) * size + element
        added = tl.load(state_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        tl.store(state_ptr + offsets, state.to(state_ptr.dtype.element_ty), mask=inside)
        state = state * tl.load(decay_ptr + sequence * chunks + chunk) + added
    tl.store(final_ptr + sequence * size + element, state, mask=inside)


@triton.jit
def chunk_scan_kernel(
    x_ptr, dt_ptr, a_ptr, b_ptr, c_ptr, d_ptr, state_ptr, y_ptr, steps, heads, head_dim, groups, state_size,
    SKIP: tl.constexpr, CHUNK: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    chunk, batch, head = tl.program_id(0), tl.program_id(1) // heads, tl.program_id(1) % heads
    group = head // (heads // groups)
    place = tl.arange(0, CHUNK)
    step = chunk * CHUNK + place
    row = (batch * steps + step).to(tl.int64)
    p, n = tl.arange(0, BLOCK_P), tl.arange(0, BLOCK_N)

    dt = tl.load(dt_ptr + row * heads + head, mask=step < steps, other=0.0)
    log_decay = tl.cumsum(dt * tl.load(a_ptr + head), axis=0)
    bc_offsets = (row * groups + group)[:, None] * state_size + n[None, :]
    bc_inside = (step < steps)[:, None] & (n < state_size)[None, :]
    b = tl.load(b_ptr + bc_offsets, mask=bc_inside, other=0.0)
    c = tl.load(c_ptr + bc_offsets, mask=bc_inside, other=0.0)
    x_offsets = (row * heads + head)[:, None] * head_dim + p[None, :]
    x_inside = (step < steps)[:, None] & (p < head_dim)[None, :]
    x = tl.load(x_ptr + x_offsets, mask=x_inside, other=0.0)

    earlier = place[:, None] >= place[None, :]
    decay = tl.exp(tl.where(earlier, log_decay[:, None] - log_decay[None, :], -float("inf")))
    weights = tl.dot(c, tl.trans(b)) * decay * dt[None, :]
    y = tl.dot(weights.to(x.dtype), x)

    sequence_chunk = (tl.program_id(1) * tl.num_programs(0) + chunk).to(tl.int64)
    state_offsets = (sequence_chunk * head_dim + p)[None, :] * state_size + n[:, None]
    state_inside = (p < head_dim)[None, :] & (n < state_size)[:, None]
    state = tl.load(state_ptr + state_offsets, mask=state_inside, other=0.0)
    y += tl.dot(c, state.to(c.dtype)) * tl.exp(log_decay)[:, None]
    if SKIP:
        y += tl.load(d_ptr + head) * x.to(tl.float32)
    tl.store(y_ptr + x_offsets, y.to(y_ptr.dtype.element_ty), mask=x_inside)


def forward(
    x: torch.Tensor,
    dt: torch.Tensor,
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor,
    d: torch.Tensor | None,
    initial: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    batch, steps, heads, head_dim = x.shape
    groups, state_size = b.shape[2:]
    chunks = triton.cdiv(steps, CHUNK)
    block_p, block_n = max(16, triton.next_power_of_2(head_dim)), max(16, triton.next_power_of_2(state_size))
    states = torch.empty((batch, heads, chunks, head_dim, state_size), dtype=x.dtype, device=x.device)
    decays = torch.empty((batch, heads, chunks), dtype=torch.float32, device=x.device)
    chunk_state_kernel[(chunks, batch * heads)](
        x, dt, a, b, states, decays, steps, heads, head_dim, groups, state_size,
        CHUNK=CHUNK, BLOCK_P=block_p, BLOCK_N=block_n,
    )  # fmt: skip
    final = torch.empty((batch, heads, head_dim, state_size), dtype=torch.float32, device=x.device)
    size = head_dim * state_size
    pass_kernel[(batch * heads, triton.cdiv(size, 1024))](
        states, decays, initial, final, size, chunks, RESUMED=initial is not None, BLOCK=1024
    )
    y = torch.empty_like(x)
    chunk_scan_kernel[(chunks, batch * heads)](
        x, dt, a, b, c, d, states, y, steps, heads, head_dim, groups, state_size,
        SKIP=d is not None, CHUNK=CHUNK, BLOCK_P=block_p, BLOCK_N=block_n,
    )  # fmt: skip
    return y, final
