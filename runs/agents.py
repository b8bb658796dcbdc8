"""From a configuration's row to the agent of ours that works by it: its settings, what it lacks, whether it is paid."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from evaluator.agents import agent_names, read_agent
from evaluator.agents.catalog import AgentFolder as Known
from evaluator.agents.catalog import settings_text
from evaluator.agents.readiness import missing_requirements, missing_settings
from evaluator.errors import EvaluatorError
from runs.errors import RunError
from runs.models import Agent, AgentSession, Configuration, Result

AGENT_VERSION = "agent_version"  # of a settings' mapping: said for people, no setting of the agent's
HOST_REQUIREMENTS = ("program", "installed_in", "secrets")  # where set, what a host says of an agent does not hold


def works_in_sessions(configuration: Configuration) -> bool:
    """Whether its candidates come out of sessions that a worker holds."""
    slug = configuration.agent.slug
    is_ours = configuration.agent.kind == Agent.Kind.BUILT_IN and slug in agent_names()
    return is_ours and read_agent(slug).kind != "reference"


def agent_of(configuration: Configuration) -> Known:
    """The agent with the configuration's settings; its model's identifier, where it takes one.

    Raises:
        RunError: it is none of ours, or does not know a setting.
    """
    name = configuration.agent.slug
    changes = {key: value for key, value in configuration.settings.items() if key != AGENT_VERSION}
    try:
        if configuration.model is not None and "model" in read_agent(name).settings.own:
            changes.setdefault("model", configuration.model.identifier)
        return read_agent(name, changes)
    except EvaluatorError as error:
        raise RunError(f"{configuration}: {error}") from error


def awaits_session(result: Result) -> bool:
    """Whether its candidate is yet to be written here; what is public without one stays so."""
    is_written = bool(result.candidate_files or result.candidate_problems or result.published_attempt_id)
    if is_written or result.run.is_from_outside or not works_in_sessions(result.run.configuration):
        return False
    return not AgentSession.objects.filter(result=result).exclude(ended="").exists()


def asks_too_much(agent: Known) -> str | None:
    """What its settings would take from this host that nobody here allowed, as a sentence; None: nothing.

    A secret goes to an address that the settings name, too, and a folder into a sandbox that may reach one.
    """
    for name in agent.settings.secrets:
        if name not in settings.AGENT_SECRETS:
            allowed = ", ".join(settings.AGENT_SECRETS)
            return (
                f"seen {name!r} as one of its secrets; expected names that ARENA_AGENT_SECRETS allows here: {allowed}"
            )
    folder = str(agent.settings.own.get("installed_in") or "")
    if folder and not any(_is_below(folder, one) for one in settings.AGENT_FOLDERS):
        allowed = ", ".join(map(str, settings.AGENT_FOLDERS)) or "none"
        return f"seen {folder!r} as installed_in; expected a folder that ARENA_AGENT_FOLDERS allows here: {allowed}"
    return None


def state_of(configuration: Configuration) -> str:
    """In a few words: can a session of it be held, as far as settings say?"""
    if not works_in_sessions(configuration):
        return "no sessions"
    try:
        agent = agent_of(configuration)
        return missing_settings(agent) or _asks_itself(configuration, agent) or "configured"
    except RunError as error:
        return str(error)


def refuse_what_asks_too_much(configuration: Configuration) -> None:
    """Before it is registered or starts: of what it names itself; of the rest each host decides.

    Raises:
        RunError: with the sentence of `asks_too_much`.
    """
    if sentence := _asks_itself(configuration, agent_of(configuration)):
        raise RunError(sentence)


def is_paid(agent: Known) -> bool:
    """Whether a session may cost money: a model does, unless its configuration says that tokens cost nothing."""
    prices = [agent.settings.own.get(name) for name in ("input_price", "output_price")]
    return agent.kind == "model" and any(price is None or price != 0 for price in prices)


def is_program(name: str) -> bool:
    """Whether an agent is one of ours that asks no model."""
    return name in agent_names() and read_agent(name).kind == "program"


def is_product(agent: Agent) -> bool:
    """Whether ours only starts somebody else's program, which others may run and hand in under the same name."""
    is_ours = agent.kind == Agent.Kind.BUILT_IN and agent.slug in agent_names()
    return is_ours and "program" in read_agent(agent.slug).settings.own


def fits(configuration: Configuration, written: Mapping[str, str]) -> bool:
    """Whether a session with these settings, as it wrote them down, was one of this configuration."""
    try:
        return settings_text(agent_of(configuration)) == dict(written)
    except RunError:
        return False


def lacking() -> dict[str, str]:
    """What each agent lacks on this host, as it comes; empty where nothing is missing but settings."""
    return {
        name: missing_requirements(agent, with_settings=False) or asks_too_much(agent) or ""
        for name in agent_names()
        if (agent := read_agent(name)).kind != "reference"
    }


def _asks_itself(configuration: Configuration, agent: Known) -> str | None:
    return asks_too_much(agent) if set(HOST_REQUIREMENTS) & set(configuration.settings) else None


def _is_below(folder: str, allowed: Path) -> bool:
    """By where links lead."""
    return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(allowed))
