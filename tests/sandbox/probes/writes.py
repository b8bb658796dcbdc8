"""Tries to write to the folders of the system, Python, its packages and the evaluator."""

from __future__ import annotations

import json
import os
from pathlib import Path

import evaluator.inside
import torch

places = [Path("/"), Path("/usr"), Path("/usr/bin"), Path("/etc"), Path("/dev"), Path("/proc/sys/kernel")]
places += [Path(module.__file__).parent for module in (os, torch, evaluator, evaluator.inside)]
written = []
for place in places:
    try:
        (place / "probe").write_text("written")
        written.append(str(place))
    except OSError:
        pass
for module in (torch, evaluator, evaluator.inside):
    try:
        Path(module.__file__).open("ab").close()
        written.append(module.__file__)
    except OSError:
        pass
print(json.dumps(written))
