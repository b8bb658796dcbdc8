"""HIP without a GPU, the judge's side: the C++ headers that .hip files are built against, and their preparation."""

from __future__ import annotations
