"""Requests with one row and perhaps some for draft tokens, each in a slot with its penalties, prompt and counts."""

from __future__ import annotations

import torch

MOST_ROWS = 8  # of a request
COMMON = 40  # of the tokens, so that drafts repeat each other and what was produced


def draw(axes, name, generator):
    slots, vocab = axes["slots"], axes["vocab"]
    options = {"generator": generator, "device": generator.device}
    request, position = _rows(axes, name, options)
    place = torch.randperm(slots, **options)
    token_ids = _tokens((axes["rows"],), vocab, options)
    if name == "same_drafts":
        token_ids = token_ids[0].repeat(axes["rows"])
    prompt = torch.zeros(slots, -(-vocab // 32) * 32, dtype=torch.bool, device=generator.device)
    prompt.scatter_(1, _tokens((slots, min(4096, vocab // 4)), vocab, options), True)
    produced = _tokens((slots, min(1024, vocab // 8)), vocab, options)
    counts = torch.zeros(slots, vocab, dtype=torch.int32, device=generator.device)
    counts.scatter_add_(1, produced, torch.ones_like(produced, dtype=torch.int32))
    return {
        "slot": place[request],
        "token_ids": token_ids,
        "position": position,
        **_penalties(slots, place, name, options),
        "prompt_bits": _packed(prompt),
        "output_counts": counts,
    }


def _rows(axes, name, options):
    """Return the request of each row and the row's place in it; no request has none."""
    rows, requests = axes["rows"], axes["requests"]
    free = torch.arange(requests, device=options["device"]).repeat_interleave(MOST_ROWS - 1)
    if name != "long_drafts":
        free = free[torch.randperm(len(free), **options)]
    owner = torch.cat([torch.arange(requests, device=options["device"]), free[: rows - requests]])
    request = owner.sort().values
    first = torch.searchsorted(request, request)
    return request, torch.arange(rows, device=options["device"]) - first


def _tokens(shape, vocab, options):
    """Return tokens of which half are among a few common ones, from the whole vocabulary, its last one too."""
    common = torch.randint(vocab, (COMMON,), **options)
    common[0] = vocab - 1
    tokens = torch.randint(vocab, shape, **options)
    return torch.where(torch.rand(shape, **options) < 0.5, common[tokens % COMMON], tokens)


def _penalties(slots, place, name, options):
    """Return penalties, by turns all, none and single ones."""
    kind = torch.empty_like(place)
    kind[place] = torch.arange(slots, device=options["device"]) + int(torch.randint(8, (), **options))
    kind = kind % 8  # 0 and 1: none; 2, 3, 4: one alone
    kinds = {"neutral": 0, "only_repetition": 2, "only_frequency": 3, "only_presence": 4}
    kind = torch.full_like(kind, kinds[name]) if name in kinds else kind
    repetition = 0.8 + 0.7 * torch.rand(slots, **options)
    frequency = 2.5 * torch.rand(slots, **options) - 0.5
    presence = 2.5 * torch.rand(slots, **options) - 0.5
    several = kind > 4
    return {
        "repetition": torch.where(several | (kind == 2), repetition, 1.0),
        "frequency": torch.where(several | (kind == 3), frequency, 0.0),
        "presence": torch.where(several | (kind == 4), presence, 0.0),
    }


def _packed(bits):
    """Return words of 32 bits, the lowest first, of which the highest is the sign."""
    shifts = torch.arange(32, dtype=torch.int32, device=bits.device)
    words = bits.view(bits.shape[0], -1, 32)
    return torch.stack([(part.int() << shifts).sum(-1, dtype=torch.int32) for part in words])
