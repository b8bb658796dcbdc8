"""Attempts, each one evaluation of a result's candidate, and their measurements, one row for each case."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from runs.models.hosts import Host
from runs.models.results import Result
from runs.querysets import AttemptQuerySet

OPEN = ["queued", "running"]
FAILED = [
    "build_failed",
    "wrong_output",
    "crashed",
    "timed_out",
    "tampered",
    "implausible",
    "not_produced",
    "not_judged",
    "errored",
]

UNDECIDED = [*OPEN, "cancelled", "errored", "not_judged"]  # on the candidate


class Attempt(models.Model):
    """One evaluation of a result by a worker.

    `fencing_token` counts its leases; only the holder of the newest may write.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        PASSED = "passed", "passed"
        BUILD_FAILED = "build_failed", "build failed"
        WRONG_OUTPUT = "wrong_output", "wrong output"
        CRASHED = "crashed", "crashed"
        TIMED_OUT = "timed_out", "timed out"
        TAMPERED = "tampered", "tampered"
        IMPLAUSIBLE = "implausible", "implausible"
        NOT_PRODUCED = "not_produced", "not produced"
        NOT_JUDGED = "not_judged", "not judged"  # this host cannot judge it; final, not retried
        ERRORED = "errored", "errored"  # a fault on our side
        CANCELLED = "cancelled", "cancelled"

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField(help_text="Counted from 1.")
    is_latest = models.BooleanField(default=True)
    status = models.CharField(max_length=20, choices=Status, default=Status.QUEUED)
    gate = models.CharField(max_length=20, blank=True, help_text="The gate that the candidate failed.")
    reason = models.CharField(max_length=40, blank=True)
    message = models.TextField(blank=True)
    flags = models.JSONField(default=list, blank=True)
    is_held = models.BooleanField(default=False, help_text="Not ranked until a person has reviewed it.")
    is_uncalibrated = models.BooleanField(
        default=False, help_text="From a host without an accepted calibration: not ranked."
    )
    compiled = models.BooleanField(null=True)
    correct = models.BooleanField(null=True)  # passed every gate
    log_speedup = models.FloatField(null=True, help_text="Mean log ratio of eligible cases on t_dev.")
    mean_speedup = models.FloatField(null=True, help_text="Mean of the ratios of the same cases.")
    cautious_log_speedup = models.FloatField(
        null=True, help_text="The same as metrics use it: a noisy case counts with the end of its interval nearer to 1."
    )
    log_speedup_low = models.FloatField(
        null=True, help_text="Lower end of its 95 % interval: the mean of the cases' lower ends. Empty: no bound."
    )
    log_speedup_high = models.FloatField(null=True)
    paper_speedup = models.FloatField(
        null=True,
        help_text="Ratio of all cases on the clock of the category's paper, as that paper sums up. Does not rank.",
    )
    work_ms = models.FloatField(null=True, help_text="Σ of the candidate's t_dev over eligible cases, once each.")
    work_bytes = models.FloatField(null=True, help_text="Σ of the bytes of the same cases by the task's model.")
    work_flops = models.JSONField(
        null=True, help_text="Σ of their operations by the peak that they are held against: a dtype, or tf32."
    )
    evaluator = models.CharField(max_length=30, blank=True, help_text="The evaluator's version.")
    protocol = models.CharField(max_length=30, blank=True, help_text="The timing protocol that its record names.")
    record_digest = models.CharField(max_length=64, blank=True, help_text="sha256 of the record in the archive.")
    queued_at = models.DateTimeField()
    queue_position = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Lower positions go first; submitters take turns.",
    )
    message_sent_at = models.DateTimeField(null=True, help_text="When workers were last sent a message about it.")
    messages_resent = models.PositiveSmallIntegerField(default=0, help_text="How often since it was queued.")
    started_at = models.DateTimeField(null=True, help_text="When a worker last took it.")
    ended_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    wanted_evaluator = models.CharField(
        max_length=30, blank=True, help_text="The evaluator version that queued it; older workers do not take it."
    )
    fencing_token = models.PositiveIntegerField(default=0)
    claimed_by = models.CharField(max_length=100, blank=True, help_text="The worker that last took it.")
    host = models.ForeignKey(Host, on_delete=models.PROTECT, null=True, blank=True, related_name="attempts")
    requeues = models.PositiveSmallIntegerField(default=0)
    requeued_because = models.CharField(max_length=300, blank=True)

    objects = AttemptQuerySet.as_manager()

    class Meta:
        ordering = ("result", "number")
        indexes = [
            models.Index(
                name="attempt_queue", fields=["queue_position", "queued_at"], condition=Q(status__in=OPEN)
            ),  # sweeper, queue page
        ]
        constraints = [
            models.UniqueConstraint(name="attempt_number_once_per_result", fields=["result", "number"]),
            models.UniqueConstraint(
                name="attempt_one_latest_per_result", fields=["result"], condition=Q(is_latest=True)
            ),
            models.UniqueConstraint(
                name="attempt_one_open_per_result", fields=["result"], condition=Q(status__in=OPEN)
            ),
            models.UniqueConstraint(
                name="attempt_one_running_per_host", fields=["host"], condition=Q(status="running")
            ),
            models.CheckConstraint(
                name="attempt_status_is_known",
                condition=Q(status__in=[*OPEN, "passed", *FAILED, "cancelled"]),
            ),
            models.CheckConstraint(
                name="attempt_lease_iff_running",
                condition=Q(status="running", lease_until__isnull=False, started_at__isnull=False, fencing_token__gte=1)
                & ~Q(claimed_by="")
                | ~Q(status="running") & Q(lease_until__isnull=True),
            ),
            models.CheckConstraint(
                name="attempt_ended_iff_final",
                condition=Q(status__in=OPEN, ended_at__isnull=True) | ~Q(status__in=OPEN) & Q(ended_at__isnull=False),
            ),
            models.CheckConstraint(
                name="attempt_reason_iff_failed",
                condition=Q(status__in=FAILED) & ~Q(reason="") & ~Q(message="")
                | ~Q(status__in=FAILED) & Q(reason="", message="", gate=""),
            ),
            models.CheckConstraint(
                name="attempt_record_iff_judged",
                condition=Q(status__in=[*OPEN, "cancelled"], record_digest="")
                | Q(status="errored")
                | ~Q(status__in=[*OPEN, "cancelled", "errored"]) & ~Q(record_digest=""),
            ),
            models.CheckConstraint(
                name="attempt_compiled_and_correct_iff_about_the_candidate",
                condition=Q(status__in=UNDECIDED, compiled__isnull=True, correct__isnull=True)
                | ~Q(status__in=UNDECIDED) & Q(compiled__isnull=False, correct__isnull=False),
            ),
            models.CheckConstraint(
                name="attempt_speedup_only_when_passed",
                condition=Q(paper_speedup__isnull=True, log_speedup__isnull=True)
                | Q(status="passed") & (Q(paper_speedup__isnull=True) | Q(paper_speedup__gt=0)),
            ),
            models.CheckConstraint(
                name="attempt_cautious_iff_log_speedup",
                condition=Q(log_speedup__isnull=True, cautious_log_speedup__isnull=True)
                | Q(log_speedup__isnull=False, cautious_log_speedup__isnull=False),
            ),
            models.CheckConstraint(
                name="attempt_interval_around_log_speedup",
                condition=Q(log_speedup_low__isnull=True, log_speedup_high__isnull=True)
                | Q(log_speedup__isnull=False)
                & (Q(log_speedup_low__isnull=True) | Q(log_speedup__gte=F("log_speedup_low")))
                & (Q(log_speedup_high__isnull=True) | Q(log_speedup__lte=F("log_speedup_high"))),
            ),
            models.CheckConstraint(
                name="attempt_work_is_whole_and_only_when_passed",
                condition=Q(work_ms__isnull=True, work_bytes__isnull=True, work_flops__isnull=True)
                | Q(
                    status="passed",
                    work_ms__isnull=False,
                    work_ms__gt=0,
                    work_bytes__isnull=False,
                    work_bytes__gte=0,
                    work_flops__isnull=False,
                ),
            ),
            models.CheckConstraint(
                name="attempt_protocol_iff_record",
                condition=Q(record_digest="", protocol="") | ~Q(record_digest="") & ~Q(protocol=""),
            ),
            models.CheckConstraint(
                name="attempt_correct_iff_passed",
                condition=Q(status="passed", compiled=True, correct=True, compiled__isnull=False, correct__isnull=False)
                | ~Q(status="passed") & (Q(correct=False) | Q(correct__isnull=True)),
            ),
            models.CheckConstraint(name="attempt_requeued_at_most_once", condition=Q(requeues__lte=1)),
        ]

    def __str__(self) -> str:
        return f"attempt {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.status in OPEN


