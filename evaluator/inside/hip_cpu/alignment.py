"""Unaligned vector accesses, which are allowed on gfx942 but fault with x86's aligned moves.

A kernel may read 16 bytes at any multiple of 4 on the target. The compiler assumes that a float4 is aligned and uses
aligned moves. Unaligned moves do the same and are as fast on aligned addresses.
"""

from __future__ import annotations

import re

_ALIGNED_MOVE = re.compile(rb"\b(v?)mov(nt)?(aps|apd|dqa32|dqa64|dqa|ps|pd|dq)\b([^\n]*)")
_UNALIGNED = {b"aps": b"ups", b"apd": b"upd", b"dqa": b"dqu", b"dqa32": b"dqu32", b"dqa64": b"dqu64"}
_UNALIGNED_AFTER_NT = {b"ps": b"ups", b"pd": b"upd", b"dq": b"dqu", b"dqa": b"dqu"}


def allow_unaligned(assembly: bytes) -> bytes:
    """Return the assembly with every aligned vector move replaced by the unaligned one."""
    return _ALIGNED_MOVE.sub(_unaligned, assembly)


def _unaligned(move: re.Match[bytes]) -> bytes:
    prefix, nontemporal, kind, operands = move.groups()
    unaligned = (_UNALIGNED_AFTER_NT if nontemporal else _UNALIGNED).get(kind)
    if unaligned is None:
        return move.group()
    if nontemporal and unaligned == b"dqu" and b"%zmm" in operands:
        unaligned = b"dqu64"
    return prefix + b"mov" + unaligned + operands
