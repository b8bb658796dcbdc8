"""Results from elsewhere: read within bounds, recognised by content, translated into claims, problems and findings.

Knows no rows and runs no code of a bundle. `checking.check` is the door; a format is a module with NAME, MARKS,
recognises and translate.
"""

from __future__ import annotations
