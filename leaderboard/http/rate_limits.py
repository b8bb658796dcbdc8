"""Rate limits on data and files, for each address and each token: points a minute, counted in the cache.

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
# Points by path; the first pattern that matches counts. All other addresses are pages and cost nothing.
COSTS = (
    (re.compile(r"/api/.*\.png"), 10),  # 0.2 to 1.5 s of a processor; other responses take some milliseconds
    (re.compile(r"/api/v1/submissions/"), 10),  # up to 128 MiB go to the disk
    (re.compile(r"/run/\d+/records\.zip|/dump/.+|/api/v1/rows/.+\.csv"), 20),  # megabytes, streamed
    (re.compile(r"/api/.*"), 1),
    (re.compile(r"/result/\d+/(?!explore/).+|/task/.+/source/.+|/feed\.atom"), 1),  # records, logs, sources, sessions
    (re.compile(r"/submit/upload/"), 10),
)


def seconds_to_wait(request: HttpRequest) -> int:
    """Count the request and return the seconds until its address and token have points again; 0 while they have."""
    most, cost, now = settings.API_POINTS_A_MINUTE, cost_of(request.path), time.time()
    if not most or not cost:
        return 0
    spent = [_spend(f"points:{client}:{int(now // WINDOW_S)}", cost) for client in _clients(request)]
    return 0 if max(spent) <= most else WINDOW_S - int(now % WINDOW_S)


def cost_of(path: str) -> int:
    """The points that a request for this path costs; 0 for a page."""
    return next((points for pattern, points in COSTS if pattern.fullmatch(path)), 0)


def _clients(request: HttpRequest) -> list[str]:
    """Keys of the client: its address, as anyone can make up tokens, and its token, wherever it is used from."""
    token = request.headers.get("Authorization", "")
    return [network_of(client_address(request)), *([hashlib.sha256(token.encode()).hexdigest()] if token else [])]


def _spend(key: str, cost: int) -> int:
    """Add the cost and return the points spent in this minute."""
    cache.add(key, 0, timeout=2 * WINDOW_S)
    try:
        return cache.incr(key, cost)
    except ValueError:  # evicted in between
        return cost
