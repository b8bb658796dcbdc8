"""How often one address may ask for data: a fixed number of points a minute, counted in the cache.

Each web process counts for itself unless the cache is shared (CACHES), so the true limit is up to as many times as high
as there are processes: enough to keep one client from starving the others.
"""

from __future__ import annotations

import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

WINDOW_S = 60
DRAWING_POINTS = 10  # a PNG takes 0.2 to 1.5 s of a processor, other answers some milliseconds


def seconds_to_wait(request: HttpRequest) -> int:
    """Count the request; 0 while its address has points left, else how long until it has some again."""
    most = settings.API_POINTS_A_MINUTE
    if not most:
        return 0
    now = time.time()
    key = f"points:{client_address(request)}:{int(now // WINDOW_S)}"
    cost = DRAWING_POINTS if request.path.endswith(".png") else 1
    cache.add(key, 0, timeout=2 * WINDOW_S)
    try:
        spent = cache.incr(key, cost)
    except ValueError:  # dropped in between
        spent = cost
    return 0 if spent <= most else WINDOW_S - int(now % WINDOW_S)


def client_address(request: HttpRequest) -> str:
    """Who asks; behind a proxy (HTTPS is set) the address that the proxy itself saw, which is the last one."""
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.HTTPS else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")
