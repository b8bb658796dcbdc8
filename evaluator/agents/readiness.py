"""Reports what an agent lacks before a session can start: required settings, secrets, or its program."""

from __future__ import annotations

from evaluator.agents.catalog import AgentFolder
from evaluator.agents.command_line import program_of
from evaluator.agents.variables import secrets_from_environment
from evaluator.errors import HostError, UsageError

HOST_REQUIREMENTS = ("program", "secrets")


def missing_settings(agent: AgentFolder) -> str | None:
    """A sentence that names the required settings without a value; None if none is missing."""
    missing = [name for name in agent.needs if name not in HOST_REQUIREMENTS and not agent.settings.text(name)]
    return f"not configured: set {' and '.join(missing)}" if missing else None


def missing_requirements(agent: AgentFolder, *, with_settings: bool = True) -> str | None:
    """A sentence on what is missing: settings (`with_settings`), secrets in the environment or the program; or None."""
    if with_settings and (missing := missing_settings(agent)):
        return missing
    try:
        if not secrets_from_environment(agent.settings) and "secrets" in agent.needs:
            return f"not configured: set {' or '.join(agent.settings.secrets)} in the worker's environment"
        if "program" in agent.needs:
            program_of(agent.settings)
    except (HostError, UsageError) as error:
        return f"not configured: {error}"
    return None
