"""Prints a given amount on both streams."""

from __future__ import annotations

import os
import sys

for number in range(int(os.environ["LINES"])):
    print(f"line {number} " + "x" * 1000, file=(sys.stdout, sys.stderr)[number % 2])
