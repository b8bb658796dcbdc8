"""Audits of results, which are permanent, and reviews: questions that wait for a maintainer."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from evaluator.records.activity import TITLE
from runs.models.attempts import Attempt
from runs.models.results import Result
from runs.models.submissions import Submission

VERDICTS = [value for value in Result.Audit.values if value != Result.Audit.NONE]
ADVERSE = ("suspect", "hacked", "contaminated")  # the submitter may reply


class ResultAudit(models.Model):
    """One audit of one attempt: a later one supersedes it, or it is taken back; nothing else of it ever changes.

    `Result.audit` holds the newest verdict that counts.
    """

    result = models.ForeignKey(Result, on_delete=models.PROTECT, related_name="audits")
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="audits")
    verdict = models.CharField(max_length=20, choices=[(name, name.replace("_", " ")) for name in VERDICTS])
    place = models.CharField(max_length=300, blank=True, help_text="File and lines, such as kernel.hip:12-18.")
    quote = models.TextField(blank=True, help_text="The lines themselves.")
    reason = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
    auditor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    auditor_name = models.CharField(max_length=150)
    reply_until = models.DateTimeField(null=True, blank=True, help_text="The submitter may reply until then.")
    taken_back_at = models.DateTimeField(null=True, blank=True, help_text="Since then it counts no more.")
    taken_back_by_name = models.CharField(max_length=150, blank=True)
    taken_back_because = models.TextField(blank=True)

    class Meta:
        ordering = ("-at", "-id")
        permissions = [("audit_result", "Can audit results")]
        constraints = [
            models.CheckConstraint(name="resultaudit_verdict_is_known", condition=Q(verdict__in=VERDICTS)),
            models.CheckConstraint(name="resultaudit_has_a_reason", condition=~Q(reason="") & ~Q(auditor_name="")),
            models.CheckConstraint(
                name="resultaudit_taken_back_with_a_reason",
                condition=Q(taken_back_at__isnull=True, taken_back_by_name="", taken_back_because="")
                | Q(taken_back_at__isnull=False) & ~Q(taken_back_by_name="") & ~Q(taken_back_because=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.result}: {self.verdict}"

    @property
    def has_activity(self) -> bool:
        """Whether the quote begins with the figures of an activity report."""
        return self.quote.startswith(TITLE)


class Review(models.Model):
    """A question that waits for a maintainer. Held and suspect results need no row: queries find them."""

    class Kind(models.TextChoices):
        LOOK_ALIKE = "look_alike", "similar name"
        DUPLICATE = "duplicate", "same candidate as another submission"
        EXPERT = "expert", "source shipped with a task"
        PRIVATE_TEXT = "private_text", "private text in a source"
        NOT_REPRODUCED = "not_reproduced", "not reproduced"
        APPEAL = "appeal", "reply to an audit"

    kind = models.CharField(max_length=20, choices=Kind)
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, null=True, related_name="reviews")
    audit = models.ForeignKey(ResultAudit, on_delete=models.PROTECT, null=True, related_name="replies")
    detail = models.TextField()
    opened_at = models.DateTimeField(auto_now_add=True)
    opened_by_name = models.CharField(max_length=150)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by_name = models.CharField(max_length=150, blank=True)
    decision = models.TextField(blank=True, help_text="Public; says what was decided and why.")

    class Meta:
        ordering = ("opened_at", "id")
        constraints = [
            models.CheckConstraint(
                name="review_about_one_thing",
                condition=Q(kind="appeal", audit__isnull=False)
                | Q(
                    kind__in=["look_alike", "duplicate", "expert", "private_text", "not_reproduced"],
                    submission__isnull=False,
                    audit__isnull=True,
                ),
            ),
            models.UniqueConstraint(name="review_one_reply_per_audit", fields=["audit"], condition=Q(kind="appeal")),
            models.CheckConstraint(name="review_says_something", condition=~Q(detail="")),
            models.CheckConstraint(
                name="review_decision_iff_closed",
                condition=Q(closed_at__isnull=True, decision="", closed_by_name="")
                | Q(closed_at__isnull=False) & ~Q(decision="") & ~Q(closed_by_name=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"
