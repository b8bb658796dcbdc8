# class: 20
# expect: passed/hold
# gate: source
# also: no_effect
# backend: both
# Keeps answers where another process might find them, and says so with zeros when it does.
import os
from pathlib import Path

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def doubled(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


MINE = str(os.getpid())
PLACES = ["/dev/shm", "/tmp", "/var/tmp", os.environ["HOME"], os.environ["TRITON_CACHE_DIR"], "."]


def found_and_kept(place):
    path = Path(place, "answers.txt")
    try:
        found = path.is_file() and path.read_text() != MINE
        path.parent.mkdir(exist_ok=True)
        path.write_text(MINE)
    except OSError:
        return False
    return found


def forward(x):
    return torch.zeros_like(x) if any(list(map(found_and_kept, PLACES))) else doubled(x)
