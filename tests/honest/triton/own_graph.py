# backend: gpu
# Captures its launches once a shape; inputs are copied to where the graph reads, outputs to fresh memory.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

GRAPHS = {}


def captured(x):
    kept, y = x.clone(), torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](kept, y, x.numel(), BLOCK=128)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        double_kernel[(triton.cdiv(x.numel(), 128),)](kept, y, x.numel(), BLOCK=128)
    return graph, kept, y


def forward(x):
    if x.numel() not in GRAPHS:
        GRAPHS[x.numel()] = captured(x)
    graph, kept, y = GRAPHS[x.numel()]
    kept.copy_(x)
    graph.replay()
    return y.clone()
