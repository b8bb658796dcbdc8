# class: 1
# expect: wrong_output/mismatch
# gate: correctness
# also: compile, performance
# null: ones
# backend: both
# Returns ones.
import torch


def forward(x):
    return torch.ones_like(x)
