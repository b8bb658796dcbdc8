"""Requests in slots of their own, some with a list of allowed tokens, with biases or with stop tokens."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    rows, slots, vocab, width = (axes[axis] for axis in ("rows", "slots", "vocab", "width"))
    options = {"generator": generator, "device": generator.device}
    place = torch.randperm(slots, **options)
    kind = torch.empty_like(place)
    kind[place] = torch.arange(slots, device=generator.device) + int(torch.randint(4, (), **options))
    counts = {part: torch.randint(1, width + 1, (slots,), **options) for part in ("allowed", "bias", "stop")}
    used = {"allowed": kind % 4 == 0, "bias": kind % 8 < 6, "stop": kind % 16 < 12}  # a quarter has a list
    for part, count in counts.items():
        if name == "full_width":
            count.fill_(width)
        count.masked_fill_(~used[part], 0)
    if name in ("no_list", "only_bias", "only_stop"):
        counts["allowed"].zero_()
    elif name == "all_listed":
        counts["allowed"].clamp_(min=1)
    if name == "only_bias":
        counts["stop"].zero_()
    elif name == "only_stop":
        counts["bias"].zero_()

    allowed = torch.randint(vocab, (slots, width), **options)
    part = vocab // width  # of the vocabulary, in which there is one id with a bias
    ids = torch.arange(width, device=generator.device) * part + torch.randint(part, (slots, width), **options)
    ids = ids[:, torch.randperm(width, **options)]
    ids = torch.where(torch.rand(slots, 1, **options) < 0.5, ids, vocab - 1 - ids)
    stop = torch.where(
        torch.rand(slots, width, **options) < 0.3, allowed.flip(1), torch.randint(vocab, (slots, width), **options)
    )
    stop = torch.where(torch.rand(slots, width, **options) < 0.3, ids, stop)
    same = torch.rand(slots, **options) < 0.3  # as many allowed ids also have a bias
    allowed = torch.where(same[:, None] & (torch.rand(slots, width, **options) < 0.5), ids, allowed)
    least = torch.randint(0, 16, (slots,), **options)
    slot = place[:rows]
    position = (least[slot] + torch.randint(-4, 4, (rows,), **options)).clamp(min=0)
    return {
        "slot": slot,
        "position": position,
        "allowed_count": counts["allowed"],
        "allowed_ids": allowed,
        "bias_count": counts["bias"],
        "bias_ids": ids,
        "bias": 4.0 * torch.randn(slots, width, **options),
        "least_length": least,
        "stop_count": counts["stop"],
        "stop_ids": stop,
    }
