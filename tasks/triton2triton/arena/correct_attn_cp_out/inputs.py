"""Log-sums of an attention's parts on each rank, also of parts without keys and of those that overflowed."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    shape = axes["ranks"], axes["batch"], axes["heads"]
    options = {"generator": generator, "device": generator.device}
    lse = 2.0 * torch.randn(shape, **options)
    special = {
        "empty": (-torch.inf,),
        "infinite": (-torch.inf, torch.inf),
        "not_numbers": (torch.nan, -torch.inf),
        "apart": (-200.0, 200.0),
        "large": (1000.0, 1001.5, 1002.0),
        "all_empty": (-torch.inf,),
    }.get(name, (-torch.inf,))
    share = {"standard": 0.02, "outlier": 0.02, "all_empty": 1.0, "large": 1.0}.get(name, 0.4)
    values = torch.tensor(special, device=lse.device)[torch.randint(len(special), shape, **options)]
    return {"lse": torch.where(torch.rand(shape, **options) < share, values, lse)}
