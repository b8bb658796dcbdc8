"""Rounds of unseen cases, which follow from a secret. Its hash is published at once, the secret at the reveal."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from runs.models.problems import Suite


class Round(models.Model):
    """Unseen cases follow from generator version, task digest and secret, which only the server knows at first."""

    slug = models.SlugField(max_length=60, unique=True)
    suite = models.ForeignKey(
        Suite, on_delete=models.PROTECT, related_name="rounds", help_text="The tasks that have unseen cases."
    )
    secret = models.CharField(max_length=128, help_text="Public once the round is revealed.")
    secret_hash = models.CharField(max_length=64, unique=True, help_text="sha256 of the secret in UTF-8.")
    generator_version = models.CharField(max_length=30)
    tasks_digest = models.CharField(max_length=64, help_text="sha256 over the sorted (task, digest) of the suite.")
    opened_at = models.DateTimeField(default=timezone.now)
    revealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-opened_at", "-id")
        constraints = [
            models.CheckConstraint(
                name="round_hashes_are_sha256",
                condition=Q(secret_hash__regex=r"^[0-9a-f]{64}$", tasks_digest__regex=r"^[0-9a-f]{64}$"),
            ),
            models.CheckConstraint(name="round_has_a_secret", condition=Q(secret__regex=r"^\S{16,}$")),
            models.CheckConstraint(
                name="round_revealed_after_it_was_opened",
                condition=Q(revealed_at__isnull=True) | Q(revealed_at__gte=F("opened_at")),
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def is_revealed(self) -> bool:
        return self.revealed_at is not None
