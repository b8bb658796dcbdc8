"""Leaves a grandchild behind, orphaned, in its own session, ignoring TERM and HUP, with none of our files open."""

from __future__ import annotations

import os
import signal
import sys

became, becomes = os.pipe()  # closed by the grandchild as it becomes another program
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # and so it stays in the other program
        os.closerange(0, becomes)
        os.closerange(becomes + 1, 512)
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(3600)", os.environ["MARK"]])
    os._exit(0)
os.close(becomes)
os.wait()
os.read(became, 1)  # until it has become what it is
print("left")
