"""Uniform random numbers of one seed, as an example: others are as right."""

from __future__ import annotations

import torch


def reference(inputs):
    seed = inputs["seed"]
    generator = torch.Generator(seed.device).manual_seed(int(seed))
    shape = (inputs["rows"], inputs["cols"])
    return {"numbers": torch.rand(shape, generator=generator, dtype=torch.float64, device=seed.device)}
