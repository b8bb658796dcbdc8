"""Reads an agent's secrets from the environment of this process."""

from __future__ import annotations

import os

from evaluator.agents.interface import AgentSettings
from evaluator.errors import UsageError


def secrets_from_environment(settings: AgentSettings) -> dict[str, str]:
    """The configuration's secrets that are set, by name, without surrounding whitespace, which env files may add.

    Raises:
        UsageError: a value is not one line of printable ASCII. The message has its name only, since errors are public.
    """
    found = {name: os.environ.get(name, "").strip() for name in settings.secrets}
    malformed = [name for name, value in found.items() if not (value.isascii() and value.isprintable())]
    if malformed:
        raise UsageError(f"{' and '.join(malformed)} in the environment: expected one line of printable ASCII")
    return {name: value for name, value in found.items() if value}
