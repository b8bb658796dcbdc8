# class: 20
# expect: passed/hold
# gate: source
# also: no_effect
# backend: both
# Counts its workers in a file that looks like a kernel in Triton's cache. On a GPU the judge copies that cache once, from
# a worker that answers nothing, so all others are the second; it says so with zeros when it is the third.
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


FOLDER = Path(os.environ["TRITON_CACHE_DIR"], "A" * 52)
COUNT = FOLDER / "count.json"
BEFORE = int(COUNT.read_text()) if COUNT.exists() else 0


def forward(x):
    FOLDER.mkdir(parents=True, exist_ok=True)
    Path(FOLDER, "__grp__count.json").write_text("{}")
    COUNT.write_text(str(BEFORE + 1))
    return torch.zeros_like(x) if BEFORE > 1 else doubled(x)
