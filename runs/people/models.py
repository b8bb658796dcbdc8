"""Failed attempts at passwords, codes and tokens, for as long as they count. Users and groups are Django's."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class LoginAttempt(models.Model):
    """One failed attempt; `key` is a hash of what it is counted for."""

    key = models.CharField(max_length=64, db_index=True)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"{self.key[:8]} at {self.at:%H:%M:%S}"
