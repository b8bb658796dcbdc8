"""The audit log: who changed what is public, secret or permitted, when and why. Entries are never changed or removed.

`Revision` counts changes to public rows, for ETags.
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
    """One action on a run, result, host, round, submission or account, or on a registry row that `detail` names.

    Publishing a result records from which attempt to which.
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
        DECLARE = "declare", "facts declared"
        REJECT = "reject", "rejected"
        ACCEPT = "accept", "accepted"
        VERIFY = "verify", "verification started"
        CONCLUDE = "conclude", "verification ended"
        DECIDE = "decide", "decision made"
        REPLY = "reply", "reply to an audit"
        CLOSE = "close", "closed"
        MAKE_ACCOUNT = "make_account", "account created"
        CHANGE_ACCOUNT = "change_account", "account changed"
        GIVE_ROLE = "give_role", "role changed"
        CLOSE_ACCOUNT = "close_account", "account closed"
        OPEN_ACCOUNT = "open_account", "account reopened"
        SET_PASSWORD = "set_password", "password set"
        RESET_FACTOR = "reset_factor", "second factor reset"
        MAKE_TOKEN = "make_token", "token created"
        REVOKE_TOKEN = "revoke_token", "token revoked"

    at = models.DateTimeField(default=timezone.now, editable=False)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    actor_name = models.CharField(max_length=150, help_text="The user, or the command that acted.")
    action = models.CharField(max_length=20, choices=Action)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, related_name="audit_entries")
    host = models.ForeignKey(Host, on_delete=models.PROTECT, null=True, related_name="audit_entries")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, null=True, related_name="audit_entries")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, null=True, related_name="audit_entries")
    result = models.ForeignKey(Result, on_delete=models.PROTECT, null=True, related_name="audit_entries")
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="audit_entries",
        help_text="The account that was changed.",
    )
    detail = models.CharField(
        max_length=DETAIL_CHARACTERS, blank=True, help_text="Old and new values, the token, or the cost estimate."
    )
    from_attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, null=True, related_name="+")
    to_attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, null=True, related_name="+")
    undoes = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="+", help_text="The entry that this one takes back."
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
                        "publish",
                        "withdraw",
                    ],  # claims; a run that a submission brought has entries of its own
                    submission__isnull=False,
                    run__isnull=True,
                    result__isnull=True,
                    host__isnull=True,
                    round__isnull=True,
                    account__isnull=True,
                )
                | Q(
                    action__in=[
                        *("receive", "declare", "reject", "accept", "verify", "conclude", "decide", "reply", "close")
                    ],
                    submission__isnull=False,
                    host__isnull=True,
                    round__isnull=True,
                    account__isnull=True,
                )
                | Q(
                    action__in=[
                        *("make_account", "change_account", "give_role", "close_account", "open_account"),
                        *("set_password", "reset_factor", "make_token", "revoke_token"),
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
        """The row that the action was about."""
        return self.submission or self.result or self.run or self.host or self.round or self.account


class Revision(models.Model):
    """A single row that counts changes to public rows. ETags of pages are made of it."""

    number = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(name="revision_is_one_row", condition=Q(id=1))]

    def __str__(self) -> str:
        return str(self.number)
