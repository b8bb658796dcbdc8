"""Where the evaluator keeps what outlives one evaluation: prepared toolchains, build products, host calibration."""

from __future__ import annotations

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def state_folder() -> Path:
    """ARENA_STATE if set, else .arena beside the sources; created when missing."""
    folder = Path(os.environ.get("ARENA_STATE") or REPOSITORY / ".arena")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
