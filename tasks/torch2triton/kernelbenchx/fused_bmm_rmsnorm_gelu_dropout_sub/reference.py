"""The product's rows over their root mean square, through GELU, what is kept of it, and the difference."""

from __future__ import annotations

import torch


def reference(inputs):
    product = torch.bmm(inputs["a"], inputs["b"])
    normed = torch.nn.functional.rms_norm(product, product.shape[-1:], eps=inputs["eps"])
    active = torch.nn.functional.gelu(normed, approximate="tanh" if inputs["approximate"] else "none")
    return {"out": active * inputs["keep"] / (1 - inputs["p"]) - inputs["other"]}
