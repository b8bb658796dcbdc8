"""A cache of compressed responses, each valid for as long as nothing public changes.

The key is the address, with no more of the query than the view reads, so a made-up parameter costs nobody anything;
under a made-up host nothing is kept. The revision is stored beside the response. After a change the first request makes
it anew; meanwhile others get the kept one, so that a change costs no queue. Pages do not depend on users; a response
that would be personal is never cached.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from threading import Lock
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import caches
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers

from leaderboard.http.rate_limits import pay_for_making

CACHE = "responses"  # a cache of its own, as whoever asks for much must not evict what else is cached
LIFETIME_S = 600  # so that nothing stale stays if a process dies between a change and its count
LIVE_LIFETIME_S = 10  # of what is made again every second anyway
MOST_BYTES = 512 << 10  # of one response, compressed; a board of 8 entries over 400 tasks takes 50 kB, its JSON 464 kB
MOST_STREAMED_BYTES = 1 << 20  # of one stream, before it is compressed
_making = tuple(Lock() for _ in range(1024))  # one request makes a response, others wait for it or get the kept one


class Moment(NamedTuple):
    """When a request came: the counter of changes, or the second where the counter does not count all of them."""

    revision: str
    second: int


@dataclass(frozen=True, slots=True)
class CachedResponse:
    made_for: Moment  # the moment at which it was up to date
    etag: str | None  # None: it changes without a new revision
    compressed: bytes
    headers: dict[str, str]

    def is_current(self, moment: Moment) -> bool:
        return self.made_for.revision == moment.revision and self.made_for.second >= moment.second

    def response(self, request: HttpRequest) -> HttpResponseBase:
        """Nothing but the headers where the client has it."""
        if self.etag and (unchanged := get_conditional_response(request, etag=self.etag)):
            return unchanged
        headers = dict(self.headers)
        if accepts := "gzip" in request.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
        response = HttpResponse(self.compressed if accepts else gzip.decompress(self.compressed), headers=headers)
        patch_vary_headers(response, ("Accept-Encoding",))
        return response


def cached_response(
    request: HttpRequest,
    query: Mapping[str, str],
    moment: Moment,
    etag_of: Callable[[], str | None],
    make: Callable[[], HttpResponseBase],
) -> HttpResponseBase:
    """The response at this moment, from the cache or made now; while another request makes it, the last one.

    Within a transaction nothing is cached, as what was read may never be committed, nor under a host that is not ours.

    Raises:
        TooManyRequests: it has to be made, and the client has no points left for that.
    """

    def pay_and_make() -> HttpResponseBase:
        pay_for_making(request)
        return make()

    if connection.in_atomic_block:
        return _made(request, etag_of(), make)
    if not _is_ours(request.get_host()):
        return _made(request, etag_of(), pay_and_make)
    key = _key(request, query)
    found = _found(key)
    if found and found.is_current(moment):
        return found.response(request)
    with _turn(key, waits=found is None) as is_ours:
        if found and not is_ours:
            return found.response(request)
        found = _found(key)  # by now, another request may have made it
        if found and found.is_current(moment):
            return found.response(request)
        etag = etag_of()
        if found and etag and etag == found.etag:
            return _keep(key, replace(found, made_for=moment)).response(request)
        response = _made(request, etag, pay_and_make)
        cached = _compressed(response, moment, etag)
        return _keep(key, cached).response(request) if cached else response


@contextmanager
def _turn(key: bytes, *, waits: bool) -> Iterator[bool]:
    """Whether this request makes the response: one at a time does. With `waits` it is always this one, in its turn."""
    lock = _making[int.from_bytes(key[:2]) % len(_making)]
    is_ours = lock.acquire(blocking=waits)
    try:
        yield is_ours
    finally:
        if is_ours:
            lock.release()


def _made(request: HttpRequest, etag: str | None, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """A new response with its ETag; nothing is made where the client has it."""
    if etag and (unchanged := get_conditional_response(request, etag=etag)):
        return unchanged
    response = make()
    if etag and response.status_code == 200:
        response["ETag"] = etag
    return response


def _found(key: bytes) -> CachedResponse | None:
    found = caches[CACHE].get(key.hex())
    assert found is None or isinstance(found, CachedResponse)
    return found


def _keep(key: bytes, response: CachedResponse) -> CachedResponse:
    caches[CACHE].set(key.hex(), response, LIFETIME_S if response.etag else LIVE_LIFETIME_S)
    return response


def _is_ours(host: str) -> bool:
    """Whether SITE_URL or ALLOWED_HOSTS name the site so: any port or letter case that is sent would be a new key."""
    names = [name.lower() for name in settings.ALLOWED_HOSTS]
    return host in (urlsplit(settings.SITE_URL).netloc, *names, *(f"{name}:{settings.PORT}" for name in names))


def _key(request: HttpRequest, query: Mapping[str, str]) -> bytes:
    """A digest of everything that a response may depend on, but for the revision."""
    known = [text for pair in sorted(query.items()) for text in pair]
    parts = (str(request.scheme), request.get_host(), request.path, *known)
    return hashlib.sha256("\0".join(parts).encode()).digest()


def _compressed(response: HttpResponseBase, moment: Moment, etag: str | None) -> CachedResponse | None:
    """The response to cache; None where it is personal, an error or too large."""
    is_personal = bool(response.cookies) or "cookie" in response.get("Vary", "").lower()
    body = None if response.status_code != 200 or is_personal else _body(response)
    if body is None:
        return None
    compressed = gzip.compress(body, compresslevel=6, mtime=0)
    if len(compressed) > MOST_BYTES:
        return None
    return CachedResponse(moment, etag, compressed, dict(response.items()))


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
