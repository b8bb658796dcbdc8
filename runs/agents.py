"""Built-in agents as configurations name them: settings, what they lack on a host, whether they cost money."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from evaluator.addresses import origin_of
from evaluator.agents import agent_names, read_agent
from evaluator.agents.catalog import AgentFolder as Known
from evaluator.agents.catalog import settings_text
from evaluator.agents.readiness import missing_requirements, missing_settings
from evaluator.errors import EvaluatorError
from runs.errors import RunError
from runs.models import Agent, AgentSession, Configuration, Result

AGENT_VERSION = "agent_version"  # in a settings mapping: information for people, not a setting of the agent
HOST_REQUIREMENTS = (
    "program",
    "installed_in",
    "secrets",
)  # a configuration that sets one overrides the host
ADDRESSES = ("base_url", "network")  # settings that say where an agent's requests go


@functools.cache
def known(slug: str, kind: str) -> Known | None:
    """Return the built-in agent of this name as its agent.yaml has it; None for agents of another kind."""
    return read_agent(slug) if kind == Agent.Kind.BUILT_IN and slug in agent_names() else None


def role_of(agent: Agent) -> Configuration.Role | None:
    """Return the role of a built-in agent's configurations, by `kind` of its agent.yaml; None for other agents."""
    ours = known(agent.slug, agent.kind)
    if ours is None:
        return None
    return Configuration.Role.REFERENCE_LINE if ours.kind == "reference" else Configuration.Role.ENTRY


def works_in_sessions(configuration: Configuration) -> bool:
    """Return whether a worker runs a session to get this configuration's candidates."""
    return role_of(configuration.agent) == Configuration.Role.ENTRY


def agent_of(configuration: Configuration) -> Known:
    """Return the built-in agent with the configuration's settings, and with its model's identifier where it takes one.

    Raises:
        RunError: the agent is not built in, or does not know a setting.
    """
    name = configuration.agent.slug
    changes = {key: value for key, value in configuration.settings.items() if key != AGENT_VERSION}
    try:
        if configuration.model is not None and "model" in read_agent(name).settings.own:
            changes.setdefault("model", configuration.model.identifier)
        return read_agent(name, changes)
    except EvaluatorError as error:
        raise RunError(f"{configuration}: {error}") from error


def categories_of(configuration: Configuration) -> tuple[str, ...]:
    """Return the categories of tasks that a configuration takes; for others its agent submits nothing."""
    return agent_of(configuration).categories


def needs_session(result: Result) -> bool:
    """Return whether a worker here must run an agent session before this result can be evaluated.

    A result that was published without a candidate never gets one.
    """
    is_written = bool(result.candidate_files or result.candidate_problems or result.published_attempt_id)
    if is_written or result.run.is_from_outside or not works_in_sessions(result.run.configuration):
        return False
    return not AgentSession.objects.filter(result=result).exclude(ended="").exists()


def forbidden_setting(agent: Known) -> str | None:
    """Return a sentence about a setting that this host's operator did not allow; None if all are allowed.

    A secret may be sent to an address that the settings name, and a folder is visible in a sandbox with network access.
    A key goes only to servers that the operator bound it to.
    """
    for name in agent.settings.secrets:
        if name not in settings.AGENT_SECRETS:
            allowed = ", ".join(settings.AGENT_SECRETS)
            return (
                f"seen {name!r} as one of its secrets; expected names that ARENA_AGENT_SECRETS allows here: {allowed}"
            )
    if sentence := _forbidden_address(agent):
        return sentence
    folder = str(agent.settings.own.get("installed_in") or "")
    target = Path(os.path.realpath(folder))
    if folder and not any(target.is_relative_to(os.path.realpath(one)) for one in settings.AGENT_FOLDERS):
        allowed = ", ".join(map(str, settings.AGENT_FOLDERS)) or "none"
        return f"seen {folder!r} as installed_in; expected a folder that ARENA_AGENT_FOLDERS allows here: {allowed}"
    return None


def state_of(configuration: Configuration) -> str:
    """Return in a few words whether a session could start, judging by the settings alone."""
    if not works_in_sessions(configuration):
        return "no sessions"
    try:
        agent = agent_of(configuration)
        return missing_settings(agent) or _own_forbidden_setting(configuration, agent) or "configured"
    except RunError as error:
        return str(error)


