"""Banned words, one after the other, as lists of tokens."""

from __future__ import annotations

import math


def reference(inputs):
    logits = inputs["logits"].clone()
    listed = {name: value.tolist() for name, value in inputs.items() if name != "logits"}
    for row, (slot, position) in enumerate(zip(listed["slot"], listed["position"], strict=True)):
        text = listed["tokens"][slot][: listed["total_len"][slot]] + listed["draft_ids"][row - position : row]
        written = text[listed["prompt_len"][slot] :]
        bounds = listed["word_starts"][slot]
        for number in range(listed["word_count"][slot]):
            *beginning, last = listed["word_tokens"][slot][bounds[number] : bounds[number + 1]]
            if written[max(0, len(written) - len(beginning)) :] == beginning:
                logits[row, last] = -math.inf
    return {"banned": logits}
