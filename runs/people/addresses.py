"""Who asks, as an address: behind a proxy the one that the proxy itself saw; of IPv6 the network that one host owns."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

PREFIX_V6 = 64  # what a household or a rented machine is given: counting single addresses would count nothing


def client_address(request: HttpRequest) -> str:
    """Behind a proxy (HTTPS is set) the last address that was forwarded: those before it are the client's own words."""
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.HTTPS else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def network_of(address: str) -> str:
    """What is counted as one asker."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    return str(ipaddress.ip_network((parsed, PREFIX_V6), strict=False))
