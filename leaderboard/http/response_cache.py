"""A cache of compressed responses, valid for as long as nothing public changes.

The key contains the revision as it was before the response was made, and the whole address. A change makes another key,
so nothing has to be invalidated, in any process, and the cache evicts what is no longer requested. Pages do not depend
on users; a response that would be personal is never cached.
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

LIFETIME_S = 600  # so that nothing stale stays if a process dies between a change and its count
MOST_BYTES = 256 << 10  # of one response, compressed; a board of 40 entries over 24 tasks takes 17 kB, its JSON 145 kB
MOST_STREAMED_BYTES = 1 << 20  # of one stream, before it is compressed
_making = tuple(Lock() for _ in range(64))  # requests for the same response wait for the first one


@dataclass(frozen=True, slots=True)
class CachedResponse:
    compressed: bytes
    headers: dict[str, str]

    def response(self, request: HttpRequest) -> HttpResponse:
        headers = dict(self.headers)
        if accepts := "gzip" in request.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
        response = HttpResponse(self.compressed if accepts else gzip.decompress(self.compressed), headers=headers)
        patch_vary_headers(response, ("Accept-Encoding",))
        return response


def cached_response(request: HttpRequest, revision: str, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """The response at this revision, from the cache or made now.

    Within a transaction nothing is cached, as what was read may never be committed.
    """
    if connection.in_atomic_block:
        return make()
    key = _key(request, revision)
    if found := cache.get(key.hex()):
        return _checked(found).response(request)
    with _making[key[0] % len(_making)]:
        if found := cache.get(key.hex()):
            return _checked(found).response(request)
        response = make()
        cached = _compressed(response)
        if cached is None:
            return response
        cache.set(key.hex(), cached, LIFETIME_S)
    return cached.response(request)


def _checked(found: Any) -> CachedResponse:
    assert isinstance(found, CachedResponse)
    return found


def _key(request: HttpRequest, revision: str) -> bytes:
    """A digest of everything that a response may depend on."""
    parts = (revision, request.scheme, request.get_host(), request.get_full_path(), request.headers.get("Accept", ""))
    return hashlib.sha256("\n".join(map(str, parts)).encode()).digest()


def _compressed(response: HttpResponseBase) -> CachedResponse | None:
    """The response to cache; None where it is personal, an error or too large."""
    is_personal = bool(response.cookies) or "cookie" in response.get("Vary", "").lower()
    body = None if response.status_code != 200 or is_personal else _body(response)
    if body is None:
        return None
    compressed = gzip.compress(body, compresslevel=6, mtime=0)
    return CachedResponse(compressed, dict(response.items())) if len(compressed) <= MOST_BYTES else None


def _body(response: HttpResponseBase) -> bytes | None:
    """The body; None for a stream that is too long to hold, which can still be sent."""
    if isinstance(response, StreamingHttpResponse):
        return _whole(response)
    if callable(render := getattr(response, "render", None)):  # a response of the API that is not rendered yet
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
