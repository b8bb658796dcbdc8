"""The linear layer in full precision; the judge calls it on quantised weights too."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"out": torch.nn.functional.linear(inputs["x"], inputs["w"], inputs["bias"])}
