"""Where people and programs hand in bundles, see what became of them, and where maintainers decide what waits.

Forms and views only: every write is a service's, and no byte of an upload is looked at here.
"""

from __future__ import annotations
