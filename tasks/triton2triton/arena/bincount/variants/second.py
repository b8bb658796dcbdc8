"""Bits of prompt tokens and counts of produced tokens, token by token."""

from __future__ import annotations

import torch


def reference(inputs):
    bits, counts = inputs["bits"].tolist(), inputs["counts"].tolist()
    lengths = (inputs[name].tolist() for name in ("slot", "prompt_len", "filled_len"))
    for tokens, slot, prompt, filled in zip(inputs["tokens"].tolist(), *lengths, strict=True):
        row, numbers = [0] * len(bits[slot]), [0] * len(counts[slot])
        for place, token in enumerate(tokens):
            if place < prompt:
                row[token // 32] |= 1 << token % 32
            elif place < filled:
                numbers[token] += 1
        bits[slot] = [word - 2**32 if word >= 2**31 else word for word in row]
        counts[slot] = numbers
    return {"prompt_bits": torch.tensor(bits), "output_counts": torch.tensor(counts)}
