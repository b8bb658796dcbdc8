"""The states of requests after a step, by scattering all sampled tokens at once."""

from __future__ import annotations

import torch


def reference(inputs):
    named = ("state", "sampled", "sampled_len", "rejected", "starts")
    state, sampled, sampled_len, rejected, starts = (inputs[name].long() for name in named)
    named = ("computed", "last_token", "counts", "all_ids", "length")
    computed, last_token, counts, all_ids, length = (inputs[name].long().clone() for name in named)
    computed[state] += starts.diff() - rejected
    row, place = torch.where(torch.arange(sampled.shape[1], device=state.device) < sampled_len[:, None])
    token = sampled[row, place]
    all_ids[state[row], length[state[row]] + place] = token
    ones = torch.ones_like(token)
    counts.index_put_((state[row], token), ones, accumulate=True)
    some = sampled_len > 0
    last_token[state[some]] = sampled[some, sampled_len[some] - 1]
    length[state] += sampled_len
    return {
        "new_computed": computed,
        "new_last_token": last_token,
        "new_counts": counts,
        "new_all_ids": all_ids,
        "new_length": length,
    }
