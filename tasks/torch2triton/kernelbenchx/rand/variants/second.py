"""Uniform random numbers as whole ones below 2 ** 53, divided by that."""

from __future__ import annotations

import torch


def reference(inputs):
    seed = inputs["seed"]
    generator = torch.Generator(seed.device).manual_seed(int(seed))
    shape = (inputs["rows"], inputs["cols"])
    whole = torch.randint(2**53, shape, generator=generator, device=seed.device)
    return {"numbers": whole.double() / 2**53}
