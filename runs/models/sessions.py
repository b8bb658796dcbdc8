"""How an agent came to its candidate: its session on a task, and each version that it had checked there.

Numbers are what was said: null is what nobody said, and never shown as zero. Prompt, transcript and diffs are in the
archive, in the session as the evaluator wrote it.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from runs.models.attempts import Attempt
from runs.models.results import Result
from runs.querysets import AgentSessionQuerySet, IterationQuerySet

COUNTS = ("turns", "input_tokens", "cached_input_tokens", "output_tokens", "tool_calls")


class AgentSession(models.Model):
    """One session. While it runs it has a tail and counts of its checks; once it is over it is never changed. One that
    ended without a candidate, and was never public, goes where a rerun has another held.
    """

    class Ending(models.TextChoices):
        FINISHED = "finished", "finished"
        TIMED_OUT = "timed_out", "timed out"
        GAVE_UP = "gave_up", "gave up"
        SPENDING_CAP = "spending_cap", "spending cap"
        FAILED = "failed", "failed"

    class CostSource(models.TextChoices):
        AGENT = "agent", "as the agent's own program said"
        PRICES = "prices", "tokens by the prices of the configuration"
        FREE = "free", "it calls no model"

    result = models.OneToOneField(Result, on_delete=models.CASCADE, related_name="session")
    attempt = models.OneToOneField(
        Attempt,
        on_delete=models.SET_NULL,
        null=True,
        related_name="session",
        help_text="Within which it was held here; none: it came with a bundle.",
    )
    agent = models.CharField(max_length=100, help_text="As the session names it.")
    evaluator = models.CharField(max_length=30, help_text="The evaluator's version, with which a built-in agent comes.")
    architecture = models.CharField(max_length=20, help_text="What was to be written for.")
    started_at = models.DateTimeField()
    seconds = models.FloatField(null=True, help_text="Wall time, checks included.")
    ended = models.CharField(max_length=20, choices=Ending, blank=True, help_text="How; empty while it runs.")
    message = models.TextField(blank=True, help_text="Why it ended so.")
    model = models.CharField(max_length=200, blank=True, help_text="As the agent's own stream names it.")
    turns = models.PositiveIntegerField(null=True)
    input_tokens = models.PositiveBigIntegerField(null=True, help_text="Cached ones are among them.")
    cached_input_tokens = models.PositiveBigIntegerField(null=True)
    output_tokens = models.PositiveBigIntegerField(null=True)
    tool_calls = models.PositiveIntegerField(null=True)
    cost_usd = models.FloatField(null=True)
    cost_source = models.CharField(max_length=20, choices=CostSource, blank=True)
    no_cost_because = models.CharField(max_length=200, blank=True)
    abandoned = models.PositiveSmallIntegerField(
        default=0, help_text="Sessions begun before it and lost with their worker: spent, and nobody knows how much."
    )
    checks = models.PositiveIntegerField(default=0, help_text="Distinct versions that were checked.")
    failed_builds = models.PositiveIntegerField(default=0, help_text="Of them, those that did not compile.")
    tail = models.TextField(blank=True, help_text="The last of the transcript.")
    digest = models.CharField(max_length=64, blank=True, help_text="sha256 of the session in the archive.")
    prompt_digest = models.CharField(max_length=64, blank=True, help_text="sha256 of the prompt; none: it had none.")

    objects = AgentSessionQuerySet.as_manager()

    class Meta:
        ordering = ("result",)
        constraints = [
            models.CheckConstraint(
                name="agentsession_ended_is_known",
                condition=Q(ended__in=["", "finished", "timed_out", "gave_up", "spending_cap", "failed"]),
            ),
            models.CheckConstraint(
                name="agentsession_whole_iff_ended",
                condition=Q(ended="", digest="", seconds__isnull=True, cost_usd__isnull=True, no_cost_because="")
                | ~Q(ended="") & ~Q(digest="") & Q(seconds__isnull=False, seconds__gte=0),
            ),
            models.CheckConstraint(
                name="agentsession_cost_or_a_reason",
                condition=Q(ended="")
                | Q(cost_usd__isnull=False, cost_usd__gte=0, no_cost_because="") & ~Q(cost_source="")
                | Q(cost_usd__isnull=True, cost_source="") & ~Q(no_cost_because=""),
            ),
            models.CheckConstraint(
                name="agentsession_failed_builds_are_checks", condition=Q(failed_builds__lte=models.F("checks"))
            ),
        ]

    def __str__(self) -> str:
        return f"session of result {self.result_id}"


class Iteration(models.Model):
    """A distinct version that an agent had checked, in order. Its diff is in the session in the archive."""

    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="iterations")
    number = models.PositiveIntegerField(help_text="Counted from 1.")
    at_s = models.FloatField(help_text="Since the session's begin.")
    seconds = models.FloatField(help_text="That the check took.")
    candidate_digest = models.CharField(max_length=64)
    status = models.CharField(max_length=20)
    message = models.TextField(blank=True)
    speedup = models.FloatField(null=True, help_text="Geometric mean over cases on t_dev; none without a clock.")
    added = models.PositiveIntegerField(help_text="Lines, against the version before or the task's own source.")
    removed = models.PositiveIntegerField()

    objects = IterationQuerySet.as_manager()

    class Meta:
        ordering = ("session", "number")
        constraints = [
            models.UniqueConstraint(name="iteration_number_once_per_session", fields=["session", "number"]),
            models.CheckConstraint(
                name="iteration_speedup_is_positive", condition=Q(speedup__isnull=True) | Q(speedup__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of session {self.session_id}"
