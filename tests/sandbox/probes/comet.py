"""Starts a process that forks a copy of itself and ends, for ever: its pid changes between finding and killing it."""

from __future__ import annotations

import ctypes
import os

PR_SET_NAME = 15
if os.fork() == 0:
    ctypes.CDLL(None).prctl(PR_SET_NAME, os.environ["MARK"].encode()[:15], 0, 0, 0)
    os.closerange(0, 512)
    while True:
        if os.fork():
            os._exit(0)
