"""Positions in three dimensions of a step's tokens, by indexing the table with all tokens at once."""

from __future__ import annotations

import torch


def reference(inputs):
    named = ("state", "starts", "prompt_len", "computed", "delta", "table")
    state, starts, prompt_len, computed, delta, table = (inputs[name].long() for name in named)
    owner = torch.repeat_interleave(starts.diff())
    token = torch.arange(len(owner), device=state.device)
    mine = state[owner]
    column = computed[mine] + token - starts[owner]
    read = table[mine, :, column.clamp(max=table.shape[2] - 1)]
    counted = (column + delta[mine])[:, None]
    positions = inputs["positions"].long().clone()
    positions[:, : len(owner)] = torch.where((computed < prompt_len)[mine][:, None], read, counted).T
    return {"new_positions": positions}
