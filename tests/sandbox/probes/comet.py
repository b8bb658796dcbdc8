"""Starts a process that for ever forks a copy of itself and ends: who looks finds another number than who kills."""

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
