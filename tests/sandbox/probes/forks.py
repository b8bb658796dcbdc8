"""Forks as often as it can."""

from __future__ import annotations

import json
import os
import time

children = 0
while children < 400:
    try:
        if os.fork() == 0:
            time.sleep(3600)
            os._exit(0)
        children += 1
    except BlockingIOError:
        break
print(json.dumps(children))
