# class: 44
# expect: passed/hold
# gate: compile
# backend: both
# The PyTorch module that the task starts from, handed in as if it were a kernel.
import torch


def forward(x: torch.Tensor) -> torch.Tensor:
    return 2 * x
