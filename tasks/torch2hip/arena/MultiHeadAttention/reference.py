"""Multi-head attention, by PyTorch's scaled_dot_product_attention."""

from __future__ import annotations

import torch
from torch.nn import functional


def reference(inputs):
    x, heads, mask = inputs["x"], inputs["heads"], inputs["mask"]
    batch, tokens, features = x.shape
    projected = functional.linear(x, inputs["weight_in"], inputs["bias_in"])
    query, key, value = projected.view(batch, tokens, 3, heads, -1).permute(2, 0, 3, 1, 4)
    if mask is None:
        gathered = functional.scaled_dot_product_attention(query, key, value)
    else:
        mask = mask.bool()
        gathered = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
        gathered = gathered.where(mask.any(dim=1)[:, None, None, None], torch.zeros_like(gathered))
    gathered = gathered.transpose(1, 2).reshape(batch, tokens, features)
    return {"y": functional.linear(gathered, inputs["weight_out"], inputs["bias_out"])}
