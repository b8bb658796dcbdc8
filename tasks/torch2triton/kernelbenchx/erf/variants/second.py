"""One less its complement, for |x|, with the sign of x."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    return {"y": torch.sign(x) * (1 - torch.special.erfc(x.abs()))}
