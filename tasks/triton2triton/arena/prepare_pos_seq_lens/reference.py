"""Positions of a step's tokens and lengths of its requests, for all of them at once."""

from __future__ import annotations

import torch


def reference(inputs):
    state, starts, computed = (inputs[name].long() for name in ("state", "starts", "computed"))
    done, counts = computed[state], starts.diff()
    tokens = int(starts[-1])
    owner = torch.repeat_interleave(counts)
    positions = inputs["positions"].clone()
    positions[:tokens] = torch.arange(tokens, device=state.device) - starts[owner] + done[owner]
    behind = inputs["max_requests"] - len(state)
    return {"new_positions": positions, "seq_lens": torch.nn.functional.pad(done + counts, (0, behind))}
