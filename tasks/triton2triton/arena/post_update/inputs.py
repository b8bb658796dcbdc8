"""Requests that produce tokens, with accepted and rejected drafts, and requests whose prompts are still being read."""

from __future__ import annotations

import torch

FILLER = -1
LONGEST_CHUNK = 8192


def draw(axes, name, generator):
    requests, drafts, states, width = (axes[axis] for axis in ("requests", "drafts", "states", "width"))
    options = {"generator": generator, "device": generator.device}
    accepted = torch.randint(drafts + 1, (requests,), **options)
    rejected = (torch.rand(requests, **options) * (drafts - accepted + 1)).long().minimum(drafts - accepted)
    if name in ("all_accepted", "all_rejected"):
        accepted = torch.full_like(accepted, drafts if name == "all_accepted" else 0)
        rejected = drafts - accepted
    sampled_len, queries = accepted + 1, accepted + 1 + rejected
    reads = torch.rand(requests, **options) < 0.3  # a chunk of a prompt, perhaps its last one, which gives a token
    if name in ("prefill", "all_accepted", "all_rejected"):
        reads = torch.full_like(reads, name == "prefill")
    chunk = torch.randint(LONGEST_CHUNK, (requests,), **options)
    is_last = torch.rand(requests, **options) < (0 if name == "prefill" else 0.3)
    sampled_len = torch.where(reads, is_last.long(), sampled_len)
    rejected = torch.where(reads, 0, rejected)
    queries = torch.where(reads, chunk, queries)
    room = drafts + 1
    sampled = torch.randint(axes["vocab"], (requests, room), **options)
    again = torch.rand(requests, **options) < (1 if name == "repeats" else 0.25)
    sampled[again] = sampled[again, :1]
    sampled[torch.arange(room, device=sampled.device) >= sampled_len[:, None]] = FILLER
    length = torch.randint(width - room + 1, (states,), **options)
    if name == "full":
        length = torch.full_like(length, width - room)
    return {
        "state": torch.randperm(states, **options)[:requests],
        "sampled": sampled,
        "sampled_len": sampled_len,
        "rejected": rejected,
        "starts": torch.nn.functional.pad(queries.cumsum(0), (1, 0)),
        "length": length,
    }
