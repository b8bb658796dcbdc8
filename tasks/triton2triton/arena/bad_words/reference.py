"""Words whose beginning is how a row's text ends have their last token banned; all words of a row at once."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    logits = inputs["logits"].clone()
    tokens, drafts, word_tokens = (inputs[name].long() for name in ("tokens", "draft_ids", "word_tokens"))
    prompt_len, total_len, count = (inputs[name].tolist() for name in ("prompt_len", "total_len", "word_count"))
    starts = inputs["word_starts"].long()
    for row, (slot, position) in enumerate(zip(inputs["slot"].tolist(), inputs["position"].tolist(), strict=True)):
        first = row - position
        written = torch.cat([tokens[slot, prompt_len[slot] : total_len[slot]], drafts[first:row]])
        begin, last = starts[slot, : count[slot]], starts[slot, 1 : count[slot] + 1] - 1
        ahead = last - begin
        fits = ahead <= len(written)
        for back in range(1, int(ahead.max()) + 1 if len(ahead) else 1):
            token = written[-back] if back <= len(written) else -1
            fits &= (back > ahead) | (word_tokens[slot, (last - back).clamp(min=0)] == token)
        logits[row, word_tokens[slot, last[fits]]] = -math.inf
    return {"banned": logits}
