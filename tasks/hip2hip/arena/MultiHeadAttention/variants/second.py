"""Multi-head attention, head by head with a written-out softmax."""

from __future__ import annotations

