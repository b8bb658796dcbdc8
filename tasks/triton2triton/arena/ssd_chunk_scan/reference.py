"""State space duality in chunks: decays from a running sum, a small attention within a chunk, one state between
chunks.
"""

from __future__ import annotations

import torch

CHUNK = 64


def reference(inputs):
    x, dt, a = inputs["x"], inputs["dt"], inputs["a"]
    batch, steps, heads, head_dim = x.shape
    per_group = heads // inputs["b"].shape[2]
    b, c = (inputs[name].repeat_interleave(per_group, dim=2) for name in ("b", "c"))
    state = inputs["initial"]
    state = x.new_zeros(batch, heads, head_dim, b.shape[3]) if state is None else state
    y = torch.zeros_like(x) if inputs["d"] is None else inputs["d"][:, None] * x
    for begin in range(0, steps, CHUNK):
        part = slice(begin, min(begin + CHUNK, steps))
        log_decay = (dt[:, part] * a).cumsum(1)
        between = log_decay[:, :, None] - log_decay[:, None]  # batch, to, from, head
        earlier = torch.ones(between.shape[1:3], device=x.device).tril().bool()[None, :, :, None]
        weights = between.masked_fill(~earlier, -torch.inf).exp() * dt[:, None, part]
        weights *= torch.einsum("bihn,bjhn->bijh", c[:, part], b[:, part])
        y[:, part] += torch.einsum("bijh,bjhp->bihp", weights, x[:, part])
        y[:, part] += torch.einsum("bihn,bhpn->bihp", c[:, part] * log_decay.exp()[..., None], state)
        rest = (log_decay[:, -1:] - log_decay).exp() * dt[:, part]
        added = torch.einsum("bjhp,bjhn->bhpn", x[:, part] * rest[..., None], b[:, part])
        state = state * log_decay[:, -1].exp()[..., None, None] + added
    return {"y": y, "final": state.clone()}