class Measurement(models.Model):
    """One case of an attempt. Raw times are in the record; `clocks` holds the medians of clocks other than t_dev."""

    class Split(models.TextChoices):
        SEEN = "seen", "seen"
        UNSEEN = "unseen", "unseen"

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="measurements")
    case = models.CharField(max_length=200, help_text="Sorted axis=value pairs.")
    split = models.CharField(max_length=10, choices=Split, default=Split.SEEN)
    profile = models.CharField(max_length=10)
    correct = models.BooleanField(null=True, help_text="Of the candidate. Unknown: the case was not reached.")
    baseline_correct = models.BooleanField(null=True)
    draws = models.PositiveIntegerField(default=0, help_text="Drawn inputs on which the output was correct.")
    relative_rmse = models.FloatField(null=True)
    allowed_rmse = models.FloatField(null=True)
    baseline_rmse = models.FloatField(null=True)
    first_call_ms = models.FloatField(null=True)
    baseline_t_dev_ms = models.FloatField(null=True)
    candidate_t_dev_ms = models.FloatField(null=True)
    log_ratio = models.FloatField(null=True, help_text="On t_dev. Above 0: the candidate is faster.")
    log_ratio_variance = models.FloatField(null=True)
    log_ratio_df = models.FloatField(null=True, help_text="Degrees of freedom. Empty: the normal distribution.")
    log_ratio_low = models.FloatField(null=True, help_text="Lower end of the 95 % interval. Empty: no bound.")
    log_ratio_high = models.FloatField(null=True)
    is_eligible = models.BooleanField(default=False, help_text="Counts in speed metrics.")
    is_censored = models.BooleanField(default=False, help_text="The ratio is a lower bound.")
    is_noisy = models.BooleanField(default=False, help_text="Metrics use the end of the interval nearer to 1.")
    clocks = models.JSONField(default=dict, help_text='Clock → {"baseline_ms", "candidate_ms", "calls"}, medians.')

    class Meta:
        ordering = ("attempt", "id")
        constraints = [
            models.UniqueConstraint(name="measurement_case_once", fields=["attempt", "case"]),
            models.CheckConstraint(
                name="measurement_times_of_both_sides",
                condition=Q(baseline_t_dev_ms__isnull=True, candidate_t_dev_ms__isnull=True, log_ratio__isnull=True)
                | Q(
                    baseline_t_dev_ms__isnull=False,
                    candidate_t_dev_ms__isnull=False,
                    baseline_t_dev_ms__gt=0,
                    candidate_t_dev_ms__gt=0,
                    log_ratio__isnull=False,
                ),
            ),
            models.CheckConstraint(
                name="measurement_variance_not_negative",
                condition=Q(log_ratio_variance__isnull=True)
                | Q(log_ratio_variance__isnull=False, log_ratio_variance__gte=0, log_ratio__isnull=False),
            ),
            models.CheckConstraint(
                name="measurement_marks_need_a_ratio",
                condition=Q(is_eligible=False, is_censored=False, is_noisy=False) | Q(log_ratio__isnull=False),
            ),
            models.CheckConstraint(
                name="measurement_interval_around_the_ratio",
                condition=(Q(log_ratio_low__isnull=True) | Q(log_ratio__gte=F("log_ratio_low")))
                & (Q(log_ratio_high__isnull=True) | Q(log_ratio__lte=F("log_ratio_high")))
                & (Q(log_ratio__isnull=False) | Q(log_ratio_low__isnull=True, log_ratio_high__isnull=True)),
            ),
            models.CheckConstraint(name="measurement_split_is_known", condition=Q(split__in=["seen", "unseen"])),
        ]

    def __str__(self) -> str:
        return f"{self.attempt_id}: {self.case}"
