# A torch module with a buffer and a parameter, made once and called as an object.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, factor, offset, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, tl.load(factor) * tl.load(x + at, mask=inside) + tl.load(offset), mask=inside)

class Double(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("factor", torch.tensor([2.0], device="cuda"))
        self.offset = torch.nn.Parameter(torch.zeros(1, device="cuda"))

    def forward(self, x):
        y = torch.empty_like(x)
        double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, self.factor, self.offset, x.numel(), BLOCK=128)
        return y


model = Double().eval()


@torch.no_grad()
def forward(x):
    return model(x)
