"""Penalties on tokens of the prompt, of the output so far and of the drafts before a row, a row at a time."""

from __future__ import annotations

import torch


def reference(inputs):
    logits = inputs["logits"].clone()
    token_ids, slots, positions = inputs["token_ids"].long(), inputs["slot"].tolist(), inputs["position"].tolist()
    shifts = torch.arange(32, device=logits.device)
    for row, (slot, position) in enumerate(zip(slots, positions, strict=True)):
        repetition, frequency, presence = (inputs[name][slot] for name in ("repetition", "frequency", "presence"))
        drafts = token_ids[row - position + 1 : row + 1]
        count = inputs["output_counts"][slot].long() + torch.bincount(drafts, minlength=logits.shape[1])
        words = inputs["prompt_bits"][slot].long()
        in_prompt = ((words[:, None] >> shifts) & 1).flatten()[: logits.shape[1]] > 0
        factor = torch.where(logits[row] > 0, 1 / repetition, repetition)
        logits[row] *= torch.where(in_prompt | (count > 0), factor, 1.0)
        logits[row] -= frequency * count + presence * (count > 0)
    return {"penalised": logits}
