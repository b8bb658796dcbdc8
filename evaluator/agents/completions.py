"""Requests one completion from an OpenAI-compatible endpoint, streamed or not, with retries.

A request that can never succeed raises `RequestRefused`; any other failure is retried while retries and time are left.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic, sleep
from typing import Any

from evaluator.addresses import AllowedEndpoint
from evaluator.agents import reported
from evaluator.agents.connections import InwardAddress
from evaluator.agents.transport import Stop, response_to
from evaluator.codec import plain_text

MAX_ANSWER_BYTES = 16 << 20
PIECE_BYTES = 1 << 16
LONGEST_WAIT_S = 60.0  # where the server gives no Retry-After
RETRY_STATUSES = {408, 409, 425, 429, 500, 502, 503, 504, 529}
QUOTA_ERRORS = ("insufficient_quota", "billing_hard_limit_reached")  # sent as 429, but waiting does not help
MAX_EXCERPT = 500  # characters of a server's error text that are passed on
TIME_OVER = "time ran out before the end of the completion"

Message = Mapping[str, str]


class RequestRefused(Exception):
    """The server rejects this request for good."""


class EndpointUnavailable(Exception):
    """Every retry failed, or no time is left for another."""


class CompletionCutOff(EndpointUnavailable):
    """Time ran out in the middle of a completion."""


class RequestStopped(Exception):
    """Another thread ended the request, or said that no more are to be made."""


class _Retryable(Exception):
    """A failure that may pass: after `wait_s` seconds, where the server gave a time."""

    def __init__(self, text: str, wait_s: float | None = None) -> None:
        super().__init__(text)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Endpoint:
    base_url: str  # up to and with /v1
    model: str
    key: str = field(default="", repr=False)
    stream: bool = True
    retries: int = 6
    options: Mapping[str, float] = field(default_factory=dict)  # temperature, max_tokens …
    allowed: AllowedEndpoint | None = None  # None: any address may be connected to


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    finish: str  # stop, length, …
    model: str | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None


def complete(
    endpoint: Endpoint,
    messages: Sequence[Message],
    deadline: float,
    on_failure: Callable[[str], object],
    stop: Stop | None = None,
) -> Completion:
    """The model's completion; `on_failure` is called with a sentence for each failed try.

    `deadline` is on the clock of `time.monotonic`.

    Raises:
        RequestRefused: the server rejects the request for good.
        EndpointUnavailable: every try failed, or no time is left.
        RequestStopped: `stop` was set before there was a completion.
    """
    for tried in range(endpoint.retries + 1):
        if stop is not None and stop.is_set:
            raise RequestStopped
        try:
            return _ask(endpoint, messages, deadline, stop)
        except _Retryable as error:
            if stop is not None and stop.is_set:
                raise RequestStopped from None
            wait_s = min(LONGEST_WAIT_S, 2.0**tried) if error.wait_s is None else error.wait_s
            reported = _excerpt(endpoint, str(error))
            on_failure(f"{reported}; try {tried + 1} of {endpoint.retries + 1}")
            if tried == endpoint.retries:
                raise EndpointUnavailable(f"{endpoint.retries + 1} tries, the last: {reported}") from None
            if monotonic() + wait_s >= deadline:
                raise EndpointUnavailable(f"no time is left to wait {wait_s:.0f} s after: {reported}") from None
            (stop.wait if stop else sleep)(wait_s)
    raise AssertionError("the last try returns or raises")


def _ask(endpoint: Endpoint, messages: Sequence[Message], deadline: float, stop: Stop | None) -> Completion:
    """One request; a response that cannot be read is the endpoint's failure, never an exception of ours."""
    if monotonic() >= deadline:
        raise EndpointUnavailable("no time is left")
    try:
        with response_to(_request(endpoint, messages), deadline, endpoint.allowed, stop) as response:
            if not 200 <= response.status < 300:
                raise _status_error(endpoint, response)
            streamed = response.headers.get_content_type() == "text/event-stream"
            pieces = _pieces(response, deadline)
            return _from_events(_events(_lines(pieces))) if streamed else _from_body(b"".join(pieces))
    except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
        if monotonic() >= deadline:
            raise CompletionCutOff(TIME_OVER) from error
        if isinstance(getattr(error, "reason", error), InwardAddress):
            raise RequestRefused(_excerpt(endpoint, str(error))) from error
        raise _Retryable(f"no response: {type(error).__name__}: {_excerpt(endpoint, str(error))}") from error


