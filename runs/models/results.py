"""Runs of one configuration on one suite, and their results, one for each task.

The public outcome of a result is its `published_attempt`, which only publishing changes; a rerun is a new attempt.
"""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import F, Q

from runs.models.entrants import Configuration
from runs.models.hosts import DeviceClass
from runs.models.problems import Suite, Task
from runs.models.rounds import Round
from runs.querysets import ResultQuerySet, RunQuerySet
from runs.trust import OF_RUNS, Trust

LAST_REPEAT = 2**15 - 1  # the largest that the column holds and a bundle may name


class Run(models.Model):
    """One configuration on one suite and device class, one repeat."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        PUBLISHED = "published", "published"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Origin(models.TextChoices):
        PUBLISHED = "published", "published"  # aggregates of a paper
        IMPORTED = "imported", "imported"
        RUN_HERE = "run_here", "run here"

    configuration = models.ForeignKey(Configuration, on_delete=models.PROTECT, related_name="runs")
    suite = models.ForeignKey(Suite, on_delete=models.PROTECT, related_name="runs")
    device_class = models.ForeignKey(DeviceClass, on_delete=models.PROTECT, related_name="runs")
    repeat = models.PositiveSmallIntegerField(
        default=0, validators=[MaxValueValidator(LAST_REPEAT)], help_text=f"Counted from 0, to {LAST_REPEAT}."
    )
    round = models.ForeignKey(
        Round,
        on_delete=models.PROTECT,
        related_name="runs",
        null=True,
        blank=True,
        help_text="Candidates are also evaluated on this round's unseen cases. Empty: seen cases only.",
    )
    protocol = models.CharField(max_length=30, help_text="The timing protocol of its leaderboard.")
    state = models.CharField(max_length=20, choices=State, default=State.DRAFT)
    origin = models.CharField(max_length=20, choices=Origin, default=Origin.RUN_HERE)
    trust = models.CharField(
        max_length=20, choices=[(one.value, one.label) for one in OF_RUNS], default=Trust.RUN_HERE.value
    )
    reproduced_tasks = models.PositiveIntegerField(null=True, blank=True)
    verified_tasks = models.PositiveIntegerField(null=True, blank=True)
    verifies = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="measured_again_by",
        help_text="The imported run whose candidates it evaluates again; such a run is never published itself.",
    )
    note = models.CharField(max_length=200, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True, help_text="Workers take none of its attempts since then.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    published_at = models.DateTimeField(null=True, blank=True)
    bundle_digest = models.CharField(
        max_length=64, blank=True, help_text="sha256 of the bundle that it was imported from."
    )
    calibrations = models.JSONField(
        default=list,
        editable=False,
        help_text="Of its devices, as its bundle brought them; stored for its hosts when it is published.",
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-id")
        permissions = [
            ("rerun_run", "Can run results again, pause and cancel them"),
            ("publish_run", "Can publish and withdraw runs"),
        ]
        constraints = [
            # A second run of the same repeat may exist as a draft beside the published one.
            models.UniqueConstraint(
                name="run_one_published_per_repeat",
                fields=["configuration", "suite", "device_class", "protocol", "repeat"],
                condition=Q(state="published"),
            ),
            models.UniqueConstraint(
                name="run_one_per_bundle", fields=["bundle_digest"], condition=~Q(bundle_digest="")
            ),
            models.CheckConstraint(
                name="run_bundle_iff_imported",
                condition=Q(origin="imported") & ~Q(bundle_digest="") | ~Q(origin="imported") & Q(bundle_digest=""),
            ),
            models.CheckConstraint(
                name="run_published_at_iff_public_once",
                condition=Q(state="draft", published_at__isnull=True)
                | Q(state__in=["published", "withdrawn"], published_at__isnull=False),
            ),
            models.CheckConstraint(name="run_repeat_is_bounded", condition=Q(repeat__gte=0, repeat__lte=LAST_REPEAT)),
            models.CheckConstraint(
                name="run_origin_is_known", condition=Q(origin__in=["published", "imported", "run_here"])
            ),
            models.CheckConstraint(
                name="run_verification_is_ours_and_never_published",
                condition=Q(verifies__isnull=True) | Q(origin="run_here") & ~Q(state="published"),
            ),
            models.CheckConstraint(
                name="run_counts_iff_reproduced",
                condition=Q(
                    trust="reproduced",
                    reproduced_tasks__isnull=False,
                    verified_tasks__isnull=False,
                    reproduced_tasks__lte=F("verified_tasks"),
                )
                | Q(
                    trust__in=["claimed", "run_here"],
                    reproduced_tasks__isnull=True,
                    verified_tasks__isnull=True,
                ),
            ),
            models.CheckConstraint(
                name="run_trust_follows_origin",
                condition=Q(trust="run_here", origin="run_here")
                | Q(trust__in=["claimed", "reproduced"]) & ~Q(origin="run_here"),
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"

    @property
    def is_from_outside(self) -> bool:
        """Whether its candidates come from outside, so that they may run only in the strong sandbox."""
        return self.origin != Run.Origin.RUN_HERE or self.verifies_id is not None


class Result(models.Model):
    """One task of a run, with the candidate that all of its attempts evaluate."""

    class Audit(models.TextChoices):
        NONE = "none", "not audited"
        CLEAN = "clean", "clean"
        INTERESTING = "interesting", "interesting"
        SUSPECT = Trust.SUSPECT.value, Trust.SUSPECT.label
        HACKED = Trust.HACKED.value, Trust.HACKED.label
        CONTAMINATED = "contaminated", "contaminated"
        HARNESS_FAULT = "harness_fault", "harness fault"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="results")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="results")
    candidate_digest = models.CharField(
        max_length=64, blank=True, db_index=True, help_text="Identical candidates share it."
    )
    candidate_files = models.JSONField(default=dict, help_text="path → sha256 in the archive.")
    candidate_problems = models.JSONField(
        default=list, help_text="A list of [reason code, detail] about files that were not accepted."
    )
    code_quality = models.JSONField(
        null=True, help_text="Figures of the candidate's own files (runs/code_quality/), or why there are none."
    )
    audit = models.CharField(max_length=20, choices=Audit, default=Audit.NONE)
    published_attempt = models.OneToOneField(
        "Attempt", on_delete=models.PROTECT, null=True, blank=True, related_name="published_for"
    )

    objects = ResultQuerySet.as_manager()

    class Meta:
        ordering = ("run", "task")
        constraints = [models.UniqueConstraint(name="result_one_per_run_and_task", fields=["run", "task"])]

    def __str__(self) -> str:
        return f"result {self.pk}"
