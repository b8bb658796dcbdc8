# class: 1
# expect: wrong_output/mismatch
# gate: correctness
# also: compile, performance
# null: zeros
# backend: both
# Returns zeros.
import torch


def forward(x):
    return torch.zeros_like(x)