def _request(endpoint: Endpoint, messages: Sequence[Message]) -> urllib.request.Request:
    body: dict[str, Any] = {"model": endpoint.model, "messages": list(messages), **dict(endpoint.options)}
    if endpoint.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    url = f"{endpoint.base_url.rstrip('/')}/chat/completions"
    return urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")


def _pieces(response: http.client.HTTPResponse, deadline: float) -> Iterator[bytes]:
    """The response's bytes as they arrive, up to the size limit or the deadline."""
    total = 0
    while piece := response.read1(PIECE_BYTES):
        total += len(piece)
        if total > MAX_ANSWER_BYTES:
            raise _Retryable(f"a response of more than {MAX_ANSWER_BYTES} bytes")
        if monotonic() >= deadline:
            break
        yield piece
    if monotonic() >= deadline:
        raise CompletionCutOff(TIME_OVER)


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = bytearray()
    for piece in pieces:
        *lines, last = piece.split(b"\n")
        for line in lines:
            yield bytes(rest + line)
            rest.clear()
        rest += last
    yield bytes(rest)


def _events(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """Server-sent events: the JSON of each `data:`, up to [DONE]."""
    for line in lines:
        field, _, value = line.decode("utf-8", "replace").strip().partition(":")
        if field != "data":
            continue
        if value.strip() == "[DONE]":
            return
        yield _mapping(value)


def _from_events(events: Iterator[dict[str, Any]]) -> Completion:
    pieces, finish, usage, model = list[str](), None, None, None
    for event in events:
        if event.get("error"):
            raise _Retryable(f"an error in the middle of the stream: {event['error']}")
        usage, model = event.get("usage") or usage, event.get("model") or model
        for choice in _first(event):
            delta = choice.get("delta")
            pieces.append(_text(delta.get("content")) if isinstance(delta, dict) else "")
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise _Retryable(f"the stream was cut off after {sum(map(len, pieces))} characters")
    return _completion("".join(pieces), finish, usage, model)


def _from_body(body: bytes) -> Completion:
    raw = _mapping(body)
    choices = list(_first(raw))
    if not choices or not isinstance(choices[0].get("message"), dict):
        raise _Retryable(f"a response without a choice: {body.decode(errors='replace')!r}")
    text = _text(choices[0]["message"].get("content"))
    return _completion(text, choices[0].get("finish_reason") or "stop", raw.get("usage"), raw.get("model"))


def _completion(text: str, finish: object, usage: object, model: object) -> Completion:
    used = usage if isinstance(usage, dict) else {}
    details = used.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    asked = reported.count(used.get("prompt_tokens"))
    return Completion(
        text=text,
        finish=str(finish),
        model=reported.name(model),
        input_tokens=asked,
        cached_input_tokens=reported.part(reported.count(cached), asked),
        output_tokens=reported.count(used.get("completion_tokens")),
    )


def _status_error(endpoint: Endpoint, response: http.client.HTTPResponse) -> Exception:
    try:
        body = response.read(MAX_EXCERPT * 4).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException, ValueError):
        body = ""
    text = f"HTTP {response.status}: {_excerpt(endpoint, body) or _excerpt(endpoint, response.reason)}"
    if response.status not in RETRY_STATUSES or any(word in body for word in QUOTA_ERRORS):
        return RequestRefused(text)
    return _Retryable(text, _retry_after_s(response.headers.get("Retry-After")))


def _retry_after_s(value: str | None) -> float | None:
    """The wait in seconds that a Retry-After header asks for, as seconds or as a date; None if it is malformed."""
    if value is None:
        return None
    seconds = value.strip()
    if seconds.isascii() and seconds.isdigit():
        return float(seconds)
    try:
        at = email.utils.parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _mapping(text: str | bytes) -> dict[str, Any]:
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _Retryable(f"a response that is not JSON: {error}") from None
    if not isinstance(raw, dict):
        raise _Retryable("a response that is not a JSON object")
    return raw


def _first(raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    choices = raw.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        yield choices[0]


def _text(content: object) -> str:
    """The text of a message's content, which is plain text or a list of parts."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _excerpt(endpoint: Endpoint, text: str) -> str:
    """The start of a server's text, without control characters and without the key, which a server may repeat."""
    return plain_text((text.replace(endpoint.key, "***") if endpoint.key else text)[:MAX_EXCERPT].strip())
