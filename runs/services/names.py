"""Finds or registers the configuration that declared facts name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.text import slugify

from evaluator.agents import agent_names
from runs import agents
from runs.errors import RunError
from runs.models import Agent, Configuration, ModelVersion
from runs.services.registry import save_row, settings_digest

SETTINGS = ("agent_version", "settings")  # facts that distinguish configurations of the same agent and model
YOURS = "name yours in the form's field Agent, or with --set agent=NAME"
SLUG_CHARACTERS = 90  # of a configuration's slug; a number may be appended


@transaction.atomic
def configuration_for(*, declared: Mapping[str, Any]) -> Configuration:
    """Return the configuration that `declared` names by slug, else the one of its agent, model and settings.

    An unknown agent, model or configuration is registered, and not public before a run of it is.

    Raises:
        RunError: the slug is unknown, the agent is missing or built in, or a name is too long.
    """
    if slug := declared.get("configuration"):
        if found := Configuration.objects.filter(slug=slug).first():
            return found
        raise RunError(f"no configuration is named {slug!r}")
    try:
        return _registered(declared)
    except ValidationError as error:
        raise RunError("; ".join(error.messages).rstrip(".")) from error


def _registered(declared: Mapping[str, Any]) -> Configuration:
    who, model = _agent(declared.get("agent", "")), _model(declared.get("model", ""))
    settings = {name: declared[name] for name in SETTINGS if declared.get(name)}
    known = Configuration.objects.filter(agent=who, model=model, settings_digest=settings_digest(settings)).first()
    if known is not None:
        return known
    parts = (who.slug, model.slug if model else "", slugify(str(settings.get("agent_version", ""))))
    slug = _free(Configuration, "-".join(part for part in parts if part)[:SLUG_CHARACTERS])
    return save_row(row=Configuration(slug=slug, agent=who, model=model, settings=settings, is_public=False))


def configuration_of_built_in(*, agent: str, settings: Mapping[str, str]) -> Configuration:
    """Return the configuration of a built-in agent's run: by its settings, else the one with the agent's name.

    Raises:
        RunError: there is none.
    """
    if not settings:
        return configuration_for(declared={"configuration": agent})
    known = Configuration.objects.filter(agent__slug=agent).select_related("agent", "model")
    found = next((one for one in known if agents.works_in_sessions(one) and agents.fits(one, settings)), None)
    if found is None:
        raise RunError(f"no configuration of {agent} has exactly the settings of this run: register one first")
    return found


def _agent(name: str) -> Agent:
    if not slugify(name):
        raise RunError("the agent's name has no Latin letter or digit")
    ours = Agent.objects.filter(kind=Agent.Kind.BUILT_IN)
    if ours.filter(Q(name__iexact=name) | Q(slug=slugify(name))).exists():
        raise RunError(f"{name} is a built-in agent: {YOURS}")
    if known := Agent.objects.filter(name=name).first():
        return known
    if slugify(name) in agent_names():  # also where this site has not registered it
        raise RunError(f"{name} is the name of a built-in agent: {YOURS}")
    return save_row(row=Agent(name=name, slug=_free(Agent, slugify(name)[:50]), is_public=False))


def _model(identifier: str) -> ModelVersion | None:
    """Return the model with this exact identifier, registered under it if it is new; None if there is none."""
    if not identifier:
        return None
    known = ModelVersion.objects.filter(identifier=identifier).first()
    slug = _free(ModelVersion, slugify(identifier)[:50] or "model")
    return known or save_row(row=ModelVersion(name=identifier, identifier=identifier, slug=slug, is_public=False))


def _free(model: type[Agent] | type[ModelVersion] | type[Configuration], slug: str) -> str:
    """Return the slug, with a number appended if it is taken."""
    taken = set(model._default_manager.filter(slug__startswith=slug).values_list("slug", flat=True))
    return next(one for one in (slug, *(f"{slug}-{number}" for number in range(2, 10_000))) if one not in taken)
