"""How often each slice is repeated: numbers that add up to `total`, as they come if each repetition picks a slice."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    slices, total, device = axes["slices"], axes["total"], generator.device
    place = torch.arange(total, device=device)
    if name == "alike":  # as nearly as `total` allows
        picked = place % slices
    elif name == "one_slice":
        picked = torch.randint(slices, (1,), generator=generator, device=device).expand(total)
    elif name == "all_kept" and total >= slices:  # no slice is left out
        more = torch.randint(slices, (total - slices,), generator=generator, device=device)
        picked = torch.cat([place[:slices], more])
    else:
        picked = torch.randint(slices, (total,), generator=generator, device=device)
    repeats = torch.zeros(slices, dtype=torch.int64, device=device)
    return {"repeats": repeats.index_add_(0, picked, torch.ones_like(picked))}
