"""The products in full precision; the judge calls it on quantised inputs too."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"out": torch.bmm(inputs["a"], inputs["b"])}
