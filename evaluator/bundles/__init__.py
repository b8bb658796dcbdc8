"""Bundles of results: read within limits, recognised by content, parsed into claims, problems and findings.

The entry point is `checking.check`; a format is a module with NAME, MARKS, recognises and translate. Nothing here knows
the database or runs code from a bundle.
"""

from __future__ import annotations
