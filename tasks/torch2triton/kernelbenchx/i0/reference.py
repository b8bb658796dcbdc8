"""The modified Bessel function I0, by PyTorch in double precision."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"y": torch.special.i0(inputs["x"])}
