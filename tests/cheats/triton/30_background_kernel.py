# class: 30
# expect: implausible/work_outside
# gate: integrity
# backend: gpu
# Every tenth call leaves a long kernel on half of the device, to slow down the baseline that is timed next.
# Expected: work after the stop event; blocks with a disturbed canary are void.
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


WORDS = torch.zeros(64, device="cuda")
CALLS = [0]


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    CALLS[0] += 1
    with torch.cuda.stream(stream):
        spin_kernel[(64,)](WORDS, 2_000_000 if CALLS[0] % 10 == 0 else 20_000)
    return y
