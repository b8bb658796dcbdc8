"""Secrets of an agent: what this process's environment holds under the names that its configuration says."""

from __future__ import annotations

import os

from evaluator.agents.interface import AgentSettings
from evaluator.errors import UsageError


def secrets_here(settings: AgentSettings) -> dict[str, str]:
    """Those that are set, by name, without blanks and line ends around them: files of variables add some.

    Raises:
        UsageError: a value that no request could carry. It is told by its name: errors are public, and values are not.
    """
    found = {name: os.environ.get(name, "").strip() for name in settings.secrets}
    odd = [name for name, value in found.items() if not (value.isascii() and value.isprintable())]
    if odd:
        raise UsageError(f"{' and '.join(odd)} in the environment: expected one line of printable ASCII")
    return {name: value for name, value in found.items() if value}
