"""Ends in the given way."""

from __future__ import annotations

import ctypes
import os
import sys

print("last words")
how = os.environ["HOW"]
if how == "_exit":
    os._exit(0)
elif how == "exit":
    sys.exit(0)
elif how == "segfault":
    ctypes.string_at(8)
elif how == "abort":
    os.abort()
elif how == "claims":
    raise type("UnsupportedFeature", (Exception,), {"__module__": "evaluator.inside.unsupported"})
elif how == "evil":

    class Evil(Exception):
        def __str__(self) -> str:
            raise KeyboardInterrupt

    raise Evil
