"""Layer normalisation in full precision; the judge calls it on quantised inputs too."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    return {"out": torch.nn.functional.layer_norm(x, x.shape[-1:], inputs["weight"], inputs["bias"], inputs["eps"])}
