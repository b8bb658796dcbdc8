"""Tries to shrink and to grow every memory file it finds."""

from __future__ import annotations

import json
import os

resized = []
for name in os.listdir("/proc/self/fd"):
    try:
        if "memfd" in os.readlink(f"/proc/self/fd/{name}"):
            for size in (0, 1 << 30):
                os.ftruncate(int(name), size)
                resized.append(size)
    except OSError:
        pass
print(json.dumps(resized))
