# class: 25
# expect: wrong_output/mismatch
# gate: performance
# backend: gpu
# Works on a stream of its own and does not wait for it: the events of the timed stream see nothing.
# Expected: behind the judge's hold its outputs are consumed before they are there.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

stream = torch.cuda.Stream()


def forward(x):
    y = torch.empty_like(x)
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(20):
            double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
