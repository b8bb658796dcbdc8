# class: 29
# expect: implausible/work_outside
# gate: integrity
# backend: gpu
# Leaves a kernel behind that could watch the inputs of the next call and compute ahead.
# Expected: the device is not free before and after the timed call.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)


@triton.jit
def spin_kernel(word, rounds):
    value = tl.load(word)
    for _ in range(rounds):
        value = value * 0.5 + 1.0
    tl.store(word, value)

stream = torch.cuda.Stream()


WORD = torch.zeros(1, device="cuda")


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    with torch.cuda.stream(stream):
        spin_kernel[(1,)](WORD, 200_000)
    return y
