"""Agent sessions, in which an agent works on a task, and the versions that it had checked there (iterations).

Numbers are as reported; null means that nobody reported one and is never shown as zero. Prompt, transcript and diffs
are in the archive, in the session record as the evaluator wrote it.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from runs.models.attempts import Attempt
from runs.models.results import Result
from runs.querysets import AgentSessionQuerySet, IterationQuerySet

COUNTS = ("turns", "input_tokens", "cached_input_tokens", "output_tokens", "tool_calls")


class AgentSession(models.Model):
    """One session. While it runs it has only a tail and counts of its checks; once it has ended it is never changed.

    A rerun replaces a session that ended without a candidate and was never public.
    """

    class Ending(models.TextChoices):
        FINISHED = "finished", "finished"
        TIMED_OUT = "timed_out", "timed out"
        GAVE_UP = "gave_up", "gave up"
        SPENDING_CAP = "spending_cap", "spending cap"
        FAILED = "failed", "failed"

    class CostSource(models.TextChoices):
        AGENT = "agent", "reported by the agent's program"
        PRICES = "prices", "token counts and the configuration's prices"
        FREE = "free", "the agent calls no model"

    result = models.OneToOneField(Result, on_delete=models.CASCADE, related_name="session")
    attempt = models.OneToOneField(
        Attempt,
        on_delete=models.SET_NULL,
        null=True,
        related_name="session",
        help_text="The attempt that ran it here. Empty: it came with a bundle.",
    )
    agent = models.CharField(max_length=100, help_text="As the session record names it.")
    evaluator = models.CharField(max_length=30, help_text="The evaluator version, which includes the built-in agents.")
    architecture = models.CharField(max_length=20, help_text="The architecture to write for.")
    started_at = models.DateTimeField()
    seconds = models.FloatField(null=True, help_text="Wall time, checks included.")
    ended = models.CharField(max_length=20, choices=Ending, blank=True, help_text="How it ended. Empty while it runs.")
    message = models.TextField(blank=True, help_text="Why it ended that way.")
    model = models.CharField(max_length=200, blank=True, help_text="As the agent's own output names it.")
    turns = models.PositiveIntegerField(null=True)
    input_tokens = models.PositiveBigIntegerField(null=True, help_text="Including cached ones.")
    cached_input_tokens = models.PositiveBigIntegerField(null=True)
    output_tokens = models.PositiveBigIntegerField(null=True)
    tool_calls = models.PositiveIntegerField(null=True)
    cost_usd = models.FloatField(null=True)
    cost_source = models.CharField(max_length=20, choices=CostSource, blank=True)
    no_cost_because = models.CharField(max_length=200, blank=True)
    abandoned = models.PositiveSmallIntegerField(
        default=0, help_text="Earlier sessions lost with their worker: they cost something, but nobody knows how much."
    )
    checks = models.PositiveIntegerField(default=0, help_text="Distinct versions that were checked.")
    failed_builds = models.PositiveIntegerField(default=0, help_text="Checked versions that did not compile.")
    tail = models.TextField(blank=True, help_text="The end of the transcript.")
    digest = models.CharField(max_length=64, blank=True, help_text="sha256 of the session record in the archive.")
    prompt_digest = models.CharField(
        max_length=64, blank=True, help_text="sha256 of the prompt in the archive. Empty: it had no prompt."
    )

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
    """A distinct version that an agent had checked. Its diff is in the archived session record."""

    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="iterations")
    number = models.PositiveIntegerField(help_text="Counted from 1.")
    at_s = models.FloatField(help_text="Seconds since the session began.")
    seconds = models.FloatField(help_text="How long the check took.")
    candidate_digest = models.CharField(max_length=64)
    status = models.CharField(max_length=20)
    message = models.TextField(blank=True)
    speedup = models.FloatField(
        null=True, help_text="Geometric mean over cases on t_dev. Empty without a device clock."
    )
    added = models.PositiveIntegerField(help_text="Lines, compared with the version that it was made from.")
    removed = models.PositiveIntegerField()
    is_last = models.BooleanField(default=False, help_text="No version of its session was checked after it.")
    is_solved = models.BooleanField(default=False, help_text="It or a version before it passed.")
    best_speedup = models.FloatField(null=True, help_text="The largest of those that passed, up to it.")
    previous = models.PositiveIntegerField(
        null=True, help_text="Number of the version that it was made from. Empty: the task's own source."
    )
    previous_status = models.CharField(max_length=20, blank=True, help_text="Of that version. Empty: there is none.")
    transition = models.CharField(
        max_length=20, blank=True, help_text="From that version's outcome. Empty: there is none."
    )
    kinds = models.CharField(
        max_length=80, blank=True, help_text="Kinds of edit of its diff, with spaces between. Empty: not known."
    )

    objects = IterationQuerySet.as_manager()

    class Meta:
        ordering = ("session", "number")
        indexes = [
            models.Index(name="iteration_transitions", fields=["transition", "id"], condition=~Q(transition="")),
        ]
        constraints = [
            models.UniqueConstraint(name="iteration_number_once_per_session", fields=["session", "number"]),
            models.CheckConstraint(
                name="iteration_speedup_is_positive", condition=Q(speedup__isnull=True) | Q(speedup__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of session {self.session_id}"
