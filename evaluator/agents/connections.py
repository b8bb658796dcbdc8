"""Connects to a host by an address that was checked: a name that leads elsewhere a moment later changes nothing."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

IPV4_AT_THE_END = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))  # translated by a gateway, or an old notation
Address = IPv4Address | IPv6Address


class InwardAddress(OSError):
    """All addresses of the host are of this machine, a private network, or for no connection at all."""


def connect(host: str, port: int, timeout_s: float | None, *, inward: bool = False) -> socket.socket:
    """A connection to one of the host's public addresses; `inward`: this machine and private networks count, too.

    Raises:
        InwardAddress: the host has no such address.
        OSError: it has no address, or none of them accepts a connection.
    """
    last: OSError = InwardAddress(f"{host} has no {'' if inward else 'public '}address that may be connected to")
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        if not may_connect(str(address[0]), inward=inward):
            continue
        connection = socket.socket(family, kind, protocol)
        connection.settimeout(timeout_s)
        try:
            connection.connect(address)
        except OSError as error:
            connection.close()
            last = error
            continue
        return connection
    raise last


def may_connect(address: str, *, inward: bool) -> bool:
    """Whether it is a public address; `inward`: or one of this machine or a private network.

    Link-local addresses never are: servers there tell cloud machines their credentials.
    """
    ip = _meant(ip_address(address.partition("%")[0]))
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified:
        return False
    return inward or (ip.is_global and not getattr(ip, "is_site_local", False))


def _meant(ip: Address) -> Address:
    """The IPv4 address that one of IPv6 stands for, if it does."""
    if isinstance(ip, IPv4Address) or ip.is_loopback or ip.is_unspecified:
        return ip
    if any(ip in network for network in IPV4_AT_THE_END):
        return IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip
