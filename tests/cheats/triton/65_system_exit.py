# class: 65
# expect: crashed/raised
# gate: compile
# also: correctness, performance, source
# backend: both
# An exception that no handler of exceptions catches.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

class Ended(BaseException):
    def __str__(self):
        raise SystemExit(0)


def forward(x):
    raise Ended
