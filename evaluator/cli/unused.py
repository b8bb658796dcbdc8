"""Options of `validate` that do nothing in a call are refused: their user expects something of them."""

from __future__ import annotations

import argparse

from evaluator.errors import UsageError

DEFAULTS = {
    "again": False,
    "part": (1, 1),
    "only": [],
    "json": None,
    "without_runs": False,
    "sessions": 1,
    "skip_measured": None,
    "out": None,
    "backend": "cpu",
    "sandbox": "auto",
}
UNUSED = {
    "with --merge": tuple(name for name in DEFAULTS if name != "out"),
    "without `all`": ("again", "part", "only"),
    "with --without-runs": ("again", "backend", "sandbox"),
    "on a CPU": ("sessions", "skip_measured", "out"),
    "on a GPU": ("again", "json"),
}


def refuse_unused(options: argparse.Namespace, where: str) -> None:
    """Refuse the first option with another value than its default that does nothing there.

    Raises:
        UsageError: there is one.
    """
    for name in UNUSED[where]:
        if getattr(options, name) != DEFAULTS[name]:
            raise UsageError(f"--{name.replace('_', '-')} does nothing {where}; leave it out")
