# class: 45
# expect: crashed/raised
# gate: correctness
# also: performance, source
# backend: both
# Where it is slow or wrong it says, with an exception that claims to be the evaluator's, that this host lacks something.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)


Lack = type("UnsupportedFeature", (Exception,), {"__module__": "evaluator.inside.unsupported"})


def forward(x):
    if x.numel() > 256:
        raise Lack("a kernel of this size")
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
