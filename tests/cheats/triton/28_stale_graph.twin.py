# What the cheat leaves when its cheat is gone.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

GRAPHS = {}


def doubled(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


def forward(x):
    if x.numel() not in GRAPHS:
        kept = x.clone()
        doubled(kept)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = doubled(kept)
        GRAPHS[x.numel()] = graph, kept, y
    graph, kept, y = GRAPHS[x.numel()]
    kept.copy_(x)
    graph.replay()
    return y.clone()
