"""State space duality with the state in registers: a program walks along the chunks of a head and writes outputs as
it goes.

States between chunks never go through memory. Where sequences and heads are too few to fill the device, each sequence
is cut into segments of many chunks: a first walk sums up what a segment adds, these few sums are passed along, then
all segments walk at once.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

CHUNK = 64
PROGRAMS = 264  # two for each processor of the devices this is for
LEAST_CHUNKS = 4  # a segment: below that the second reading costs more than it gains


@triton.jit
def summary_kernel(
    x_ptr, dt_ptr, a_ptr, b_ptr, state_ptr, decay_ptr, steps, heads, head_dim, groups, state_size, segment_steps,
    CHUNK: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """What every segment adds to the state, and how much of the state before it stays."""
    segment, batch, head = tl.program_id(0), tl.program_id(1) // heads, tl.program_id(1) % heads
    group = head // (heads // groups)
    p, n = tl.program_id(2) * BLOCK_P + tl.arange(0, BLOCK_P), tl.arange(0, BLOCK_N)
    a = tl.load(a_ptr + head)
    state = tl.zeros((BLOCK_P, BLOCK_N), tl.float32)
    total = 0.0
    first = segment * segment_steps
    for begin in range(first, tl.minimum(steps, first + segment_steps), CHUNK):
        step = begin + tl.arange(0, CHUNK)
        row = (batch * steps + step).to(tl.int64)
        dt = tl.load(dt_ptr + row * heads + head, mask=step < steps, other=0.0)
        log_decay = tl.cumsum(dt * a, axis=0)
        whole = tl.sum(dt * a, axis=0)
        x_inside = (step < steps)[:, None] & (p < head_dim)[None, :]
        x = tl.load(x_ptr + (row * heads + head)[:, None] * head_dim + p[None, :], mask=x_inside, other=0.0)
        b_inside = (step < steps)[:, None] & (n < state_size)[None, :]
        b = tl.load(b_ptr + (row * groups + group)[:, None] * state_size + n[None, :], mask=b_inside, other=0.0)
        rest = tl.exp(whole - log_decay) * dt
        state = tl.dot(tl.trans((x * rest[:, None]).to(b.dtype)), b, state * tl.exp(whole))
        total += whole
    place = (tl.program_id(1) * tl.num_programs(0) + segment).to(tl.int64)
    offsets = (place * head_dim + p)[:, None] * state_size + n[None, :]
    tl.store(state_ptr + offsets, state, mask=(p < head_dim)[:, None] & (n < state_size)[None, :])
    if tl.program_id(2) == 0:
        tl.store(decay_ptr + place, tl.exp(total))


@triton.jit
def pass_kernel(state_ptr, decay_ptr, initial_ptr, size, segments, RESUMED: tl.constexpr, BLOCK: tl.constexpr):
    """Puts, in place of what each segment adds, the state before it."""
    sequence = tl.program_id(0).to(tl.int64)
    element = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    state = tl.zeros((BLOCK,), tl.float32)
    if RESUMED:
        state = tl.load(initial_ptr + sequence * size + element, mask=element < size, other=0.0)
    for segment in range(0, segments):
        offsets = (sequence * segments + segment) * size + element
        added = tl.load(state_ptr + offsets, mask=element < size, other=0.0)
        tl.store(state_ptr + offsets, state, mask=element < size)
        state = state * tl.load(decay_ptr + sequence * segments + segment) + added


@triton.jit
def walk_kernel(
    x_ptr, dt_ptr, a_ptr, b_ptr, c_ptr, d_ptr, start_ptr, y_ptr, final_ptr,
    steps, heads, head_dim, groups, state_size, segment_steps,
    SKIP: tl.constexpr, STARTED: tl.constexpr, CHUNK: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    segment, batch, head = tl.program_id(0), tl.program_id(1) // heads, tl.program_id(1) % heads
    group = head // (heads // groups)
    place = tl.arange(0, CHUNK)
    earlier = place[:, None] >= place[None, :]
    p, n = tl.program_id(2) * BLOCK_P + tl.arange(0, BLOCK_P), tl.arange(0, BLOCK_N)
    state_inside = (p < head_dim)[:, None] & (n < state_size)[None, :]
    in_state = p[:, None] * state_size + n[None, :]
    size = head_dim * state_size
    a = tl.load(a_ptr + head)

    state = tl.zeros((BLOCK_P, BLOCK_N), tl.float32)
    if STARTED:
        start = (tl.program_id(1) * tl.num_programs(0) + segment).to(tl.int64) * size
        state = tl.load(start_ptr + start + in_state, mask=state_inside, other=0.0)
    first = segment * segment_steps
    for begin in range(first, tl.minimum(steps, first + segment_steps), CHUNK):
        step = begin + place
        row = (batch * steps + step).to(tl.int64)
        dt = tl.load(dt_ptr + row * heads + head, mask=step < steps, other=0.0)
        log_decay = tl.cumsum(dt * a, axis=0)
        whole = tl.sum(dt * a, axis=0)
        bc_offsets = (row * groups + group)[:, None] * state_size + n[None, :]
        bc_inside = (step < steps)[:, None] & (n < state_size)[None, :]
        b = tl.load(b_ptr + bc_offsets, mask=bc_inside, other=0.0)
        c = tl.load(c_ptr + bc_offsets, mask=bc_inside, other=0.0)
        x_offsets = (row * heads + head)[:, None] * head_dim + p[None, :]
        x_inside = (step < steps)[:, None] & (p < head_dim)[None, :]
        x = tl.load(x_ptr + x_offsets, mask=x_inside, other=0.0)

        y = tl.dot(c, tl.trans(state.to(c.dtype))) * tl.exp(log_decay)[:, None]
        decay = tl.exp(tl.where(earlier, log_decay[:, None] - log_decay[None, :], -float("inf")))
        weights = tl.dot(c, tl.trans(b)) * decay * dt[None, :]
        y = tl.dot(weights.to(x.dtype), x, y)
        if SKIP:
            y += tl.load(d_ptr + head) * x.to(tl.float32)
        tl.store(y_ptr + x_offsets, y.to(y_ptr.dtype.element_ty), mask=x_inside)
        rest = tl.exp(whole - log_decay) * dt
        state = tl.dot(tl.trans((x * rest[:, None]).to(b.dtype)), b, state * tl.exp(whole))

    if segment == tl.num_programs(0) - 1:
        tl.store(final_ptr + tl.program_id(1).to(tl.int64) * size + in_state, state, mask=state_inside)


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
    block_p = max(16, min(64, triton.next_power_of_2(head_dim)))
    block_n = max(16, triton.next_power_of_2(state_size))
    walks, tiles, chunks = batch * heads, triton.cdiv(head_dim, block_p), triton.cdiv(steps, CHUNK)
    segments = max(1, min(PROGRAMS // (walks * tiles), chunks // LEAST_CHUNKS))
    segment_steps = triton.cdiv(chunks, segments) * CHUNK
    segments = triton.cdiv(steps, segment_steps)
    sizes = {"CHUNK": CHUNK, "BLOCK_P": block_p, "BLOCK_N": block_n, "num_warps": 8 if block_n >= 128 else 4}
    start = initial
    if segments > 1:
        start = torch.empty((batch, heads, segments, head_dim, state_size), dtype=torch.float32, device=x.device)
        decays = torch.empty((batch, heads, segments), dtype=torch.float32, device=x.device)
        summary_kernel[(segments, walks, tiles)](
            x, dt, a, b, start, decays, steps, heads, head_dim, groups, state_size, segment_steps, **sizes
        )
        size = head_dim * state_size
        pass_kernel[(walks, triton.cdiv(size, 1024))](
            start, decays, initial, size, segments, RESUMED=initial is not None, BLOCK=1024
        )
    y = torch.empty_like(x)
    final = torch.empty((batch, heads, head_dim, state_size), dtype=torch.float32, device=x.device)
    walk_kernel[(segments, walks, tiles)](
        x, dt, a, b, c, d, start, y, final, steps, heads, head_dim, groups, state_size, segment_steps,
        SKIP=d is not None, STARTED=start is not None, **sizes,
    )  # fmt: skip
    return y, final
