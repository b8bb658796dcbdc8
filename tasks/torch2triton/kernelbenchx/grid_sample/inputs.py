"""Grids that follow a smooth, noisy map of the image and leave it here and there.

Nearest is not continuous: where a place lies between two pixels, rounding decides. So each place is drawn as a pixel
and a distance from it of less than 0.45, but for the set `ends`, whose places follow from the grid without rounding.
"""

from __future__ import annotations

import torch

ENDS = (-3.0, -1.25, -1.0, -0.5, 0.0, 0.5, 1.0, 1.25, 3.0)


def draw(axes, name, generator):
    device, shape = generator.device, (axes["batch"], axes["out_h"], axes["out_w"])
    rows = torch.linspace(-1.15, 1.15, axes["out_h"], device=device)[None, :, None].expand(shape)
    cols = torch.linspace(-1.15, 1.15, axes["out_w"], device=device)[None, None, :].expand(shape)
    parts = []
    for length, along, across in ((axes["width"], cols, rows), (axes["height"], rows, cols)):
        bend = torch.rand((shape[0], 1, 1), generator=generator, device=device) - 0.5
        noise = torch.randn(shape, generator=generator, device=device)
        g = along + bend * across + 4 / (length + 8) * noise
        if name == "outlier":
            g = torch.where(torch.rand(shape, generator=generator, device=device) < 0.01, 5 * g, g)
        if name == "far":
            g = 8 * torch.rand(shape, generator=generator, device=device) - 4
        pixel = torch.round(((g.double() + 1) * length - 1) / 2)
        if name != "centres":
            pixel += 0.9 * torch.rand(shape, generator=generator, device=device) - 0.45
        g = (2 * pixel + 1) / length - 1
        if axes["align_corners"]:
            g = 2 * pixel / max(length - 1, 1) - 1
        if name == "ends":
            g = torch.tensor(ENDS, device=device)[torch.randint(len(ENDS), shape, generator=generator, device=device)]
        parts.append(g)
    return {"grid": torch.stack(parts, dim=-1).float()}
