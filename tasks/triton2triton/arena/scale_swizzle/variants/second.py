"""Scales in the order that matrix units want: the place of each one is computed, and zeros stay elsewhere."""

from __future__ import annotations

import torch


def reference(inputs):
    scales = inputs["scales"].tolist()
    tiles_down, tiles_across = -(-len(scales) // 128), -(-len(scales[0]) // 4)
    flat = [0] * (tiles_down * tiles_across * 512)
    for row, values in enumerate(scales):
        for col, value in enumerate(values):
            tile = row // 128 * tiles_across + col // 4
            flat[tile * 512 + row % 32 * 16 + row % 128 // 32 * 4 + col % 4] = value
    return {"swizzled": torch.tensor(flat, dtype=torch.uint8).reshape(tiles_down * 128, tiles_across * 4)}
