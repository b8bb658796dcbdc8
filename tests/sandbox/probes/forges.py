"""Writes a reply of its own to every pipe it finds."""

from __future__ import annotations

import os
import struct

BODY = os.environ["BODY"].encode()
for name in os.listdir("/proc/self/fd"):
    if int(name) > 2:
        try:
            os.write(int(name), struct.pack(">I", len(BODY)) + BODY)
        except OSError:
            pass
