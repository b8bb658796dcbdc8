"""Wrong guesses of passwords, codes and tokens, as long as they count. Users and groups are Django's."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class WrongGuess(models.Model):
    """One; `who` is a hash of what it is counted for."""

    who = models.CharField(max_length=64, db_index=True)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        verbose_name_plural = "wrong guesses"

    def __str__(self) -> str:
        return f"{self.who[:8]} at {self.at:%H:%M:%S}"
