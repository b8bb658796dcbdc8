"""Penalties on tokens that occurred before, token by token."""

from __future__ import annotations

from collections import Counter

import torch


def reference(inputs):
    listed = {name: value.tolist() for name, value in inputs.items()}
    rows = []
    for row, (logits, slot) in enumerate(zip(listed["logits"], listed["slot"], strict=True)):
        drafts = Counter(listed["token_ids"][row - ahead] for ahead in range(listed["position"][row]))
        bits, counts = listed["prompt_bits"][slot], listed["output_counts"][slot]
        penalties = [listed[name][slot] for name in ("repetition", "frequency", "presence")]
        rows.append(
            [
                _penalised(logit, *penalties, bits[token // 32] >> token % 32 & 1, counts[token] + drafts[token])
                for token, logit in enumerate(logits)
            ]
        )
    return {"penalised": torch.tensor(rows, dtype=torch.float64)}


def _penalised(logit, repetition, frequency, presence, in_prompt, count):
    if in_prompt or count:
        logit = logit / repetition if logit > 0 else logit * repetition
    return logit - frequency * count - (presence if count else 0.0)
