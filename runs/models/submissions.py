"""Submissions: the bytes of a bundle, what its submitter declares, and its state. And tokens of the API.

received → checking → rejected | accepted → verifying → closed. The rows are the queue of checks, as attempts are that
of evaluations. The audit log holds the history.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from runs.models.results import Run
from runs.querysets import SubmissionQuerySet

BEFORE_A_RUN = ["received", "checking", "rejected"]
WITH_A_RUN = ["accepted", "verifying"]


NEXT = {
    "received": ("A worker", "will check it within minutes. There is nothing for you to do."),
    "checking": ("A worker", "is checking it now. There is nothing for you to do."),
    "rejected": ("The submitter", "fixes every problem and submits it again. Nothing was stored."),
    "accepted": ("A maintainer", "publishes its run or claims, has it evaluated again, or closes it."),
    "verifying": ("Our hosts", "are evaluating its candidates again. The verdict follows when the last one is done."),
    "closed": ("Nothing", "is left to do."),
}
NEXT_WHEN_PUBLIC = "It is public. A maintainer may still have its candidates evaluated again."


class Submission(models.Model):
    """One bundle. The same bytes are the same submission, whoever submits them again."""

    class State(models.TextChoices):
        RECEIVED = "received", "received"
        CHECKING = "checking", "checking"
        REJECTED = "rejected", "rejected"
        ACCEPTED = "accepted", "accepted"
        VERIFYING = "verifying", "verifying"
        CLOSED = "closed", "closed"

    class Licence(models.TextChoices):
        CC_BY = "CC-BY-4.0", "Creative Commons Attribution 4.0"
        CC0 = "CC0-1.0", "Creative Commons Zero 1.0"
        APACHE = "Apache-2.0", "Apache License 2.0"
        MIT = "MIT", "MIT License"

    class Outcome(models.TextChoices):
        VERIFIED = "verified", "evaluated again here"
        UNVERIFIED = "unverified", "closed without verification"
        TAKEN_DOWN = "taken_down", "taken down by its submitter"

    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of the bytes, among the uploads.")
    file_name = models.CharField(max_length=200)
    size_bytes = models.PositiveBigIntegerField()
    submitter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    submitter_name = models.CharField(max_length=150, help_text="The user, or the command that imported it.")
    declared = models.JSONField(
        default=dict, help_text="Facts that the submitter declares and nothing proves: agent, model, …"
    )
    declared_on = models.JSONField(
        default=dict, blank=True, help_text="The day of each fact that was added after the submission."
    )
    licence = models.CharField(max_length=20, choices=Licence, blank=True, help_text="Empty if nobody stated one.")
    consented_at = models.DateTimeField(help_text="When the submitter agreed to publication under the licence.")
    wants_mail = models.BooleanField(default=False)
    idempotency_key = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=20, choices=State, default=State.RECEIVED)
    outcome = models.CharField(max_length=20, choices=Outcome, blank=True)
    format = models.CharField(max_length=40, blank=True, help_text="As recognised from its content.")
    problems = models.JSONField(default=list, blank=True, help_text="All problems: place, seen, expected, hint.")
    problem_count = models.PositiveIntegerField(default=0)
    findings = models.JSONField(default=list, blank=True, help_text="Remarks that do not reject it: place, code, text.")
    about = models.JSONField(default=dict, blank=True, help_text="The bundle as a whole: generation, suite, totals.")
    claim_count = models.PositiveIntegerField(default=0, help_text="Claims in a bundle of another benchmark.")
    is_public = models.BooleanField(default=False, help_text="Its claims are public. A run is published separately.")
    run = models.OneToOneField(Run, on_delete=models.PROTECT, null=True, blank=True, related_name="submission")
    received_at = models.DateTimeField()
    checks = models.PositiveSmallIntegerField(default=0, help_text="How many checks were started.")
    lease_until = models.DateTimeField(null=True, blank=True, help_text="Until when the running check holds its lease.")

    bytes_removed_at = models.DateTimeField(
        null=True, blank=True, help_text="When the upload of a rejected one was removed, after ARENA_REJECTED_DAYS."
    )
    message_sent_at = models.DateTimeField(null=True, help_text="When workers were last sent a message about it.")
    messages_resent = models.PositiveSmallIntegerField(default=0, help_text="How often since it was received.")

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ("-received_at", "-id")
        permissions = [
            ("submit_bundle", "Can submit bundles"),
            ("review_submission", "Can verify and close submissions and decide reviews"),
        ]
        constraints = [
            models.UniqueConstraint(
                name="submission_key_once_per_submitter",
                fields=["submitter", "idempotency_key"],
                condition=~Q(idempotency_key=""),
            ),
            models.CheckConstraint(
                name="submission_state_is_known", condition=Q(state__in=[*BEFORE_A_RUN, *WITH_A_RUN, "closed"])
            ),
            models.CheckConstraint(
                name="submission_run_iff_accepted",
                condition=Q(state__in=BEFORE_A_RUN, run__isnull=True, claim_count=0)
                | Q(state__in=WITH_A_RUN) & (Q(run__isnull=False) | Q(claim_count__gte=1))
                | Q(state="closed") & (Q(run__isnull=False) | Q(claim_count__gte=1) | Q(outcome="taken_down")),
            ),
            models.CheckConstraint(
                name="submission_problems_when_rejected",
                condition=Q(state="rejected", problem_count__gte=1)
                | Q(state="closed")
                | ~Q(state__in=["rejected", "closed"]) & Q(problem_count=0),
            ),
            models.CheckConstraint(
                name="submission_outcome_iff_closed",
                condition=Q(state="closed", outcome__in=["verified", "unverified", "taken_down"])
                | ~Q(state="closed") & Q(outcome=""),
            ),
            models.CheckConstraint(
                name="submission_lease_iff_checking",
                condition=Q(state="checking", lease_until__isnull=False, checks__gte=1)
                | ~Q(state="checking") & Q(lease_until__isnull=True),
            ),
            models.CheckConstraint(
                name="submission_licence_is_known",
                condition=Q(licence__in=["", "CC-BY-4.0", "CC0-1.0", "Apache-2.0", "MIT"]),
            ),
        ]

    def __str__(self) -> str:
        return f"submission {self.pk}"

    @property
    def facts(self) -> dict[str, str]:
        """All declared facts by name: the bundle's own, overridden by the submitter's."""
        return {**self.about.get("facts", {}), **self.declared}

    @property
    def undeclared_facts(self) -> list[str]:
        """Names of facts that its format lacks and nobody has declared."""
        given = {*self.declared, *(["licence"] if self.licence else [])}
        return [name for name in self.about.get("asked", []) if name not in given]

    @property
    def next_step(self) -> str:
        is_shown = self.is_public or (self.run is not None and self.run.state == Run.State.PUBLISHED)
        return next_step_of(self.state, is_public=is_shown)


def next_step_of(state: str, *, is_public: bool) -> str:
    """Return in a sentence or two who does what next."""
    return NEXT_WHEN_PUBLIC if is_public and state == "accepted" else " ".join(NEXT[state])


class ApiToken(models.Model):
    """A token with which a program acts for a user. It is shown once; only its hash is stored."""

    class Scope(models.TextChoices):
        SUBMIT = "submit", "submit bundles, read their status"
        READ = "read", "read the status of submissions"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="What the token is for.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scope = models.CharField(max_length=20, choices=Scope, default=Scope.SUBMIT)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True, help_text="When it was last used.")

    class Meta:
        verbose_name = "API token"
        ordering = ("-created_at", "-id")
        constraints = [
            models.CheckConstraint(name="apitoken_scope_is_known", condition=Q(scope__in=["submit", "read"])),
            models.CheckConstraint(
                name="apitoken_expires_after_it_was_made", condition=Q(expires_at__gt=models.F("created_at"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
