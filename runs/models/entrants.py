"""Who writes kernels: agents, models, and the configurations that stand on boards."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Agent(models.Model):
    """What writes candidates: a program of ours, a product, a person."""

    class Kind(models.TextChoices):
        BUILT_IN = "built_in", "built in"  # evaluator.agents knows it by its slug
        EXTERNAL = "external", "external"

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.EXTERNAL)
    url = models.URLField(blank=True)

    class Meta:
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(name="agent_kind_is_known", condition=Q(kind__in=["built_in", "external"])),
        ]

    def __str__(self) -> str:
        return self.name


class ModelVersion(models.Model):
    """A language model at the exact identifier that was asked for."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=100)
    identifier = models.CharField(max_length=100, help_text="As passed to the provider, such as claude-opus-4-6.")
    vendor = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ("name",)
        verbose_name = "model"

    def __str__(self) -> str:
        return self.name


class Configuration(models.Model):
    """Agent × model × settings: what a line of a board is. Built-in agents have no model."""

    class Role(models.TextChoices):
        ENTRY = "entry", "entry"
        REFERENCE_LINE = "reference_line", "reference line"  # drawn on a board, never ranked

    slug = models.SlugField(max_length=100, unique=True)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="configurations")
    model = models.ForeignKey(
        ModelVersion, on_delete=models.PROTECT, related_name="configurations", null=True, blank=True
    )
    settings = models.JSONField(default=dict, blank=True, help_text="timeout_s, max_iterations, cheatsheets, …")
    settings_digest = models.CharField(max_length=64, editable=False)
    role = models.CharField(max_length=20, choices=Role, default=Role.ENTRY)
    # What it may spend is no part of what it is: changing it makes no other configuration.
    run_cap_usd = models.FloatField(
        null=True, blank=True, help_text="Most that one run may spend; a paid model starts only with one."
    )
    day_cap_usd = models.FloatField(null=True, blank=True, help_text="Most that all its runs may spend in a day, UTC.")
    expected_task_usd = models.FloatField(
        null=True, blank=True, help_text="What a task may cost, until sessions here say it themselves."
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
