"""The evaluator's state folder: toolchains, build caches and calibrations, which outlive an evaluation."""

from __future__ import annotations

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def state_folder() -> Path:
    """The state folder, created if missing: $ARENA_STATE if set, otherwise .arena in the repository."""
    folder = Path(os.environ.get("ARENA_STATE") or REPOSITORY / ".arena")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
