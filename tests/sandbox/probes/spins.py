"""Uses CPU time without end."""

from __future__ import annotations

while True:
    pass
