# class: 1
# expect: wrong_output/mismatch
# gate: correctness
# also: compile, performance
# null: best_constant
# backend: both
# Returns a constant.
import torch


def forward(x):
    return torch.full_like(x, 0.1)
