"""Verifications: an imported run's candidates evaluated again on our hosts, with a verdict for each task."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from runs.models.attempts import Attempt
from runs.models.results import Run


class Verification(models.Model):
    """`measured` evaluates the candidates of `claimed` again; it is never published itself."""

    class Verdict(models.TextChoices):
        REPRODUCED = "reproduced", "reproduced"
        PARTLY = "partly", "partly reproduced"
        NOT_REPRODUCED = "not_reproduced", "not reproduced"
        NOT_COMPARABLE = "not_comparable", "not comparable"
        STOPPED = "stopped", "stopped"  # nothing was compared: no verdict was given

    claimed = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="verifications")
    measured = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="verification_of")
    sample = models.PositiveIntegerField(null=True, blank=True, help_text="How many tasks were drawn. Empty: all.")
    asked_at = models.DateTimeField(auto_now_add=True)
    asked_by_name = models.CharField(max_length=150)
    closed_at = models.DateTimeField(null=True, blank=True)
    verdict = models.CharField(max_length=20, choices=Verdict, blank=True)
    reproduced_tasks = models.PositiveIntegerField(default=0, help_text="Reproduced or faster.")
    compared_tasks = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("-asked_at", "-id")
        constraints = [
            models.UniqueConstraint(
                name="verification_one_open_per_run", fields=["claimed"], condition=Q(closed_at__isnull=True)
            ),
            models.CheckConstraint(
                name="verification_verdict_iff_closed",
                condition=Q(closed_at__isnull=True, verdict="")
                | Q(
                    closed_at__isnull=False,
                    verdict__in=["reproduced", "partly", "not_reproduced", "not_comparable", "stopped"],
                ),
            ),
            models.CheckConstraint(
                name="verification_counts_are_shares", condition=Q(reproduced_tasks__lte=F("compared_tasks"))
            ),
        ]

    def __str__(self) -> str:
        return f"verification {self.pk}"


class TaskVerdict(models.Model):
    """One task of a verification: the claimed attempt beside the one measured here."""

    class Outcome(models.TextChoices):
        REPRODUCED = "reproduced", "reproduced"
        FASTER = "faster", "faster"
        SLOWER = "slower", "slower"
        FAILED = "failed", "failed"
        NOT_COMPARABLE = "not_comparable", "not comparable"

    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="tasks")
    claimed = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="+")
    measured = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="+")
    outcome = models.CharField(max_length=20, choices=Outcome)
    because = models.CharField(max_length=300)
    log_difference = models.FloatField(null=True, help_text="Measured minus claimed log speedup.")
    allowed = models.FloatField(null=True, help_text="The largest difference that the noise of both sides explains.")

    class Meta:
        ordering = ("verification", "id")
        constraints = [
            models.UniqueConstraint(name="taskverdict_claim_once", fields=["verification", "claimed"]),
            models.CheckConstraint(
                name="taskverdict_outcome_is_known",
                condition=Q(outcome__in=["reproduced", "faster", "slower", "failed", "not_comparable"]),
            ),
            models.CheckConstraint(name="taskverdict_has_a_reason", condition=~Q(because="")),
        ]

    def __str__(self) -> str:
        return f"{self.verification_id}: {self.outcome}"
