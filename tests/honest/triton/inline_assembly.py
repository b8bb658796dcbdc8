# backend: gpu
# An instruction of the device by its name.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [tl.load(x + at, mask=inside)], dtype=tl.float32, is_pure=True, pack=1), mask=inside)

def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
