"""Leaves a grandchild behind: a session of its own, deaf to TERM and HUP, orphaned, without open files of ours."""

from __future__ import annotations

import os
import signal
import sys
import time

BODY = (
    "import signal, time; [signal.signal(s, signal.SIG_IGN) for s in (signal.SIGTERM, signal.SIGHUP)]; time.sleep(3600)"
)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.closerange(0, 512)
        os.execv(sys.executable, [sys.executable, "-c", BODY, os.environ["MARK"]])
    os._exit(0)
os.wait()
time.sleep(0.3)  # until it has become what it is
print("left")
