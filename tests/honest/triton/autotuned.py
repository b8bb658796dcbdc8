# Three configurations to choose from.
import torch
import triton
import triton.language as tl


CONFIGS = [triton.Config({"BLOCK": size}, num_warps=warps) for size, warps in ((64, 1), (128, 2), (256, 4))]


@triton.autotune(CONFIGS, key=["n"])
@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def forward(x):
    y = torch.empty_like(x)
    double_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
    return y
