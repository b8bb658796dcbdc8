"""Attacks the process it was forked from: its memory, its life, its limits."""

from __future__ import annotations

import json
import os
import resource
import signal

parent, managed = os.getppid(), []
for name in ("mem", "environ", "maps", "fd/0", "root/etc"):
    try:
        os.close(os.open(f"/proc/{parent}/{name}", os.O_RDWR if name == "mem" else os.O_RDONLY))
        managed.append(name)
    except OSError:
        pass
for number in (signal.SIGSTOP, signal.SIGKILL):
    for target in (parent, -parent):
        try:
            os.kill(target, number)
            managed.append(f"signal {number} to {target}")
        except OSError:
            pass
try:
    os.kill(int(os.environ["JUDGE"]), 0)
    managed.append("signal to the judge")
except OSError:
    pass
try:
    resource.prlimit(parent, resource.RLIMIT_CPU, (0, 0))
    managed.append("prlimit")
except OSError:
    pass
print(json.dumps(managed))
