"""Whether two vectors belong together: 1, or -1 where they do not."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    is_alike = torch.rand(axes["rows"], generator=generator, device=generator.device) < 0.5
    if name in ("all_alike", "all_unlike"):
        is_alike = torch.full_like(is_alike, name == "all_alike")
    return {"target": torch.where(is_alike, 1, -1)}
