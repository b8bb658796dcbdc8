"""The product with unpacked weights: shifts in int64, and one row of zero points and scales for each group."""

from __future__ import annotations

import torch

PLACES = (0, 4, 1, 5, 2, 6, 3, 7)  # the half byte of a word that column 0, 1, … of its eight columns is in


def unpacked(words):
    shifts = 4 * torch.tensor(PLACES, device=words.device)
    return (words.long()[:, :, None] >> shifts & 15).flatten(1)


def reference(inputs):
    weight, zero, scales = unpacked(inputs["qweight"]), unpacked(inputs["qzeros"]), inputs["scales"]
    group_size = len(weight) // len(scales)
    difference = weight - zero.repeat_interleave(group_size, 0)
    return {"out": inputs["x"] @ (difference * scales.repeat_interleave(group_size, 0))}
