"""Claims: what a bundle of another benchmark says of each task, beside what follows from its own times.

They are shown on their submission's page and enter no leaderboard, because nothing of them was measured here.
"""

from __future__ import annotations

from django.db import models

from evaluator.records.reasons import Status
from runs.models.submissions import Submission


class Claim(models.Model):
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="claims")
    task = models.CharField(max_length=300, help_text="As the bundle names it.")
    attempt = models.CharField(max_length=200, blank=True, help_text="The sample, round or solution.")
    is_known = models.BooleanField(help_text="A task of the benchmark's suite; others do not count.")
    status = models.CharField(max_length=20)
    reason = models.CharField(max_length=40, blank=True)
    message = models.TextField(blank=True)
    claimed = models.JSONField(default=dict, help_text="The bundle's own fields, unchanged.")
    claimed_speedup = models.FloatField(null=True)
    recomputed_speedup = models.FloatField(null=True, help_text="From the bundle's own times, by its format's rule.")
    cases = models.JSONField(default=list, help_text="A list of [case, baseline ms, candidate ms, claimed speedup].")
    files = models.JSONField(default=dict, help_text="The candidate's sources: path → sha256 in the archive.")
    code_quality = models.JSONField(
        null=True, help_text="Figures of these sources, measured here (runs/code_quality/)."
    )
    previous_attempt = models.CharField(
        max_length=200, blank=True, help_text="The attempt that it follows, by its bundle. Empty: none."
    )
    previous_status = models.CharField(max_length=20, blank=True)
    transition = models.CharField(max_length=20, blank=True, help_text="From that attempt's outcome to this one's.")
    kinds = models.CharField(
        max_length=80, blank=True, help_text="Kinds of edit since then, with spaces between. Empty: not known."
    )

    class Meta:
        ordering = ("submission", "id")
        indexes = [
            models.Index(name="claim_of_a_task", fields=["submission", "task"]),
        ]
        constraints = [
            models.CheckConstraint(
                name="claim_status_is_known", condition=models.Q(status__in=[status.value for status in Status])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.task}"
