"""The next chunk of each prompt, one request after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    starts, all_ids = inputs["starts"].tolist(), inputs["all_ids"].tolist()
    input_ids, next_token = inputs["input_ids"].tolist(), inputs["next_token"].tolist()
    lengths = inputs["prompt_len"].tolist()
    done = inputs["computed"].tolist()
    for request, state in enumerate(inputs["state"].tolist()):
        rest = all_ids[state][done[state] : lengths[state]]  # of the prompt; none where it is done
        count = starts[request + 1] - starts[request]
        if rest:
            input_ids[starts[request] : starts[request + 1]] = rest[:count]
        if len(rest) > count:
            next_token[state] = rest[count]
    return {"new_input_ids": torch.tensor(input_ids), "new_next_token": torch.tensor(next_token)}
