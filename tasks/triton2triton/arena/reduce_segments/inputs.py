"""Parts of an attention over segments of the keys; what lies in segments that a request does not use is anything."""

from __future__ import annotations

import torch

LEFT = 500.0  # a score from an earlier call


def draw(axes, name, generator):
    requests, tokens, heads, segments = (axes[axis] for axis in ("requests", "tokens", "heads", "segments"))
    options = {"generator": generator, "device": generator.device}
    extra = torch.randint(requests, (tokens - requests,), **options)
    count = 1 + torch.bincount(extra, minlength=requests)
    if name == "ragged":
        count = torch.bincount(torch.randint(requests, (tokens,), **options), minlength=requests)
    starts = torch.nn.functional.pad(count.cumsum(0), (1, 0))

    lengths = torch.randint(1, axes["longest"] + 1, (requests,), **options)
    few = torch.randint(1, min(axes["longest"], segments * axes["tile"]) + 1, (requests,), **options)
    is_short = torch.rand(requests, **options) < (1.0 if name == "short" else 0.2)
    lengths = torch.where(is_short, few, lengths)
    if name == "one_length":
        lengths = lengths[:1].expand(requests)
    tiles = -(-lengths // (segments * axes["tile"]))
    used = -(-lengths // (tiles * axes["tile"]))

    shape = tokens, heads, segments
    spread = 60.0 if name == "apart" else 1.0
    highest = spread * torch.randn(shape, **options)
    total = 1.0 + 3.0 * torch.rand(shape, **options)
    part = torch.randn(*shape, axes["head_dim"], **options).mul_(total[..., None])
    share = {"empty_segments": 0.5, "all_empty": 1.0}.get(name, 0.05)
    empty = torch.rand(shape, **options) < share
    owner = torch.repeat_interleave(torch.arange(requests, device=generator.device), count)
    unused = (torch.arange(segments, device=generator.device) >= used[owner, None])[:, None, :].expand(shape)
    left = torch.where(torch.rand(shape, **options) < 0.5, torch.nan, LEFT)
    return {
        "part": part.masked_fill_(empty[..., None], 0.0).masked_fill_(unused[..., None], torch.nan),
        "highest": torch.where(unused, left, highest.masked_fill_(empty, -torch.inf)),
        "total": total.masked_fill_(empty, 0.0).masked_fill_(unused, torch.nan),
        "lengths": lengths,
        "starts": starts,
    }
