"""A linear layer and the hyperbolic tangent, by PyTorch."""

from __future__ import annotations

import torch.nn.functional as F


def reference(inputs):
    z = F.linear(inputs["x"], inputs["w"], inputs["bias"])
    return {"out": z.tanh()}
