# class: 4
# expect: wrong_output/nan
# gate: correctness
# also: compile, performance
# null: nothing_written
# backend: both
# Returns memory that nobody wrote.
import torch


def forward(x):
    return torch.empty_like(x)
