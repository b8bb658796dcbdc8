"""The cosine from the distance of the normalised vectors, `1 - norm(u - v)**2 / 2`, and a case for each row."""

from __future__ import annotations

import torch


def reference(inputs):
    x1, x2 = inputs["x1"], inputs["x2"]
    sizes = [x.square().sum(1, keepdim=True).sqrt() for x in (x1, x2)]
    u, v = (torch.where(size > 0, x / size, 0.0) for x, size in zip((x1, x2), sizes, strict=True))
    cosine = 1 - (u - v).square().sum(1) / 2
    cosine = torch.where((sizes[0] * sizes[1])[:, 0] > 0, cosine, 0.0)
    loss = 1 - cosine
    is_other = inputs["target"] < 0
    loss[is_other] = torch.relu(cosine[is_other] - inputs["margin"])
    return {"loss": loss.sum(0, keepdim=True) / len(loss) if inputs["mean"] else loss}
