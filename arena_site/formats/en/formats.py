"""How the admin writes days and moments: as every page does. Django looks for it here by its name."""

from __future__ import annotations

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = r"j M Y, H:i \U\T\C"
