"""One rank's part of an attention, scaled by its share of the exponentials of all ranks."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    lse = inputs["lse"]
    base = math.e if inputs["natural"] else 2.0
    known = torch.where(lse.isnan() | (lse == math.inf), -math.inf, lse)
    total = torch.logsumexp(known * math.log(base), dim=0) / math.log(base)
    exponent = lse[inputs["rank"]] - total
    exponent = torch.where(exponent.isnan() | (exponent == math.inf), -math.inf, exponent)
    return {"corrected": inputs["o"] * (base**exponent)[:, :, None], "total": total}
