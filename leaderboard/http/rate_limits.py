"""Rate limits, in points a minute, for each address and each token: on data, on files and on the making of pages.

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

Costs = tuple[tuple[re.Pattern[str], int], ...]
WINDOW_S = 60
# Points of a request by path; the first pattern that matches counts. All other addresses are pages and cost nothing.
COSTS: Costs = (
    (re.compile(r"/api/.*\.png|/.*card\.png"), 10),  # 0.2 to 1.5 s of a processor; other responses take milliseconds
    (re.compile(r"/api/v1/submissions/"), 10),  # up to 128 MiB go to the disk
    (re.compile(r"/run/\d+/records\.zip|/pairs\.jsonl|/dump/.+|/api/v1/rows/.+\.csv"), 20),  # megabytes, streamed
    (re.compile(r"/api/.*"), 1),
    (re.compile(r"/result/\d+/(?!explore/).+|/task/.+/source/.+|/feed\.atom"), 1),  # records, logs, sources, sessions
    (re.compile(r"/submit/upload/"), 10),
)
OF_BOARDS = "board|history|distribution|compare|attribution|efficiency|generalization|quality|iterations"
# Points of a response that is not in the response cache and has to be made, in addition; about 20 ms of a processor
# each. So visitors of what is cached pay nothing, and whoever asks for ever new combinations of filters pays for each.
MAKING: Costs = (
    (re.compile(rf"(/api/v1)?/({OF_BOARDS})/.+"), 5),
    # These read and decode a whole session, whatever is searched or shown of it.
    (re.compile(r"(/api/v1)?/(result/\d+/session|pairs/version)/.*"), 15),
    (re.compile(r"(/api/v1)?/(task|failures|behaviour|portability|cost|analysis|search|iterations|pairs)/.*"), 3),
    (re.compile(r"/api/v1/rows/.+"), 3),
    (re.compile(r"/api/v1/schema\.json"), 5),
    (re.compile(r".*"), 1),
)


class TooManyRequests(Exception):
    """A client has no points left. `wait_s` is the number of seconds until it has."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(wait_s)
        self.wait_s = wait_s


def pay_for_request(request: HttpRequest) -> None:
    """
    Raises:
        TooManyRequests: its address or token has no points left.
    """
    _pay(request, cost_of(request.path))


def pay_for_making(request: HttpRequest) -> None:
    """Count a response that has to be made.

    Raises:
        TooManyRequests: the address or token has no points left.
    """
    _pay(request, cost_of(request.path, MAKING))


def _pay(request: HttpRequest, cost: int) -> None:
    most, now = settings.API_POINTS_A_MINUTE, time.time()
    if not most or not cost:
        return
    spent = [_spend(f"points:{client}:{int(now // WINDOW_S)}", cost) for client in _clients(request)]
    if max(spent) > most:
        raise TooManyRequests(WINDOW_S - int(now % WINDOW_S))


def cost_of(path: str, costs: Costs = COSTS) -> int:
    """The points by the first pattern that matches the path; 0 without one."""
    return next((points for pattern, points in costs if pattern.fullmatch(path)), 0)


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
