import triton
import triton.language as tl


@triton.jit
def round_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, (0.5 * tl.load(x + at, mask=inside)).to(y.dtype.element_ty), mask=inside)


def forward(x, y):
    round_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
