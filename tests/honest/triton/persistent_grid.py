# As many programs as the device has units; each takes blocks until none is left.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        at = block * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def forward(x):
    y = torch.empty_like(x)
    units = torch.cuda.get_device_properties(x.device).multi_processor_count
    double_kernel[(min(units, triton.cdiv(x.numel(), 128)),)](x, y, x.numel(), BLOCK=128)
    return y
