"""Matrices that turn by any angle, scale by 0.7 to 1.4, also mirror, and shift by up to half an image.

Nearest is not continuous: where a place lies between two pixels, rounding decides. For this mode all places are odd
multiples of 1/32 pixel: the step from pixel to pixel is cut to sixteenths, and the first place to an odd one.
"""

from __future__ import annotations

import math

import torch


def draw(axes, name, generator):
    batch, options = axes["batch"], {"generator": generator, "device": generator.device}
    angle = 2 * math.pi * torch.rand(batch, **options).double()
    scale = 0.7 * 2 ** torch.rand((2, batch), **options).double()
    shift = torch.rand((batch, 2), **options).double() - 0.5
    if name == "turned":
        angle, scale = math.pi / 2 * torch.randint(4, (batch,), **options).double(), torch.ones_like(scale)
    if name == "outlier":
        shift[0] *= 5
    if name == "outside":
        shift = 1.5 * torch.sign(shift)
    mirror = torch.where(torch.rand(batch, **options) < 0.5, -1.0, 1.0)
    cosine, sine = torch.cos(angle), torch.sin(angle)
    rows = ((cosine, -sine), (mirror * sine, mirror * cosine))
    theta = torch.stack(
        [torch.stack(row, dim=-1) * factor[:, None] for row, factor in zip(rows, scale, strict=True)], 1
    )
    theta = torch.cat((theta, shift[:, :, None]), dim=2)
    if name == "the_same":  # but each image is another one
        theta = torch.eye(2, 3, dtype=torch.float64, device=generator.device).repeat(batch, 1, 1)
        theta[:, :, 2] = torch.round(8 * shift) / 64
    if axes["mode"] == 0:
        theta = torch.stack([cut(theta[:, 0], axes["width"], axes), cut(theta[:, 1], axes["height"], axes)], dim=1)
    return {"theta": theta.float()}


def cut(row, length, axes):
    """Return a row of the matrices with which places are odd multiples of 1/32 pixel."""
    aligned = axes["align_corners"]
    unit, origin = ((length - 1) / 2, (length - 1) / 2) if aligned else (length / 2, (length - 1) / 2)
    if unit == 0:
        return row
    first, steps = zip(*(ends(axes[name], aligned) for name in ("out_w", "out_h")), strict=True)
    slopes = [torch.round(16 * unit * row[:, k] * steps[k]) / (16 * unit * steps[k]) for k in range(2)]
    start = row[:, 2] + sum(slope * at for slope, at in zip(slopes, first, strict=True))
    start = (torch.floor(16 * (unit * start + origin)) / 16 + 1 / 32 - origin) / unit
    return torch.stack([*slopes, start - sum(slope * at for slope, at in zip(slopes, first, strict=True))], dim=-1)


def ends(out, aligned):
    """The place of the first output pixel, and the step to the next."""
    return (-1.0, 2 / (out - 1)) if aligned else (1 / out - 1, 2 / out)
