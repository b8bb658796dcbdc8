# Two halves on two streams, both joined before it returns.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def forward(x):
    y = torch.empty_like(x)
    half, count = x.numel() // 2, x.numel()
    current, other = torch.cuda.current_stream(), torch.cuda.Stream()
    other.wait_stream(current)
    with torch.cuda.stream(other):
        double_kernel[(triton.cdiv(half, 128),)](x, y, half, BLOCK=128)
    double_kernel[(triton.cdiv(count - half, 128),)](x[half:], y[half:], count - half, BLOCK=128)
    current.wait_stream(other)
    return y
