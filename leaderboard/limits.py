"""How often one address, and one token, may ask for data: a fixed number of points a minute, counted in the cache.

Each web process counts for itself unless the cache is shared (CACHES), so the true limit is up to as many times as high
as there are processes: enough to keep one client from starving the others.
"""

from __future__ import annotations

import hashlib
import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

WINDOW_S = 60
DRAWING_POINTS = 10  # a PNG takes 0.2 to 1.5 s of a processor, other answers some milliseconds


def seconds_to_wait(request: HttpRequest) -> int:
    """Count the request; 0 while its address and its token have points left, else how long until they have again."""
    most, now = settings.API_POINTS_A_MINUTE, time.time()
    if not most:
        return 0
    cost = DRAWING_POINTS if request.path.endswith(".png") else 1
    spent = [_spend(f"points:{who}:{int(now // WINDOW_S)}", cost) for who in _askers(request)]
    return 0 if max(spent) <= most else WINDOW_S - int(now % WINDOW_S)


def client_address(request: HttpRequest) -> str:
    """Who asks; behind a proxy (HTTPS is set) the address that the proxy itself saw, which is the last one."""
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.HTTPS else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def _askers(request: HttpRequest) -> list[str]:
    """The address always, since anybody can make up a token; the token as well, wherever it is used from."""
    token = request.headers.get("Authorization", "")
    return [client_address(request), *([hashlib.sha256(token.encode()).hexdigest()] if token else [])]


def _spend(key: str, cost: int) -> int:
    """How much is spent in this minute, this included."""
    cache.add(key, 0, timeout=2 * WINDOW_S)
    try:
        return cache.incr(key, cost)
    except ValueError:  # dropped in between
        return cost
