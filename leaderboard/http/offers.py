"""Pages with buttons: made anew for a reader who may do something there, the cached one for everybody else."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import add_never_cache_headers

from leaderboard.http.rate_limits import pay_for_making
from runs.submissions.offers import KINDS, Offer, offers_on

__all__ = ["Offer", "has_offers", "with_offers"]
View = Callable[..., HttpResponseBase]
Make = Callable[[HttpRequest, dict[str, Any], list[Offer]], HttpResponseBase]


def has_offers(page: str) -> bool:
    """Whether something can be done on the pages of this name."""
    return page in KINDS


def with_offers(name: str, cached: View, make: Make) -> View:
    """The cached page; for a reader with offers, what `make` makes of the request, the address's parts and the offers.

    Nobody keeps the latter.
    """

    @wraps(cached)
    def page(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        offers = offers_on(request, name, parts[name])
        if not offers:
            return cached(request, **parts)
        pay_for_making(request)
        response = make(request, parts, offers)
        add_never_cache_headers(response)
        return response

    return page
