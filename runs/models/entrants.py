"""Agents, models, and the configurations of both that leaderboards list.

Those that only drafts name have rows, too, and are on no list and in no search until such a run is published.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Agent(models.Model):
    """A writer of candidates: a built-in agent, a product or a person."""

    class Kind(models.TextChoices):
        BUILT_IN = "built_in", "built in"  # evaluator.agents knows it by its slug
        EXTERNAL = "external", "external"

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.EXTERNAL)
    url = models.URLField(blank=True)
    is_public = models.BooleanField(
        default=True, editable=False, help_text="Registered by staff, or named by a run that was published."
    )

    class Meta:
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(name="agent_kind_is_known", condition=Q(kind__in=["built_in", "external"])),
        ]

    def __str__(self) -> str:
        return self.name


class ModelVersion(models.Model):
    """A language model under the exact identifier that was requested."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=100)
    identifier = models.CharField(max_length=100, help_text="As passed to the provider, such as claude-opus-4-6.")
    vendor = models.CharField(max_length=100, blank=True)
    is_public = models.BooleanField(
        default=True, editable=False, help_text="Registered by staff, or named by a run that was published."
    )

    class Meta:
        ordering = ("name",)
        verbose_name = "model"

    def __str__(self) -> str:
        return self.name


class Configuration(models.Model):
    """Agent × model × settings: one entry of a leaderboard. An agent that calls no model has none."""

    class Role(models.TextChoices):
        ENTRY = "entry", "entry"
        REFERENCE_LINE = "reference_line", "reference line"  # shown on a leaderboard, never ranked

    slug = models.SlugField(max_length=100, unique=True)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="configurations")
    model = models.ForeignKey(
        ModelVersion, on_delete=models.PROTECT, related_name="configurations", null=True, blank=True
    )
    settings = models.JSONField(default=dict, blank=True, help_text="timeout_s, max_iterations, cheatsheets, …")
    settings_digest = models.CharField(max_length=64, editable=False)
    role = models.CharField(
        max_length=20, choices=Role, default=Role.ENTRY, help_text="A built-in agent has its own, whatever is set here."
    )
    is_public = models.BooleanField(
        default=True, editable=False, help_text="Registered by staff, or named by a run that was published."
    )
    # Caps are not part of a configuration's identity: changing one makes no new configuration.
    run_cap_usd = models.FloatField(
        null=True, blank=True, help_text="The most that one run may spend. Required for a paid model."
    )
    day_cap_usd = models.FloatField(
        null=True, blank=True, help_text="The most that all its runs may spend in a day (UTC)."
    )
    expected_task_usd = models.FloatField(
        null=True, blank=True, help_text="Expected cost of a task, used until sessions here have reported costs."
    )

    class Meta:
        ordering = ("slug",)
        constraints = [
            *(
                models.CheckConstraint(
                    name=f"configuration_{name}_is_positive",
                    condition=Q(**{f"{name}__isnull": True}) | Q(**{f"{name}__gt": 0}),
                )
                for name in ("run_cap_usd", "day_cap_usd", "expected_task_usd")
            ),
            models.UniqueConstraint(
                name="configuration_settings_once_per_agent_and_model",
                fields=["agent", "model", "settings_digest"],
                condition=Q(model__isnull=False),
            ),
            models.UniqueConstraint(
                name="configuration_settings_once_per_agent",
                fields=["agent", "settings_digest"],
                condition=Q(model__isnull=True),
            ),
            models.CheckConstraint(
                name="configuration_role_is_known", condition=Q(role__in=["entry", "reference_line"])
            ),
        ]

    def __str__(self) -> str:
        return self.slug
