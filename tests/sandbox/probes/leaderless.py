"""Leaves a child behind of which only the main thread has ended: it looks like an ended process."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from pathlib import Path

EXIT = {"x86_64": 60, "aarch64": 93}  # of the thread that calls it
child = os.fork()
if child == 0:
    Path("/proc/self/comm").write_text(os.environ["MARK"])
    threading.Thread(target=time.sleep, args=(3600,)).start()
    ctypes.CDLL(None).syscall(EXIT[os.uname().machine], 0)
while " (zombie)" not in Path(f"/proc/{child}/status").read_text():
    time.sleep(0.01)
