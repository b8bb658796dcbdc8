"""Who changed what is public, what a host or an account may do, or what is secret, when and why: written once, never
edited.

Beside it a counter of changes, by which a reader knows whether what it has is still what there is.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from runs.models.attempts import Attempt
from runs.models.hosts import Host
from runs.models.results import Result, Run
from runs.models.rounds import Round
from runs.models.submissions import Submission

REASON_CHARACTERS, DETAIL_CHARACTERS = 300, 200


class AuditEntry(models.Model):
    """One action on a run, host, round, submission or account, or on a row of the registry, which `detail` names. To
    publish a result: from which attempt to which.
    """

    class Action(models.TextChoices):
        REGISTER = "register", "registered or changed"
        START = "start", "started"
        PUBLISH = "publish", "published"
        WITHDRAW = "withdraw", "withdrawn"
        RERUN = "rerun", "run again"
        CANCEL = "cancel", "cancelled"
        PAUSE = "pause", "paused"
        RESUME = "resume", "resumed"
        QUARANTINE = "quarantine", "quarantined"
        LIFT = "lift", "quarantine lifted"
        IMPORT = "import", "imported"
        OPEN = "open", "opened"
        REVEAL = "reveal", "revealed"
        AUDIT = "audit", "audited"
        RECEIVE = "receive", "received"
        DECLARE = "declare", "more said"
        REJECT = "reject", "rejected"
        ACCEPT = "accept", "accepted"
        VERIFY = "verify", "verification begun"
        CONCLUDE = "conclude", "verification ended"
        DECIDE = "decide", "review decided"
        ANSWER = "answer", "audit answered"
        CLOSE = "close", "closed"
        MAKE_ACCOUNT = "make_account", "account made"
        CHANGE_ACCOUNT = "change_account", "account changed"
        GIVE_ROLE = "give_role", "role given"
        CLOSE_ACCOUNT = "close_account", "account closed"
        OPEN_ACCOUNT = "open_account", "account opened again"
        SET_PASSWORD = "set_password", "password set"
        FORGET_FACTOR = "forget_factor", "second factor forgotten"
        MAKE_TOKEN = "make_token", "token made"
        REVOKE_TOKEN = "revoke_token", "token revoked"

    at = models.DateTimeField(default=timezone.now, editable=False)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    actor_name = models.CharField(max_length=150, help_text="The user, or the command that acted.")
    action = models.CharField(max_length=20, choices=Action)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, related_name="trail")
    host = models.ForeignKey(Host, on_delete=models.PROTECT, null=True, related_name="trail")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, null=True, related_name="trail")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, null=True, related_name="trail")
    result = models.ForeignKey(Result, on_delete=models.PROTECT, null=True, related_name="trail")
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="trail", help_text="Whose it was."
    )
    detail = models.CharField(
        max_length=DETAIL_CHARACTERS, blank=True, help_text="From what to what, which token, at what estimate."
    )
    from_attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, null=True, related_name="+")
    to_attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, null=True, related_name="+")
    undoes = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="+", help_text="What this takes back."
    )
    reason = models.CharField(max_length=REASON_CHARACTERS, blank=True)

    class Meta:
        ordering = ("-at", "-id")
        verbose_name_plural = "audit entries"
        constraints = [
            models.CheckConstraint(
                name="auditentry_undoes_what_was_public",
                condition=Q(undoes__isnull=True) | Q(action__in=["publish", "withdraw"]),
            ),
            models.CheckConstraint(
                name="auditentry_attempts_need_a_result",
                condition=Q(result__isnull=False) | Q(from_attempt__isnull=True, to_attempt__isnull=True),
            ),
            models.CheckConstraint(
                name="auditentry_about_one_thing",
                condition=Q(
                    action__in=[
                        *("start", "publish", "withdraw", "rerun", "cancel", "pause", "resume", "import", "audit"),
                    ],
                    run__isnull=False,
                    host__isnull=True,
                    round__isnull=True,
                    submission__isnull=True,
                    account__isnull=True,
                )
                | Q(
                    action="register",
                    run__isnull=True,
                    result__isnull=True,
                    host__isnull=True,
                    round__isnull=True,
                    submission__isnull=True,
                    account__isnull=True,
                )
                | Q(action__in=["quarantine", "lift"], host__isnull=False, account__isnull=True)
                & Q(run__isnull=True, result__isnull=True, round__isnull=True, submission__isnull=True)
                | Q(action__in=["open", "reveal"], round__isnull=False, account__isnull=True)
                & Q(run__isnull=True, result__isnull=True, host__isnull=True, submission__isnull=True)
                | Q(
                    action__in=[
                        *("receive", "declare", "reject", "accept", "verify", "conclude", "decide", "answer", "close")
                    ],
                    submission__isnull=False,
                    host__isnull=True,
                    round__isnull=True,
                    account__isnull=True,
                )
                | Q(
                    action__in=[
                        *("make_account", "change_account", "give_role", "close_account", "open_account"),
                        *("set_password", "forget_factor", "make_token", "revoke_token"),
                    ],
                    account__isnull=False,
                    run__isnull=True,
                    result__isnull=True,
                    host__isnull=True,
                    round__isnull=True,
                    submission__isnull=True,
                ),
            ),
            models.CheckConstraint(
                name="auditentry_of_an_account_says_why", condition=Q(account__isnull=True) | ~Q(reason="")
            ),
            models.CheckConstraint(name="auditentry_actor_is_named", condition=~Q(actor_name="")),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.get_action_display()} {self.about}"

    @property
    def about(self) -> models.Model | None:
        """What it happened to."""
        return self.submission or self.result or self.run or self.host or self.round or self.account


class Revision(models.Model):
    """One row: how often anything that is public may have changed. Pages' ETags are made of it."""

    number = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(name="revision_is_one_row", condition=Q(id=1))]

    def __str__(self) -> str:
        return str(self.number)
