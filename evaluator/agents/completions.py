"""Asks an endpoint of the OpenAI form for one completion, streamed or not, and tries again where that makes sense.

What will never work is `Refused`; what may work later is tried again, as long as the server or the deadline allow.
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

from evaluator.agents import reported
from evaluator.agents.transport import answered
from evaluator.codec import plain_text

MAX_ANSWER_BYTES = 16 << 20
PIECE_BYTES = 1 << 16
LONGEST_WAIT_S = 60.0  # of our own choice; a server's Retry-After may be longer
AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
NO_MONEY = ("insufficient_quota", "billing_hard_limit_reached")  # comes as 429, and no wait helps
MAX_WORDS = 500  # characters of a server's words that are passed on
TIME_OVER = "the time was over before the end of an answer"

Message = Mapping[str, str]


class RequestRefused(Exception):
    """The server will not answer this, whenever it is asked."""


class OutOfReach(Exception):
    """It was tried again as often as allowed, or no time is left."""


class _Again(Exception):
    """It may work later: after `wait_s`, where the server says so."""

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
    note: Callable[[str], object],
) -> Completion:
    """The answer, or the reason why there is none; `note` hears of each failure. `deadline`: of `monotonic`.

    Raises:
        Refused: no later try will do. OutOfReach: no try did.
    """
    for tried in range(endpoint.retries + 1):
        try:
            return _ask(endpoint, messages, deadline)
        except _Again as error:
            wait_s = min(LONGEST_WAIT_S, 2.0**tried) if error.wait_s is None else error.wait_s
            reported = _words(endpoint, str(error))
            note(f"{reported}; try {tried + 1} of {endpoint.retries + 1}")
            if tried == endpoint.retries:
                raise OutOfReach(f"{endpoint.retries + 1} tries, the last: {reported}") from None
            if monotonic() + wait_s >= deadline:
                raise OutOfReach(f"no time is left to wait {wait_s:.0f} s after: {reported}") from None
            sleep(wait_s)
    raise AssertionError("the last try returns or raises")


def _ask(endpoint: Endpoint, messages: Sequence[Message], deadline: float) -> Completion:
    """Whatever cannot be read is a malformed answer, and none of ours."""
    if monotonic() >= deadline:
        raise OutOfReach("no time is left")
    try:
        with answered(_request(endpoint, messages), deadline) as response:
            if not 200 <= response.status < 300:
                raise _of_status(endpoint, response)
            streamed = response.headers.get_content_type() == "text/event-stream"
            pieces = _pieces(response, deadline)
            return _of_events(_events(_lines(pieces))) if streamed else _of_body(b"".join(pieces))
    except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
        if monotonic() >= deadline:
            raise OutOfReach(TIME_OVER) from error
        raise _Again(f"no answer: {type(error).__name__}: {_words(endpoint, str(error))}") from error


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
    """As they come, up to the end, the size or the time, whichever is first."""
    total = 0
    while piece := response.read1(PIECE_BYTES):
        total += len(piece)
        if total > MAX_ANSWER_BYTES:
            raise _Again(f"an answer of more than {MAX_ANSWER_BYTES} bytes")
        if monotonic() >= deadline:
            break
        yield piece
    if monotonic() >= deadline:
        raise OutOfReach(TIME_OVER)


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


def _of_events(events: Iterator[dict[str, Any]]) -> Completion:
    pieces, finish, usage, model = list[str](), None, None, None
    for event in events:
        if event.get("error"):
            raise _Again(f"an error in the middle of an answer: {event['error']}")
        usage, model = event.get("usage") or usage, event.get("model") or model
        for choice in _first(event):
            delta = choice.get("delta")
            pieces.append(_text(delta.get("content")) if isinstance(delta, dict) else "")
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise _Again(f"the stream was cut after {sum(map(len, pieces))} characters")
    return _answer("".join(pieces), finish, usage, model)


def _of_body(body: bytes) -> Completion:
    raw = _mapping(body)
    choices = list(_first(raw))
    if not choices or not isinstance(choices[0].get("message"), dict):
        raise _Again(f"an answer without a choice: {body.decode(errors='replace')!r}")
    text = _text(choices[0]["message"].get("content"))
    return _answer(text, choices[0].get("finish_reason") or "stop", raw.get("usage"), raw.get("model"))


def _answer(text: str, finish: object, usage: object, model: object) -> Completion:
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


def _of_status(endpoint: Endpoint, response: http.client.HTTPResponse) -> Exception:
    try:
        body = response.read(MAX_WORDS * 4).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException, ValueError):
        body = ""
    text = f"HTTP {response.status}: {_words(endpoint, body) or _words(endpoint, response.reason)}"
    if response.status not in AGAIN or any(word in body for word in NO_MONEY):
        return RequestRefused(text)
    return _Again(text, _retry_after_s(response.headers.get("Retry-After")))


def _retry_after_s(value: str | None) -> float | None:
    """Seconds, or a date; nothing else."""
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
        raise _Again(f"an answer that is not JSON: {error}") from None
    if not isinstance(raw, dict):
        raise _Again("an answer that is no JSON object")
    return raw


def _first(raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    choices = raw.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        yield choices[0]


def _text(content: object) -> str:
    """Plain, or a list of parts of which some are text."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _words(endpoint: Endpoint, text: str) -> str:
    """Plain, for whatever keeps them. A server may repeat the key that it was given."""
    return plain_text((text.replace(endpoint.key, "***") if endpoint.key else text)[:MAX_WORDS].strip())
