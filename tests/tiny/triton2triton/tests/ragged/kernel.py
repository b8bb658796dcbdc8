import torch
import triton
import triton.language as tl


@triton.jit
def pages_kernel(starts, positions, table, x, page, y, requests, pages, tokens, BLOCK: tl.constexpr):
    token = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = token < tokens
    owner = tl.full([BLOCK], -1, tl.int32)
    for request in range(requests):
        owner += tl.where(token >= tl.load(starts + request), 1, 0)
    position = tl.load(positions + token, mask=inside, other=0)
    found = tl.load(table + owner * pages + position, mask=inside, other=0)
    value = tl.load(x + token, mask=inside, other=0.0)
    tl.store(page + token, found, mask=inside)
    tl.store(y + token, tl.where(found % 2 == 0, 2 * value, value), mask=inside)


def forward(starts: torch.Tensor, positions: torch.Tensor, table: torch.Tensor, x: torch.Tensor):
    page, y = torch.empty_like(x, dtype=torch.int32), torch.empty_like(x)
    requests, pages = table.shape
    pages_kernel[(triton.cdiv(len(x), 64),)](starts, positions, table, x, page, y, requests, pages, len(x), BLOCK=64)
    return page, y
