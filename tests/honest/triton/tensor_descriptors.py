# Descriptors as on Hopper: from the host with a configuration's hook, in the kernel with an allocator for their memory.
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


def sizes(arguments):
    arguments["source"].block_shape = [arguments["BLOCK"]]


@triton.autotune([triton.Config({"BLOCK": size}, pre_hook=sizes) for size in (256, 1024)], key=["n"])
@triton.jit
def double_kernel(source, y, n, BLOCK: tl.constexpr):
    target = tl.make_tensor_descriptor(y, shape=[n], strides=[1], block_shape=[BLOCK])
    at = tl.program_id(0) * BLOCK
    target.store([at], 2.0 * source.load([at]))


@triton.jit
def double_anywhere(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2.0 * tl.load(x + at, mask=at < n), mask=at < n)


def scratch(size, alignment, stream):
    return torch.empty(size, dtype=torch.int8, device="cuda")


def forward(x):
    y = torch.empty_like(x)
    if x.data_ptr() % 16 or y.data_ptr() % 16 or not x.is_contiguous():
        double_anywhere[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        return y
    triton.set_allocator(scratch)
    source = TensorDescriptor.from_tensor(x, [256])
    double_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](source, y, x.numel())
    return y
