"""The states of requests after a step, token by token."""

from __future__ import annotations

import torch


def reference(inputs):
    named = ("computed", "last_token", "counts", "all_ids", "length")
    computed, last_token, counts, all_ids, length = (inputs[name].tolist() for name in named)
    named = ("state", "sampled", "sampled_len", "rejected")
    starts = inputs["starts"].tolist()
    for request, (state, sampled, sampled_len, rejected) in enumerate(
        zip(*(inputs[name].tolist() for name in named), strict=True)
    ):
        computed[state] += starts[request + 1] - starts[request] - rejected
        for token in sampled[:sampled_len]:
            all_ids[state][length[state]] = last_token[state] = token
            counts[state][token] += 1
            length[state] += 1
    return {
        "new_computed": torch.tensor(computed),
        "new_last_token": torch.tensor(last_token),
        "new_counts": torch.tensor(counts),
        "new_all_ids": torch.tensor(all_ids),
        "new_length": torch.tensor(length),
    }
