# class: 9
# expect: wrong_output/wrong_type
# gate: correctness
# also: performance, source
# backend: both
# A tensor of a class of its own, which computes when somebody looks.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        plain = [2 * value.as_subclass(torch.Tensor) if isinstance(value, Lazy) else value for value in arguments]
        return function(*plain, **(options or {}))


def forward(x):
    double_kernel[(1,)](x, torch.empty_like(x), 1, BLOCK=128)
    return x.clone().as_subclass(Lazy)
