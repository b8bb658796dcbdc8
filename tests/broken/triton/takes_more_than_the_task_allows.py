# expect: crashed/out_of_memory
# Asks for 6 GiB where the task allows 4.
import torch


def forward(x):
    return 2 * x + torch.zeros(6 << 30, dtype=torch.uint8)[: x.numel()]
