# Heuristics choose what the caller does not give.
import torch
import triton
import triton.language as tl


@triton.heuristics({"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0})
@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(y + at, 2.0 * tl.load(x + at))
    else:
        tl.store(y + at, 2.0 * tl.load(x + at, mask=at < n), mask=at < n)

def forward(x):
    y = torch.empty_like(x)
    double_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel(), BLOCK=64)
    return y
