"""What the bench says under its key: seals of readings, digests of outputs (evaluator/bench/seal.h computes the same).

The key is written to the page that judge and worker share; the bench takes it and erases it there before the candidate
is loaded. So nothing else in the worker can say how long a call took, or what its outputs were.
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Iterable, Sequence

import torch

from evaluator.inside.channel import PAGE_BYTES, SharedMemory

Key = tuple[int, int]
RELEASE, END, EXPIRED, KEY = 0, 64, 128, 256  # bytes of the page: evaluator/bench/device.h
MASK = (1 << 64) - 1
CHUNK_WORDS = 1 << 24  # of an output at once, to bound memory


def leave_key(mailbox: SharedMemory) -> Key:
    """Write a new key to the page of a worker that has not loaded a candidate, and return it."""
    key = secrets.randbits(64), secrets.randbits(64)
    page_of(mailbox)[KEY : KEY + 16] = struct.pack("<QQ", *key)
    return key


def page_of(mailbox: SharedMemory) -> memoryview:
    """Return the page of a mailbox that judge, worker and device share."""
    return mailbox.view(mailbox.size - PAGE_BYTES, PAGE_BYTES)


def seal_of(key: Key, words: Iterable[int | float]) -> int:
    """Return SipHash-2-4 of 64-bit words; a float counts as its bits."""
    v0, v1 = key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D
    v2, v3 = key[0] ^ 0x6C7967656E657261, key[1] ^ 0x7465646279746573
    count = 0
    for word in words:
        bits = struct.unpack("<Q", struct.pack("<d", word))[0] if isinstance(word, float) else word
        v0, v1, v2, v3 = _rounds(2, v0, v1, v2, v3 ^ bits)
        v0 ^= bits
        count += 1
    last = count * 8 << 56 & MASK
    v0, v1, v2, v3 = _rounds(2, v0, v1, v2, v3 ^ last)
    v0, v1, v2, v3 = _rounds(4, v0 ^ last, v1, v2 ^ 0xFF, v3)
    return v0 ^ v1 ^ v2 ^ v3


def mixed(word: int) -> int:
    """Return the finaliser of splitmix64 of a 64-bit word."""
    word = (word + 0x9E3779B97F4A7C15) & MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def digest_of(outputs: Sequence[torch.Tensor], key: int, call: int, varying: Sequence[bool] | None = None) -> int:
    """Return the digest of the outputs of one call of a block: a sum over their 32-bit words, times keyed weights.

    The length of a varying output is one more word of it.
    """
    total = 0
    for index, (output, varies) in enumerate(zip(outputs, varying or [False] * len(outputs), strict=True)):
        salted = mixed((key + call * len(outputs) + index) & MASK)
        data = output.contiguous().view(-1).view(torch.uint8)
        data = torch.nn.functional.pad(data, (0, -len(data) % 4)).view(torch.int32)
        for begin in range(0, len(data), CHUNK_WORDS):
            words = data[begin : begin + CHUNK_WORDS].to(torch.int64) & 0xFFFFFFFF
            index_of = torch.arange(begin, begin + len(words), dtype=torch.int64, device=words.device)
            total += int((words * mixed_all(index_of + signed(salted))).sum())
        if varies:
            total += len(output) * mixed((salted + len(data)) & MASK)
    return total & MASK


def folded(digests: Sequence[int]) -> int:
    """Return the word that the device shows at the end of a block of calls with these digests; never 0."""
    word = len(digests)
    for digest in digests:
        word = mixed(word ^ digest)
    return word or 1


def _rounds(count: int, v0: int, v1: int, v2: int, v3: int) -> tuple[int, int, int, int]:
    for _ in range(count):
        v0, v2 = v0 + v1 & MASK, v2 + v3 & MASK
        v1, v3 = _turned(v1, 13) ^ v0, _turned(v3, 16) ^ v2
        v0 = _turned(v0, 32)
        v2, v0 = v2 + v1 & MASK, v0 + v3 & MASK
        v1, v3 = _turned(v1, 17) ^ v2, _turned(v3, 21) ^ v0
        v2 = _turned(v2, 32)
    return v0, v1, v2, v3


def _turned(word: int, by: int) -> int:
    return (word << by | word >> 64 - by) & MASK


def mixed_all(words: torch.Tensor) -> torch.Tensor:
    """Return `mixed` of every word; int64 holds their bits."""
    words = words + signed(0x9E3779B97F4A7C15)
    words = (words ^ _shifted(words, 30)) * signed(0xBF58476D1CE4E5B9)
    words = (words ^ _shifted(words, 27)) * signed(0x94D049BB133111EB)
    return words ^ _shifted(words, 31)


def _shifted(words: torch.Tensor, by: int) -> torch.Tensor:
    """Shift right without the sign."""
    return (words >> by) & ((1 << 64 - by) - 1)


def signed(word: int) -> int:
    """Return the int64 with the bits of a 64-bit word."""
    return word - (1 << 64) if word >> 63 else word
