"""How often somebody was wrong lately: passwords and codes by account, tokens too by address. Then nothing is tried.

Counted in the database, so that all web processes count together and a restart forgets nothing. A password or code is
counted before it is looked at, and taken back where it was right: of many at once no more are looked at than are
allowed. Being refused does not count again: who waits is let in when the oldest wrong guess is a window old. While an
account waits its owner waits as well; the alternative is that whoever has many addresses may guess without end.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.db.models import Count, Min
from django.utils import timezone

from runs.people.models import WrongGuess

WINDOW = timedelta(minutes=15)
MOST = {"account": 10, "code": 10, "address": 50, "used": 1}  # of guesses within the window, by what they count for
Who = tuple[str, str]  # ("account", a name), ("code", a user's id), ("address", a network), ("used", an id and a code)


def take(*whos: Who) -> int:
    """Count a guess as wrong until `was_right` says otherwise. Seconds to wait where it must not be tried, else 0."""
    mine = note(*whos)
    wait_s = seconds_to_wait(*whos, mine=1)
    if wait_s:
        WrongGuess.objects.filter(pk__in=[one.pk for one in mine]).delete()
    return wait_s


def was_right(*whos: Who) -> None:
    """The newest guess of each was none. Which one it is does not matter: they are only counted."""
    for who in whos:
        newest = WrongGuess.objects.filter(who=_digest(who)).order_by("-pk")[:1]
        WrongGuess.objects.filter(pk__in=list(newest.values_list("pk", flat=True))).delete()


def seconds_to_wait(*whos: Who, mine: int = 0) -> int:
    """0 while every one of these may guess, else until the last of them may again. `mine`: guesses that count not."""
    since = timezone.now() - WINDOW
    kinds = {_digest(who): who[0] for who in whos}
    rows = WrongGuess.objects.filter(who__in=kinds, at__gt=since).values("who")
    counted = rows.annotate(count=Count("id"), oldest=Min("at"))
    waits = [row["oldest"] - since for row in counted if row["count"] - mine >= MOST[kinds[row["who"]]]]
    return 1 + int(max(waits).total_seconds()) if waits else 0


def note(*whos: Who) -> list[WrongGuess]:
    """A wrong guess; what is older than the window goes."""
    WrongGuess.objects.filter(at__lte=timezone.now() - WINDOW).delete()
    return WrongGuess.objects.bulk_create(WrongGuess(who=_digest(who)) for who in whos)


def forgive(*whos: Who) -> int:
    """Let them guess again at once; how many guesses were forgotten."""
    return WrongGuess.objects.filter(who__in=[_digest(who) for who in whos]).delete()[0]


def _digest(who: Who) -> str:
    """The table is no list of names and addresses."""
    kind, name = who
    return hashlib.sha256(f"{kind}:{name.lower()}".encode()).hexdigest()
