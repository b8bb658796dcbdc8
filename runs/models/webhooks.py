"""Addresses of others that are told what becomes public, and each message to them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from runs.models.audit_log import AuditEntry


class Webhook(models.Model):
    url = models.URLField(
        max_length=300, unique=True, help_text="An https address on a public host, without a user or a query."
    )
    secret = models.CharField(max_length=64, editable=False, help_text="The key of the signatures; shown once.")
    is_enabled = models.BooleanField(default=True, editable=False)
    registered_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("url",)
        constraints = [
            models.CheckConstraint(
                name="webhook_is_encrypted",
                condition=Q(url__startswith="https://"),
                violation_error_message="Expected an address that begins with https://.",
            )
        ]

    def __str__(self) -> str:
        return self.url


class WebhookDelivery(models.Model):
    """A message to a webhook. It is tried until the webhook accepts it, or has refused it too often."""

    webhook = models.ForeignKey(Webhook, on_delete=models.PROTECT, related_name="deliveries")
    entry = models.ForeignKey(
        AuditEntry, on_delete=models.PROTECT, null=True, related_name="+", help_text="What happened; empty for a test."
    )
    body = models.TextField(help_text="JSON, as it is signed and sent.")
    made_at = models.DateTimeField(default=timezone.now)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True, default=timezone.now, help_text="Empty once it has ended.")
    message_sent_at = models.DateTimeField(default=timezone.now, help_text="When a worker was last told of it.")
    status = models.PositiveSmallIntegerField(null=True, help_text="HTTP status of the last try, if there was one.")
    error = models.CharField(max_length=200, blank=True, help_text="Why the last try got no status.")
    delivered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.CheckConstraint(
                name="webhookdelivery_delivered_is_the_end",
                condition=Q(delivered_at__isnull=True) | Q(next_try_at__isnull=True),
            )
        ]
        indexes = [  # for the sweeper, which asks every second
            models.Index(name="webhookdelivery_waiting", fields=["next_try_at"], condition=Q(next_try_at__isnull=False))
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk} to {self.webhook_id}"
