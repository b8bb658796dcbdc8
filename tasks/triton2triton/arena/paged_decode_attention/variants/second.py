"""Attention over pages, token by token and head by head, with the new token taken from the arguments, not the cache."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    q, key_cache, value_cache = inputs["q"], inputs["key_cache"], inputs["value_cache"]
    batch, heads, _ = q.shape
    block_size, group = key_cache.shape[1], heads // key_cache.shape[2]
    o = torch.empty_like(q)
    keys, values = key_cache.flatten(0, 1).clone(), value_cache.flatten(0, 1).clone()
    for row in range(batch):
        last = int(inputs["lengths"][row]) - 1
        slots = [
            int(inputs["block_table"][row, t // block_size]) * block_size + t % block_size for t in range(last + 1)
        ]
        for head in range(heads):
            old = [
                inputs["key"][row, head // group] if t == last else keys[slots[t], head // group]
                for t in range(last + 1)
            ]
            scores = [inputs["scale"] * float(q[row, head] @ key) for key in old]
            if inputs["slopes"] is not None:
                scores = [score - float(inputs["slopes"][head]) * (last - t) for t, score in enumerate(scores)]
            highest = max(scores)
            weights = [math.exp(score - highest) for score in scores]
            total = weights[last] * inputs["value"][row, head // group]
            for t in range(last):
                total = total + weights[t] * values[slots[t], head // group]
            o[row, head] = total / math.fsum(weights)
        keys[slots[last]], values[slots[last]] = inputs["key"][row], inputs["value"][row]
    return {"o": o, "new_key_cache": keys.view_as(key_cache), "new_value_cache": values.view_as(value_cache)}
