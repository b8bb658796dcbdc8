"""What an agent lacks before it can work: settings that have no default, and what the host must bring."""

from __future__ import annotations

from evaluator.agents.catalog import AgentFolder
from evaluator.agents.command_line import program_of
from evaluator.agents.variables import secrets_here
from evaluator.errors import HostError, UsageError

OF_THE_HOST = ("program", "secrets")


def not_set(agent: AgentFolder) -> str | None:
    """The settings that nobody set, as a sentence; None where none is missing."""
    missing = [name for name in agent.needs if name not in OF_THE_HOST and not agent.settings.text(name)]
    return f"not configured: set {' and '.join(missing)}" if missing else None


def lacks_here(agent: AgentFolder, *, with_settings: bool = True) -> str | None:
    """The same of settings, unless they are left out, and of this host: programs, this process's environment."""
    if with_settings and (missing := not_set(agent)):
        return missing
    try:
        if not secrets_here(agent.settings) and "secrets" in agent.needs:
            return f"not configured: set {' or '.join(agent.settings.secrets)} in the worker's environment"
        if "program" in agent.needs:
            program_of(agent.settings)
    except (HostError, UsageError) as error:
        return f"not configured: {error}"
    return None