def refuse_forbidden_settings(configuration: Configuration) -> None:
    """Refuse a configuration that itself sets what the operator did not allow; defaults are each host's decision.

    Raises:
        RunError: with the sentence of `forbidden_setting`.
    """
    if sentence := _own_forbidden_setting(configuration, agent_of(configuration)):
        raise RunError(sentence)


def is_paid(agent: Known) -> bool:
    """Return whether a session may cost money: a model does, unless the configuration sets both token prices to 0."""
    prices = [agent.settings.own.get(name) for name in ("input_price", "output_price")]
    return agent.kind == "model" and any(price is None or price != 0 for price in prices)


def is_program(name: str) -> bool:
    """Return whether this is a built-in agent that calls no model."""
    return name in agent_names() and read_agent(name).kind == "program"


def is_product(agent: Agent) -> bool:
    """Return whether this built-in agent only starts another vendor's program.

    Others may run the same program and submit results under its name.
    """
    ours = known(agent.slug, agent.kind)
    return ours is not None and "program" in ours.settings.own


def fits(configuration: Configuration, written: Mapping[str, str]) -> bool:
    """Return whether a session that recorded these settings was run by this configuration."""
    try:
        return settings_text(agent_of(configuration)) == dict(written)
    except RunError:
        return False


def missing_on_this_host() -> dict[str, str]:
    """Return, by agent name, what each built-in agent lacks on this host; empty if only settings are missing."""
    return {
        name: missing_requirements(agent, with_settings=False) or forbidden_setting(agent) or ""
        for name in agent_names()
        if (agent := read_agent(name)).kind != "reference"
    }


def with_endpoint(agent: Known) -> Known:
    """Return the agent with what the operator allows of its `base_url`; unchanged if it has none."""
    address = str(agent.settings.own.get("base_url") or "")
    if not address:
        return agent
    return replace(agent, settings=replace(agent.settings, endpoint=settings.AGENT_ENDPOINTS[origin_of(address)]))


def _forbidden_address(agent: Known) -> str | None:
    return _forbidden_endpoint(agent) or _forbidden_host(agent)


def _forbidden_endpoint(agent: Known) -> str | None:
    """Return a sentence about a `base_url` that is not allowed, or not with these secrets.

    A server to which no secret is bound gets none, whichever the agent has.
    """
    address = str(agent.settings.own.get("base_url") or "")
    if not address:
        return None
    allowed = settings.AGENT_ENDPOINTS.get(origin_of(address))
    if allowed is None:
        return f"seen {address!r} as base_url; expected a server that ARENA_AGENT_ENDPOINTS allows here: {_endpoints()}"
    unbound = [name for name in agent.settings.secrets if name not in allowed.secrets]
    if unbound and allowed.secrets:
        return (
            f"seen {unbound[0]!r} among the secrets for {address}; "
            f"expected only those that ARENA_AGENT_ENDPOINTS binds to it: {', '.join(allowed.secrets)}"
        )
    return None


def _forbidden_host(agent: Known) -> str | None:
    """Return a sentence about a host that a program in a sandbox may not reach, or not with these secrets.

    The agent's own hosts may get its own secrets.
    """
    if "program" not in agent.settings.own:
        return None
    own = read_agent(agent.name).settings
    for host in agent.settings.network:
        allowed = settings.AGENT_ENDPOINTS.get(origin_of(f"https://{host}"))
        if allowed is None and host not in own.network:
            return f"seen {host!r} in network; expected a server that ARENA_AGENT_ENDPOINTS allows here: {_endpoints()}"
        bound = {*(allowed.secrets if allowed else ()), *(own.secrets if host in own.network else ())}
        if unbound := [name for name in agent.settings.secrets if name not in bound]:
            names = ", ".join(sorted(bound)) or "none"
            return (
                f"seen {unbound[0]!r} among the secrets of an agent that reaches {host}; "
                f"expected only those that it or ARENA_AGENT_ENDPOINTS binds to it: {names}"
            )
    return None


def _endpoints() -> str:
    return ", ".join(settings.AGENT_ENDPOINTS) or "none"


def _own_forbidden_setting(configuration: Configuration, agent: Known) -> str | None:
    own = set(configuration.settings)
    if own & set(HOST_REQUIREMENTS):
        return forbidden_setting(agent)
    return _forbidden_address(agent) if own & set(ADDRESSES) else None
