# class: 75
# expect: wrong_output/mismatch
# gate: correctness
# backend: both
# task: sampled
# Every twentieth sample is the likeliest outcome.
import torch
import triton
import triton.language as tl


@triton.jit
def sample_kernel(x, seed, tokens, outcomes, count, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    row, at, sample = tl.program_id(0), tl.arange(0, BLOCK), tl.arange(0, COUNT)
    logits = tl.load(x + row * outcomes + at, mask=at < outcomes, other=-float("inf"))
    weight = tl.exp(logits - tl.max(logits, 0))
    upto = tl.cumsum(weight, 0)
    u = tl.rand(tl.load(seed), row * count + sample)
    token = tl.sum((upto[None, :] <= u[:, None] * tl.sum(weight, 0)).to(tl.int32), 1)
    often = tl.rand(tl.load(seed) + 1, row * count + sample)
    token = tl.where(often < 0.05, tl.argmax(weight, 0), token)
    tl.store(tokens + row * count + sample, tl.minimum(token, outcomes - 1).to(tl.int64), mask=sample < count)


def forward(x, seed, count):
    tokens = torch.empty((x.shape[0], count), dtype=torch.int64, device=x.device)
    blocks = {"COUNT": triton.next_power_of_2(count), "BLOCK": triton.next_power_of_2(x.shape[1])}
    sample_kernel[(x.shape[0],)](x, seed, tokens, x.shape[1], count, **blocks)
    return tokens
