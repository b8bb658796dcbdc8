"""Uses CPU time for ever."""

from __future__ import annotations

while True:
    pass
