"""Date formats of the admin, the same as on all other pages. Django finds this module by its name."""

from __future__ import annotations

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = r"j M Y, H:i \U\T\C"
