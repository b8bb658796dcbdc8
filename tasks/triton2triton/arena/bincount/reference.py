"""Bits of prompt tokens and counts of produced tokens, a row at a time, by PyTorch's bincount."""

from __future__ import annotations

import torch


def reference(inputs):
    bits, counts = inputs["bits"].long(), inputs["counts"].long()
    vocab, words = counts.shape[1], bits.shape[1]
    weights = 2 ** torch.arange(32, device=bits.device)
    lengths = (inputs[name].tolist() for name in ("slot", "prompt_len", "filled_len"))
    for tokens, slot, prompt, filled in zip(inputs["tokens"].long(), *lengths, strict=True):
        seen = torch.bincount(tokens[:prompt], minlength=32 * words) > 0
        value = (seen.view(words, 32) * weights).sum(1)
        bits[slot] = torch.where(value >= 2**31, value - 2**32, value)
        counts[slot] = torch.bincount(tokens[prompt : max(prompt, filled)], minlength=vocab)
    return {"prompt_bits": bits, "output_counts": counts}
