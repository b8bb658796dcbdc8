"""Outcomes of candidates on the unseen cases of a round, secret until the reveal. They never change a verdict.

They are not rows of `Measurement`, so that no query of measurements can reveal them. `visible` in runs/querysets.py
decides who sees them.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from evaluator.unseen.cases import CONFIG_CATEGORIES
from runs.models.attempts import Attempt
from runs.models.rounds import Round
from runs.querysets import UnseenEvaluationQuerySet, UnseenMeasurementQuerySet


class UnseenEvaluation(models.Model):
    """One candidate on all unseen cases of its task. Every finished attempt of a run with a round has one."""

    class State(models.TextChoices):
        RUNNING = "running", "running"
        DONE = "done", "done"
        ERRORED = "errored", "errored"  # a fault on our side: there is no record
        REFUSED = "refused", "refused"  # its configuration has used up its evaluations in this round

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="unseen")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="evaluations")
    state = models.CharField(max_length=20, choices=State, default=State.RUNNING)
    is_complete = models.BooleanField(default=False, help_text="Every case has a verdict for both sides.")
    begun_at = models.DateTimeField(help_text="When the verdict on the seen cases was known.")
    message = models.TextField(blank=True, help_text="Why it errored.")
    record_digest = models.CharField(max_length=64, blank=True, help_text="sha256 of its record in the archive.")
    outcomes = models.JSONField(default=dict, help_text="How many cases of each kind of change ended in each quadrant.")
    mean_speedup = models.FloatField(null=True, help_text="Mean over eligible cases, on t_dev.")
    log_speedup = models.FloatField(null=True, help_text="Mean of the logs over the same cases.")
    reused_from = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="reuses",
        help_text="The evaluation of the identical candidate whose outcome this is.",
    )

    objects = UnseenEvaluationQuerySet.as_manager()

    class Meta:
        ordering = ("attempt",)
        constraints = [
            models.CheckConstraint(
                name="unseenevaluation_state_is_known",
                condition=Q(state__in=["running", "done", "errored", "refused"]),
            ),
            models.CheckConstraint(
                name="unseenevaluation_record_iff_done",
                condition=Q(state="done") & ~Q(record_digest="")
                | ~Q(state="done") & Q(record_digest="", is_complete=False, reused_from__isnull=True),
            ),
            models.CheckConstraint(
                name="unseenevaluation_message_iff_errored",
                condition=Q(state="errored") & ~Q(message="") | ~Q(state="errored") & Q(message=""),
            ),
        ]

    def __str__(self) -> str:
        return f"unseen cases of attempt {self.attempt_id}"


def _reason_unless_right(correct: str, reason: str) -> Q:
    is_right = Q(**{correct: True, f"{correct}__isnull": False})
    is_not = Q(**{correct: False}) | Q(**{f"{correct}__isnull": True})
    return is_right & Q(**{reason: ""}) | is_not & ~Q(**{reason: ""})


class UnseenMeasurement(models.Model):
    """One unseen case: the verdict on each side, and the ratio where both are correct and timed."""

    evaluation = models.ForeignKey(UnseenEvaluation, on_delete=models.CASCADE, related_name="cases")
    case = models.CharField(max_length=200, help_text="Sorted axis=value pairs.")
    category = models.CharField(max_length=20, help_text="The kind of change: edge, scale_up, …")
    profile = models.CharField(max_length=10)
    origin = models.CharField(max_length=30)
    is_error = models.BooleanField(default=False, help_text="A fault on our side: the case counts in no denominator.")
    baseline_correct = models.BooleanField(null=True)
    correct = models.BooleanField(null=True, help_text="Of the candidate.")
    baseline_reason = models.CharField(max_length=40, blank=True)
    baseline_message = models.TextField(blank=True)
    reason = models.CharField(max_length=40, blank=True)
    message = models.TextField(blank=True)
    log_ratio = models.FloatField(null=True, help_text="On t_dev. Above 0: the candidate is faster.")
    log_ratio_variance = models.FloatField(null=True)
    log_ratio_df = models.FloatField(null=True, help_text="Degrees of freedom. Empty: the normal distribution.")
    log_ratio_low = models.FloatField(null=True, help_text="Lower end of the 95 % interval. Empty: no bound.")
    log_ratio_high = models.FloatField(null=True)
    is_eligible = models.BooleanField(default=False, help_text="Counts in speed metrics.")
    is_censored = models.BooleanField(default=False, help_text="The ratio is a lower bound.")
    is_noisy = models.BooleanField(default=False, help_text="Metrics use the end of the interval nearer to 1.")

    objects = UnseenMeasurementQuerySet.as_manager()

    class Meta:
        ordering = ("evaluation", "id")
        indexes = [
            models.Index(
                name="unseenmeasurement_regressions",
                fields=["evaluation"],
                condition=Q(baseline_correct=True, correct=False),
            )
        ]
        constraints = [
            models.UniqueConstraint(name="unseenmeasurement_case_once", fields=["evaluation", "case"]),
            models.CheckConstraint(
                name="unseenmeasurement_category_is_known", condition=Q(category__in=list(CONFIG_CATEGORIES))
            ),
            models.CheckConstraint(
                name="unseenmeasurement_error_iff_a_side_has_no_verdict",
                condition=Q(is_error=True) & (Q(baseline_correct__isnull=True) | Q(correct__isnull=True))
                | Q(is_error=False, baseline_correct__isnull=False, correct__isnull=False),
            ),
            models.CheckConstraint(
                name="unseenmeasurement_reason_unless_right",
                condition=_reason_unless_right("correct", "reason")
                & _reason_unless_right("baseline_correct", "baseline_reason"),
            ),
            models.CheckConstraint(
                name="unseenmeasurement_ratio_only_where_both_pass",
                condition=Q(
                    log_ratio__isnull=True,
                    log_ratio_variance__isnull=True,
                    log_ratio_low__isnull=True,
                    log_ratio_high__isnull=True,
                    is_eligible=False,
                    is_censored=False,
                    is_noisy=False,
                )
                | Q(
                    log_ratio__isnull=False,
                    correct=True,
                    correct__isnull=False,
                    baseline_correct=True,
                    baseline_correct__isnull=False,
                ),
            ),
            models.CheckConstraint(
                name="unseenmeasurement_variance_not_negative",
                condition=Q(log_ratio_variance__isnull=True)
                | Q(log_ratio_variance__isnull=False, log_ratio_variance__gte=0),
            ),
            models.CheckConstraint(
                name="unseenmeasurement_interval_around_the_ratio",
                condition=(Q(log_ratio_low__isnull=True) | Q(log_ratio__gte=F("log_ratio_low")))
                & (Q(log_ratio_high__isnull=True) | Q(log_ratio__lte=F("log_ratio_high"))),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.evaluation_id}: {self.case}"
