"""Experts of each token, its adapter, and which adapters are enabled: three of four, so that calls cost the same."""

from __future__ import annotations

import torch

NONE = -1  # no adapter, or no expert on this device


def draw(axes, name, generator):
    tokens, top_k, experts, adapters = (axes[axis] for axis in ("tokens", "top_k", "experts", "adapters"))
    options = {"generator": generator, "device": generator.device}
    expert_ids = torch.rand(tokens, experts, **options).argsort(1)[:, :top_k]
    expert_ids = expert_ids.masked_fill(torch.rand(tokens, top_k, **options) < 0.1, NONE)
    adapter_of_token = torch.randint(adapters, (tokens,), **options)
    adapter_of_token = adapter_of_token.masked_fill(torch.rand(tokens, **options) < 0.2, NONE)
    enabled = (torch.randperm(adapters, **options) < -(-3 * adapters // 4)).int()
    if name == "one_adapter":
        adapter_of_token = torch.full_like(adapter_of_token, int(enabled.argmax()))
    if name == "no_adapter":
        adapter_of_token = torch.full_like(adapter_of_token, NONE)
    if name == "same_experts":
        expert_ids = expert_ids[:1].expand(tokens, top_k).contiguous()
    if name == "all_disabled":
        enabled = torch.zeros_like(enabled)
    return {"expert_ids": expert_ids, "adapter_of_token": adapter_of_token, "enabled": enabled}
