"""Answers kept as compressed bytes for as long as nothing public changes: a page is put together once, then only sent.

The key holds the counter of changes as it was before the answer was made, and the whole address. A change makes another
key, so there is nothing to clear, in any process; what nobody asks for any more is dropped by the cache. Pages know no
users: an answer that would be one person's is never kept.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import Any

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

KEPT_S = 600  # then it is made again, so that a process that dies between a change and its count leaves nothing old
MOST_BYTES = 256 << 10  # of one answer, compressed; a board of 40 entries over 24 tasks takes 17 kB, its JSON 145 kB
MOST_STREAMED_BYTES = 1 << 20  # of one stream, before it is compressed
_making = tuple(Lock() for _ in range(64))  # whoever asks for the same answer meanwhile waits for it


@dataclass(frozen=True, slots=True)
class Snapshot:
    compressed: bytes
    headers: dict[str, str]

    def answer(self, request: HttpRequest) -> HttpResponse:
        headers = dict(self.headers)
        if accepts := "gzip" in request.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
        response = HttpResponse(self.compressed if accepts else gzip.decompress(self.compressed), headers=headers)
        patch_vary_headers(response, ("Accept-Encoding",))
        return response


def kept(request: HttpRequest, revision: str, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """The answer as it was made at this revision, by whoever asked first.

    Nothing is kept of what is read within a transaction: that may never be committed.
    """
    if connection.in_atomic_block:
        return make()
    key = _key(request, revision)
    if found := cache.get(key.hex()):
        return _answer(found, request)
    with _making[key[0] % len(_making)]:
        if found := cache.get(key.hex()):
            return _answer(found, request)
        response = make()
        snapshot = _snapshot(response)
        if snapshot is None:
            return response
        cache.set(key.hex(), snapshot, KEPT_S)
    return snapshot.answer(request)


def _answer(found: Any, request: HttpRequest) -> HttpResponse:
    assert isinstance(found, Snapshot)
    return found.answer(request)


def _key(request: HttpRequest, revision: str) -> bytes:
    """Of all that an answer may depend on."""
    asked = (revision, request.scheme, request.get_host(), request.get_full_path(), request.headers.get("Accept", ""))
    return hashlib.sha256("\n".join(map(str, asked)).encode()).digest()


def _snapshot(response: HttpResponseBase) -> Snapshot | None:
    """None where it must not be kept."""
    is_personal = bool(response.cookies) or "cookie" in response.get("Vary", "").lower()
    body = None if response.status_code != 200 or is_personal else _body(response)
    if body is None:
        return None
    compressed = gzip.compress(body, compresslevel=6, mtime=0)
    return Snapshot(compressed, dict(response.items())) if len(compressed) <= MOST_BYTES else None


def _body(response: HttpResponseBase) -> bytes | None:
    """None of a stream too long to be held, which is left to be sent whole."""
    if isinstance(response, StreamingHttpResponse):
        return _whole(response)
    if callable(render := getattr(response, "render", None)):  # data of the API, not written out yet
        render()
    assert isinstance(response, HttpResponse)
    return response.content


def _whole(response: StreamingHttpResponse) -> bytes | None:
    stream, read, size = iter(response), list[bytes](), 0
    for part in stream:
        read.append(part)
        size += len(part)
        if size > MOST_STREAMED_BYTES:
            response.streaming_content = chain(read, stream)
            return None
    response.streaming_content = read
    return b"".join(read)
