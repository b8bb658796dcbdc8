"""How often one address, and one token, may ask for data and files: points a minute, counted in the cache.

Each web process counts for itself unless the cache is shared (CACHES), so the true limit is up to as many times as high
as there are processes: enough to keep one client from starving the others.
"""

from __future__ import annotations

import hashlib
import re
import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from runs.people.addresses import client_address, network_of

WINDOW_S = 60
# What an address costs beside data; the first that fits. All other addresses are pages, which cost nothing.
PRICES = (
    (re.compile(r"/api/.*\.png"), 10),  # 0.2 to 1.5 s of a processor; other answers take some milliseconds
    (re.compile(r"/api/v1/submissions/"), 10),  # up to 128 MiB go to the disk
    (re.compile(r"/run/\d+/records\.zip|/dump/.+|/api/v1/rows/.+\.csv"), 20),  # megabytes, made while they are sent
    (re.compile(r"/api/.*"), 1),
    (re.compile(r"/result/\d+/(?!explore/).+|/task/.+/source/.+|/feed\.atom"), 1),  # records, logs, sources, sessions
    (re.compile(r"/submit/hand-in/"), 10),
)


def seconds_to_wait(request: HttpRequest) -> int:
    """Count the request; 0 while its address and its token have points left, else how long until they have again."""
    most, cost, now = settings.API_POINTS_A_MINUTE, price(request.path), time.time()
    if not most or not cost:
        return 0
    spent = [_spend(f"points:{who}:{int(now // WINDOW_S)}", cost) for who in _askers(request)]
    return 0 if max(spent) <= most else WINDOW_S - int(now % WINDOW_S)


def price(path: str) -> int:
    """In points; 0 for what is not counted."""
    return next((points for pattern, points in PRICES if pattern.fullmatch(path)), 0)


def _askers(request: HttpRequest) -> list[str]:
    """The address always, since anybody can make up a token; the token as well, wherever it is used from."""
    token = request.headers.get("Authorization", "")
    return [network_of(client_address(request)), *([hashlib.sha256(token.encode()).hexdigest()] if token else [])]


def _spend(key: str, cost: int) -> int:
    """How much is spent in this minute, this included."""
    cache.add(key, 0, timeout=2 * WINDOW_S)
    try:
        return cache.incr(key, cost)
    except ValueError:  # dropped in between
        return cost
