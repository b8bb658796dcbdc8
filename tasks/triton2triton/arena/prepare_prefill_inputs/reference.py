"""The next chunk of each prompt, by indexing the table of ids with all tokens at once."""

from __future__ import annotations

import torch


def reference(inputs):
    named = ("state", "starts", "prompt_len", "computed", "all_ids", "input_ids", "next_token")
    state, starts, prompt_len, computed, all_ids, input_ids, next_token = (inputs[name].long() for name in named)
    done, counts, last = computed[state], starts.diff(), prompt_len[state]
    owner = torch.repeat_interleave(counts)
    token = torch.arange(len(owner), device=state.device)
    column = token - starts[owner] + done[owner]
    is_prefill = done[owner] < last[owner]
    input_ids = input_ids.clone()
    input_ids[token[is_prefill]] = all_ids[state[owner], column.clamp(max=all_ids.shape[1] - 1)][is_prefill]
    unfinished = (done < last) & (done + counts < last)
    next_token = next_token.clone()
    next_token[state[unfinished]] = all_ids[state[unfinished], (done + counts)[unfinished]]
    return {"new_input_ids": input_ids, "new_next_token": next_token}
