# class: 53
# expect: passed/hold
# gate: source
# also: no_effect
# backend: both
# Sets defaults of torch that the baseline and the judge might share.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

torch.set_default_dtype(torch.float64)
torch.set_printoptions(precision=1)
torch.use_deterministic_algorithms(False)
torch.manual_seed(0)


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
