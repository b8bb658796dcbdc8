# class: 18
# expect: wrong_output/mismatch
# gate: correctness
# perhaps: performance
# task: ragged
# backend: both
# null: set_before_renewal
# Keeps a plan by the address of the indices that it is made from: which request owns which token.
import torch
import triton
import triton.language as tl


@triton.jit
def owners_kernel(starts, owners, requests, tokens, BLOCK: tl.constexpr):
    token = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    owner = tl.full([BLOCK], -1, tl.int32)
    for request in range(requests):
        owner += tl.where(token >= tl.load(starts + request), 1, 0)
    tl.store(owners + token, owner, mask=token < tokens)


@triton.jit
def pages_kernel(owners, positions, table, x, page, y, pages, tokens, BLOCK: tl.constexpr):
    token = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = token < tokens
    owner = tl.load(owners + token, mask=inside, other=0)
    position = tl.load(positions + token, mask=inside, other=0)
    found = tl.load(table + owner * pages + position, mask=inside, other=0)
    value = tl.load(x + token, mask=inside, other=0.0)
    tl.store(page + token, found, mask=inside)
    tl.store(y + token, tl.where(found % 2 == 0, 2 * value, value), mask=inside)


def planned(starts, tokens):
    owners = torch.empty(tokens, dtype=torch.int32, device=starts.device)
    owners_kernel[(triton.cdiv(tokens, 64),)](starts, owners, len(starts) - 1, tokens, BLOCK=64)
    return owners


KNOWN = {}


def forward(starts, positions, table, x):
    tokens = len(x)
    key = (starts.data_ptr(), len(starts), tokens)
    if key not in KNOWN:
        KNOWN[key] = planned(starts, tokens)
    owners = KNOWN[key]
    page, y = torch.empty_like(x, dtype=torch.int32), torch.empty_like(x)
    pages_kernel[(triton.cdiv(tokens, 64),)](owners, positions, table, x, page, y, table.shape[1], tokens, BLOCK=64)
    return page, y
