"""HIP on the judge's side: the C++ headers and libraries that .hip files are built with, and their preparation."""

from __future__ import annotations
