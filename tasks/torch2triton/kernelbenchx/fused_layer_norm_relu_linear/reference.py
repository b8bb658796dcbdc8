"""A linear layer, a rectifier and layer normalisation, by PyTorch."""

from __future__ import annotations

import torch.nn.functional as F


def reference(inputs):
    eps = inputs["eps"]
    z = F.linear(inputs["x"], inputs["w"], inputs["bias"])
    return {"out": F.layer_norm(F.relu(z), (z.shape[1],), eps=eps)}
