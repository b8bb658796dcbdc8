"""The probabilities after top-k and top-p, by levels: equal logits are one level, levels are taken from the top while
they may.
"""

from __future__ import annotations

import math
from collections import Counter

import torch

UNDECIDED = 1e-5
NEXT_TO_NOTHING = 1e-30


def reference(inputs):
    probabilities = torch.zeros_like(inputs["logits"])
    for row, scores in enumerate(inputs["logits"].tolist()):
        allowed = [True] * len(scores) if inputs["allowed"] is None else inputs["allowed"][row].tolist()
        taking_part = [score for score, may in zip(scores, allowed, strict=True) if may and score > -math.inf]
        share = _shares(
            Counter(taking_part),
            int(inputs["top_k"][row]),
            float(inputs["top_p"][row]),
            float(inputs["temperature"][row]),
        )
        values = [share.get(score, 0.0) if may else 0.0 for score, may in zip(scores, allowed, strict=True)]
        probabilities[row] = torch.tensor(values, dtype=torch.float64)
    return {"tokens": probabilities}


def _shares(counts, top_k, top_p, temperature):
    """For each level that stays: the probability of one token of it."""
    levels, higher = [], 0
    for level in sorted(counts, reverse=True):
        if higher < top_k:
            levels.append(level)
        higher += counts[level]
    weight = {level: math.exp((level - levels[0]) / temperature) for level in levels}
    total = math.fsum(weight[level] * counts[level] for level in levels)
    stay, undecided, above = [], [], 0.0
    for level in levels:
        if above < top_p:
            stay.append(level)
        elif above < top_p + UNDECIDED:
            undecided.append(level)
        above += weight[level] * counts[level] / total
    kept = math.fsum(weight[level] * counts[level] for level in stay)
    return {level: weight[level] / kept for level in stay} | dict.fromkeys(undecided, NEXT_TO_NOTHING)
