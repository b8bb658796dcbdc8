"""The updates pair by pair, by the product of both matrices of the pair's adapter and expert."""

from __future__ import annotations

import torch


def reference(inputs):
    out, offset, enabled = inputs["out"].clone(), inputs["offset"], inputs["enabled"].tolist()
    parts, cols = len(inputs["lora_b"]), inputs["lora_b"].shape[3]
    for token, adapter in enumerate(inputs["adapter_of_token"].tolist()):
        if adapter < 0 or not enabled[adapter]:
            continue
        for place, expert in enumerate(inputs["expert_ids"][token].tolist()):
            if expert < 0:
                continue
            scale = 1.0 if inputs["weights"] is None else inputs["weights"][token, place]
            for part in range(parts):
                matrix = torch.einsum(
                    "nr,rk->nk", inputs["lora_b"][part, adapter, expert], inputs["lora_a"][part, adapter, expert]
                )
                columns = slice(offset + part * cols, offset + (part + 1) * cols)
                out[token, place, columns] += (matrix * inputs["x"][token]).sum(1) * scale
    return {"updated": out}
