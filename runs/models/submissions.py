"""What was handed in: a bundle's bytes, what its submitter says of it, and how far it is (decision 20).

received → checking → rejected | accepted → verifying → closed. The row is the queue of checks, as an attempt's is of
evaluations. What happened when stands in the trail.
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
    "received": ("A worker", "checks it within minutes; there is nothing to do."),
    "checking": ("A worker", "is reading it now; there is nothing to do."),
    "rejected": ("The submitter", "mends every problem and hands it in again; nothing was written."),
    "accepted": ("A maintainer", "publishes its run or shows its claims, has a run evaluated again, or closes it."),
    "verifying": ("Our hosts", "evaluate its candidates again; the verdict comes when the last one has ended."),
    "closed": ("Nobody", "has anything left to do."),
}


class Submission(models.Model):
    """One file. The same bytes are the same submission, whoever sends them again."""

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
        UNVERIFIED = "unverified", "closed without another evaluation"
        TAKEN_DOWN = "taken_down", "taken down by its submitter"

    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of the bytes, in the archive.")
    file_name = models.CharField(max_length=200)
    size_bytes = models.PositiveBigIntegerField()
    submitter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    submitter_name = models.CharField(max_length=150, help_text="The user, or the command that imported it.")
    declared = models.JSONField(default=dict, help_text="What the submitter says and no format proves: agent, model, …")
    declared_on = models.JSONField(default=dict, blank=True, help_text="The day of each that was said after hand-in.")
    licence = models.CharField(max_length=20, choices=Licence)
    consented_at = models.DateTimeField(help_text="When the submitter agreed to publication under the licence.")
    wants_mail = models.BooleanField(default=False)
    idempotency_key = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=20, choices=State, default=State.RECEIVED)
    outcome = models.CharField(max_length=20, choices=Outcome, blank=True)
    format = models.CharField(max_length=40, blank=True, help_text="As recognised by its content.")
    problems = models.JSONField(default=list, blank=True, help_text="place, seen, expected, hint; all of them.")
    problem_count = models.PositiveIntegerField(default=0)
    findings = models.JSONField(default=list, blank=True, help_text="place, code, sentence: worth knowing.")
    about = models.JSONField(default=dict, blank=True, help_text="generation, suite, totals: of the bundle as a whole.")
    claim_count = models.PositiveIntegerField(default=0, help_text="Of a bundle of another benchmark.")
    is_public = models.BooleanField(default=False, help_text="Its claims are shown; a run is published by itself.")
    run = models.OneToOneField(Run, on_delete=models.PROTECT, null=True, blank=True, related_name="submission")
    received_at = models.DateTimeField()
    checks = models.PositiveSmallIntegerField(default=0, help_text="How often a check was begun.")
    lease_until = models.DateTimeField(null=True, blank=True, help_text="Of the check that runs.")

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ("-received_at", "-id")
        permissions = [
            ("submit_bundle", "Can hand in bundles"),
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
                condition=Q(licence__in=["CC-BY-4.0", "CC0-1.0", "Apache-2.0", "MIT"]),
            ),
        ]

    def __str__(self) -> str:
        return f"submission {self.pk}"

    @property
    def said(self) -> dict[str, str]:
        """By the bundle of itself, and over it by the submitter."""
        return {**self.about.get("said", {}), **self.declared}

    @property
    def not_said(self) -> list[str]:
        """What its format lacks, was asked for, and nobody said; the licence is always given."""
        return [name for name in self.about.get("asked", []) if name not in (*self.declared, "licence")]

    @property
    def next_step(self) -> str:
        return " ".join(NEXT[self.state])


class ApiToken(models.Model):
    """Lets a program act for a user. Only its hash is kept; it is shown once."""

    class Scope(models.TextChoices):
        SUBMIT = "submit", "hand in bundles, and see what became of them"
        LOOK = "look", "see what became of what was handed in"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="What it is for.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scope = models.CharField(max_length=20, choices=Scope, default=Scope.SUBMIT)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True, help_text="The last time.")

    class Meta:
        verbose_name = "API token"
        ordering = ("-created_at", "-id")
        constraints = [
            models.CheckConstraint(name="apitoken_scope_is_known", condition=Q(scope__in=["submit", "look"])),
            models.CheckConstraint(
                name="apitoken_expires_after_it_was_made", condition=Q(expires_at__gt=models.F("created_at"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
