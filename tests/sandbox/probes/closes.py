"""Closes every file it has."""

from __future__ import annotations

import os

os.closerange(0, 4096)
