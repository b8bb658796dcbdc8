"""The cosine from the sums over what was given: normalising divides them by bounded norms, and no more."""

from __future__ import annotations

import torch


def reference(inputs):
    x1, x2, dim, p = inputs["x1"], inputs["x2"], inputs["dim"], inputs["p_norm"]
    product = (x1 * x2).sum(dim)
    for x in (x1, x2):
        length = (x.abs() ** p).sum(dim).pow(1 / p).clamp(min=inputs["eps_norm"])
        product = product / torch.clamp((x * x).sum(dim).sqrt(), min=inputs["eps_similarity"] * length)
    return {"similarity": product}
