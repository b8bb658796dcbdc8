"""Writes to its own folder, /tmp and /dev/shm, after listing what lies there and in the other workers' folders."""

from __future__ import annotations

import json
import os
from pathlib import Path

own = Path.cwd()
seen = {folder: sorted(os.listdir(folder)) for folder in (".", "/tmp", "/dev/shm")}
for folder in seen:
    if folder == "." or os.environ["PRIVATE"] == "1":
        Path(folder, "left-behind").write_text("by an earlier worker")
print(
    json.dumps(
        {"seen": seen, "beside": sorted(set(os.listdir(own.parent)) - {own.name}), "mode": own.stat().st_mode & 0o777}
    )
)
