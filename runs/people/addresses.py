"""The client's IP address, and the network under which its requests are counted."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

PREFIX_V6 = 64  # one household or rented machine has this many addresses, so single ones are not counted


def client_address(request: HttpRequest) -> str:
    """Return the client's IP address.

    Behind a proxy (HTTPS is set) it is the last forwarded one: clients can make up those before it.
    """
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.HTTPS else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def network_of(address: str) -> str:
    """Return the IPv4 address or the IPv6 network that counts as one client."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    return str(ipaddress.ip_network((parsed, PREFIX_V6), strict=False))
