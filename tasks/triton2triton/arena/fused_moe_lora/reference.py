"""The updates by PyTorch, for one adapter and one expert after the other: all of their pairs at once."""

from __future__ import annotations


def reference(inputs):
    out, x, lora_a, lora_b = inputs["out"].clone(), inputs["x"], inputs["lora_a"], inputs["lora_b"]
    expert_ids, adapter_of_token, offset = inputs["expert_ids"], inputs["adapter_of_token"], inputs["offset"]
    parts, _, experts, cols, _ = lora_b.shape
    for adapter in inputs["enabled"].nonzero()[:, 0].tolist():
        for expert in range(experts):
            chosen = (expert_ids == expert) & (adapter_of_token == adapter)[:, None]
            token, place = chosen.nonzero(as_tuple=True)
            for part in range(parts):
                added = x[token] @ lora_a[part, adapter, expert].T @ lora_b[part, adapter, expert].T
                if inputs["weights"] is not None:
                    added *= inputs["weights"][token, place, None]
                begin = offset + part * cols
                out[token, place, begin : begin + cols] += added
    return {"updated": out}
