"""Limits failed attempts at passwords, codes and tokens, by account and by network.

Attempts are counted in the database, so that all web processes share the count and a restart forgets nothing. Attempts
at a password or code are counted before they are checked and removed if they were right, so that of many simultaneous
attempts no more are checked than are allowed. A refused attempt does not count: waiting ends when the oldest failed
attempt is a window old. While an account is blocked its owner has to wait, too; otherwise an attacker with many
addresses could guess without end.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.db.models import Count, Min
from django.utils import timezone

from runs.people.models import LoginAttempt

WINDOW = timedelta(minutes=15)
MOST = {"account": 10, "code": 10, "address": 50, "used": 1}  # attempts within the window, by the kind of key
Key = tuple[str, str]  # ("account", name), ("code", user id), ("address", network) or ("used", user id and code)


def count_attempt(*keys: Key) -> int:
    """Count an attempt as failed until `forget_newest`; return the seconds to wait before it may be checked, or 0."""
    mine = record(*keys)
    wait_s = seconds_to_wait(*keys, mine=1)
    if wait_s:
        LoginAttempt.objects.filter(pk__in=[one.pk for one in mine]).delete()
    return wait_s


def forget_newest(*keys: Key) -> None:
    """Remove the newest attempt of each key, because it was right. Any one would do: they are only counted."""
    for key in keys:
        newest = LoginAttempt.objects.filter(key=_digest(key)).order_by("-pk")[:1]
        LoginAttempt.objects.filter(pk__in=list(newest.values_list("pk", flat=True))).delete()


def seconds_to_wait(*keys: Key, mine: int = 0) -> int:
    """Return the seconds until all of these keys may try again; 0 if they may now. `mine`: attempts not to count."""
    since = timezone.now() - WINDOW
    kinds = {_digest(key): key[0] for key in keys}
    rows = LoginAttempt.objects.filter(key__in=kinds, at__gt=since).values("key")
    counted = rows.annotate(count=Count("id"), oldest=Min("at"))
    waits = [row["oldest"] - since for row in counted if row["count"] - mine >= MOST[kinds[row["key"]]]]
    return 1 + int(max(waits).total_seconds()) if waits else 0


def record(*keys: Key) -> list[LoginAttempt]:
    """Store a failed attempt for each key, and delete those that are older than the window."""
    LoginAttempt.objects.filter(at__lte=timezone.now() - WINDOW).delete()
    return LoginAttempt.objects.bulk_create(LoginAttempt(key=_digest(key)) for key in keys)


def forget_all(*keys: Key) -> int:
    """Delete all attempts of these keys, so that they may try again at once; return how many."""
    return LoginAttempt.objects.filter(key__in=[_digest(key) for key in keys]).delete()[0]


def _digest(key: Key) -> str:
    """Hash the key, so that the table is not a list of names and addresses."""
    kind, name = key
    return hashlib.sha256(f"{kind}:{name.lower()}".encode()).hexdigest()
