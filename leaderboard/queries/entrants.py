"""Agents, models and configurations, and counts of their public results."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from django.db.models import Count, Q

from runs.agents import known
from runs.models import Agent, Configuration, ModelVersion, Result, Run
from runs.querysets import is_correct, is_counted, of_draft_from_elsewhere


class AgentRow(NamedTuple):
    slug: str
    name: str
    kind: str
    url: str
    configurations: int
    public_runs: int

    @property
    def about(self) -> str:
        """What a built-in agent does, in its agent.yaml's words; empty for other agents."""
        return _about(self.slug, self.kind)


class ModelRow(NamedTuple):
    slug: str
    name: str
    identifier: str
    vendor: str
    configurations: int
    public_runs: int


class ConfigurationRow(NamedTuple):
    slug: str
    agent: str
    agent_slug: str
    agent_kind: str
    model: str | None
    model_slug: str | None
    identifier: str | None
    vendor: str | None
    settings: dict[str, Any]
    settings_digest: str
    role: str
    runs: int
    public_runs: int

    @property
    def about(self) -> str:
        """What its agent does, as of `AgentRow`."""
        return _about(self.agent_slug, self.agent_kind)


class StandingRow(NamedTuple):
    """Public runs of a configuration on one suite, device class and category, all repeats together."""

    configuration: str
    role: str
    suite: str
    version: int
    suite_is_current: bool
    device: str
    device_title: str
    is_functional: bool
    protocol: str
    agent: str
    model: str | None
    agent_slug: str
    agent_kind: str
    category: str
    runs: int
    results: int
    compiled: int
    correct: int
    may_rank: int

    @property
    def is_taken(self) -> bool:
        """Whether its agent takes tasks of this category: boards of others do not show it."""
        agent = known(self.agent_slug, self.agent_kind)
        return agent is None or self.category in agent.categories


_CONFIGURATION = (
    *("slug", "agent__name", "agent__slug", "agent__kind", "model__name", "model__slug", "model__identifier"),
    *("model__vendor", "settings", "settings_digest", "role", "all_runs", "public_runs"),
)
_NAMES = (  # of a standing
    *("configuration__slug", "configuration__role", "suite__name", "suite__version", "suite__is_current"),
    *("device_class__slug", "device_class__title", "device_class__is_functional", "protocol"),
    *("configuration__agent__name", "configuration__model__name"),
    *("configuration__agent__slug", "configuration__agent__kind"),
)
_ORDER = ("configuration__slug", "suite__name", "-suite__version", "device_class__slug", "protocol")
_PUBLIC = Q(configurations__runs__state="published")
_COUNTS = {  # of an agent or a model; a count cannot be named like the relation that it counts
    "size": Count("configurations", filter=Q(configurations__is_public=True), distinct=True),
    "public_runs": Count("configurations__runs", filter=_PUBLIC, distinct=True),
}


def agents(slug: str = "") -> list[AgentRow]:
    """The agent of this slug, or all that are public."""
    rows = Agent.objects.filter(_of(slug)).annotate(**_COUNTS).order_by("name", "slug")
    return [AgentRow(*row) for row in rows.values_list("slug", "name", "kind", "url", *_COUNTS)]


def models(slug: str = "") -> list[ModelRow]:
    """The model of this slug, or all that are public."""
    rows = ModelVersion.objects.filter(_of(slug)).annotate(**_COUNTS).order_by("name", "slug")
    return [ModelRow(*row) for row in rows.values_list("slug", "name", "identifier", "vendor", *_COUNTS)]


def configurations(slug: str = "", **filters: str) -> list[ConfigurationRow]:
    """The configuration of this slug, or all that are public and have these values (agent__slug, model__slug)."""
    rows = Configuration.objects.filter(_of(slug), **filters).annotate(
        all_runs=Count("runs", filter=~of_draft_from_elsewhere(run="runs__"), distinct=True),
        public_runs=Count("runs", filter=Q(runs__state="published"), distinct=True),
    )
    return [ConfigurationRow(*row) for row in rows.order_by("agent__name", "slug").values_list(*_CONFIGURATION)]


def _about(slug: str, kind: str) -> str:
    agent = known(slug, kind)
    return agent.about if agent else ""


def _of(slug: str) -> Q:
    """The row of this slug, public or not: a draft's page leads there. Without a slug all that are public."""
    return Q(slug=slug) if slug else Q(is_public=True)


def standings(**filters: str) -> list[StandingRow]:
    """Counts of public results. Missing and errored ones are in `results` and in no other count.

    Results are counted by keys and named afterwards: to group 100,000 by their names takes twice as long.
    """
    lookups = {f"configuration__{name}": value for name, value in filters.items()}
    keys = ("configuration_id", "suite_id", "device_class_id", "protocol")
    rows = (
        Result.objects.filter(run__state="published", **{f"run__{name}": value for name, value in lookups.items()})
        .values_list(*(f"run__{name}" for name in keys), "task__category")
        .annotate(
            runs=Count("run", distinct=True),
            results=Count("id"),
            compiled=Count("id", filter=Q(published_attempt__compiled=True)),
            correct=Count("id", filter=is_correct()),
            may_rank=Count("id", filter=is_counted() & Q(run__configuration__role="entry")),
        )
    )
    tallies: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows.order_by("task__category"):
        tallies[row[: len(keys)]].append(row[len(keys) :])
    names = Run.objects.public().filter(**lookups).order_by(*_ORDER).distinct().values_list(*keys, *_NAMES)
    return [StandingRow(*name[len(keys) :], *tally) for name in names for tally in tallies.get(name[: len(keys)], ())]
