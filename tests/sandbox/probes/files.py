"""Lists its own folder, its parent, /tmp and /dev/shm, then writes to them."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

own = Path.cwd()
seen = {folder: sorted(os.listdir(folder)) for folder in (".", "/tmp", "/dev/shm")}
seen["beside"] = []
with contextlib.suppress(PermissionError):
    seen["beside"] = sorted(set(os.listdir(own.parent)) - {own.name})
for folder in (".", "/tmp", "/dev/shm") if os.environ["PRIVATE"] == "1" else (".",):
    Path(folder, "left-behind").write_text("by an earlier worker")
print(json.dumps({**seen, "mode": own.stat().st_mode & 0o777}))
