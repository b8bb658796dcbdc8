"""An endpoint may respond in one piece or in many, late, wrongly or not at all."""

from __future__ import annotations

import json
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic, sleep

import pytest

from evaluator.agents import completions
from evaluator.agents.completions import Endpoint, EndpointUnavailable, RequestRefused, complete
from tests.agents.chat_server import dripping, end, error, hang_up, pieces, raw, serving, short, stream, whole

KEY = "sk-very-secret"
GOOD = whole("fine", usage={"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}})


@pytest.fixture
def waits(monkeypatch):
    waited = list[float]()
    monkeypatch.setattr(completions, "sleep", waited.append)
    return waited


def ask(server, *, seconds=300.0, notes=None, **fields):
    endpoint = Endpoint(server.base_url, "m-1", **{"key": KEY, "retries": 2, **fields})
    messages = [{"role": "user", "content": "hello"}]
    return complete(endpoint, messages, monotonic() + seconds, notes.append if notes is not None else lambda text: None)


def test_a_whole_answer_is_read_with_what_it_used():
    with serving(GOOD) as server:
        answer = ask(server, stream=False, options={"temperature": 0.2})
    assert (answer.text, answer.finish, answer.model) == ("fine", "stop", "m-1")
    assert (answer.input_tokens, answer.cached_input_tokens, answer.output_tokens) == (10, 4, 2)
    [(body, headers)] = server.requests
    assert body == {"model": "m-1", "messages": [{"role": "user", "content": "hello"}], "temperature": 0.2}
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_a_streamed_answer_is_put_together():
    with serving(stream(*pieces("größer als"), *end(prompt_tokens=5, completion_tokens=3))) as server:
        answer = ask(server)
    assert (answer.text, answer.finish, answer.output_tokens) == ("größer als", "stop", 3)
    assert server.requests[0][0]["stream_options"] == {"include_usage": True}


def test_a_server_that_does_not_stream_is_understood():
    with serving(GOOD) as server:
        assert ask(server, stream=True).text == "fine"


def test_a_text_in_parts_is_one_text():
    body = b'{"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]}}]}'
    with serving(raw(body)) as server:
        assert ask(server).text == "ab"


@pytest.mark.parametrize(
    "trouble",
    [
        error(500),
        error(503),
        error(429),
        error(408),
        hang_up,
        short,
        stream(*pieces("half of")),
        stream(*pieces("half of"), {"error": {"message": "overloaded"}}),
        stream("{not json"),
        raw(b"<html>gateway</html>", "text/html"),
        raw(b"[]"),
        raw(b'{"choices": []}'),
        raw(b'{"choices": [{"message": "text"}]}'),
        raw(b"\xff\xfe"),
    ],
)
def test_what_may_work_later_is_tried_again(trouble, waits):
    notes = []
    with serving(trouble, GOOD) as server:
        assert ask(server, notes=notes).text == "fine"
    assert waits == [1.0]
    assert len(notes) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 302, 307])
def test_what_will_never_work_is_not_tried_again(status, waits):
    with (
        serving(error(status, "bad", Location="http://127.0.0.1:1/")) as server,
        pytest.raises(RequestRefused, match=f"HTTP {status}"),
    ):
        ask(server)
    assert len(server.requests) == 1


def test_an_empty_account_is_not_asked_again(waits):
    with serving(error(429, "insufficient_quota")) as server, pytest.raises(RequestRefused):
        ask(server)


@pytest.mark.parametrize("value", ["²", "soon", "-3", "Mon, 01 Jan 2024 00:00:00 +99999999999999", ""])
def test_a_wait_that_is_none_is_not_believed(waits, value):
    with serving(error(429, Retry_After=value), GOOD) as server:
        ask(server)
    assert waits == [1.0]


def test_a_place_elsewhere_that_is_none_is_not_looked_at(waits):
    with serving(error(302, Location="http://[")) as server, pytest.raises(RequestRefused, match="HTTP 302"):
        ask(server)


@pytest.mark.parametrize("value", [10**30, -1, True, 1.5, "9", None, [], 2**53 + 1])
def test_impossible_counts_count_as_not_reported(value):
    usage = {"prompt_tokens": value, "completion_tokens": value, "prompt_tokens_details": {"cached_tokens": value}}
    with serving(whole("fine", usage=usage)) as server:
        answer = ask(server)
    assert (answer.input_tokens, answer.cached_input_tokens, answer.output_tokens) == (None, None, None)


def test_no_more_tokens_are_cached_than_were_asked():
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 11}}
    with serving(whole("fine", usage=usage)) as server:
        answer = ask(server)
    assert (answer.input_tokens, answer.cached_input_tokens) == (10, 10)


@pytest.mark.parametrize(("model", "shown"), [("\ud800m\0", "\\ud800m\\x00"), ("m" * 500, "m" * 200), (3, None)])
def test_a_models_name_is_plain_text_or_not_reported(model, shown):
    body = {"model": model, "choices": [{"message": {"content": "fine"}}]}
    with serving(raw(json.dumps(body).encode())) as server:
        assert ask(server).model == shown


def test_a_server_says_how_long_to_wait(waits):
    with serving(error(429, Retry_After="7"), GOOD) as server:
        ask(server)
    assert waits == [7.0]


def test_a_date_to_wait_for_is_understood(waits):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=200), usegmt=True)
    with serving(error(503, Retry_After=date), error(503, Retry_After="soon"), GOOD) as server:
        ask(server)
    assert 100 < waits[0] <= 200
    assert waits[1] == 2.0


def test_a_wait_beyond_the_deadline_is_not_begun(waits):
    with (
        serving(error(429, Retry_After="3600")) as server,
        pytest.raises(EndpointUnavailable, match="no time is left to wait"),
    ):
        ask(server)
    assert waits == []


def test_tries_come_to_an_end(waits):
    with serving(*[error(500)] * 3) as server, pytest.raises(EndpointUnavailable, match="3 tries"):
        ask(server)
    assert waits == [1.0, 2.0]


def test_nobody_listens(waits):
    with serving() as server:
        pass
    with pytest.raises(EndpointUnavailable, match="no response"):
        ask(server)


def test_a_key_that_the_server_repeats_is_not_passed_on():
    with serving(error(401, f"Incorrect API key: {KEY}")) as server, pytest.raises(RequestRefused) as caught:
        ask(server)
    assert KEY not in str(caught.value)
    assert "***" in str(caught.value)


def test_a_key_in_the_middle_of_a_stream_is_not_passed_on_either(waits):
    notes = []
    with serving(stream({"error": {"message": f"bad key {KEY}"}}), GOOD) as server:
        ask(server, notes=notes)
    assert KEY not in notes[0]
    assert "bad key ***" in notes[0]


@pytest.mark.parametrize("before", range(440, 500, 7))
def test_a_key_at_the_edge_of_what_is_passed_on_is_not_cut_into_view(waits, before):
    notes = []
    answers = stream({"error": "x" * before + KEY}), raw(f'{{"a": "{"x" * (before - 300)}{KEY}"}}'.encode()), GOOD
    with serving(*answers) as server:
        ask(server, notes=notes)
    assert len(notes) == 2
    assert "sk-" not in "".join(notes)


def test_the_words_of_a_server_can_be_stored(waits):
    with serving(raw("\0\x1b[31mno\u202e".encode(), status=403)) as server, pytest.raises(RequestRefused) as caught:
        ask(server)
    assert str(caught.value) == "HTTP 403: \\x00\\x1b[31mno\\u202e"
    with serving(*[stream({"error": "\ud800\0"})] * 3) as server, pytest.raises(EndpointUnavailable) as late:
        ask(server)
    assert str(late.value).endswith("in the middle of the stream: \\ud800\\x00")


def test_a_key_is_in_no_traceback_that_shows_values():
    assert KEY not in repr(Endpoint("http://127.0.0.1:1/v1", "m-1", KEY))


def test_a_key_in_a_reason_without_a_body_is_not_passed_on():
    def reply(handler):
        handler.send_response(401, KEY)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with serving(reply) as server, pytest.raises(RequestRefused, match=r"HTTP 401: \*\*\*"):
        ask(server)


def test_an_endless_answer_is_cut(monkeypatch, waits):
    monkeypatch.setattr(completions, "MAX_ANSWER_BYTES", 1000)
    with (
        serving(*[stream(*pieces("x" * 5000), *end())] * 3) as server,
        pytest.raises(EndpointUnavailable, match="more than 1000 bytes"),
    ):
        ask(server)


def test_a_deadline_that_is_over_asks_nothing():
    with serving(GOOD) as server, pytest.raises(EndpointUnavailable, match="no time is left"):
        ask(server, seconds=-1)
    assert server.requests == []


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: "


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX-Long: ",
        HEAD + b"application/json\r\n\r\n",
        HEAD + b"application/json\r\nContent-Length: 9999\r\n\r\n",
        HEAD + b"text/event-stream\r\n\r\ndata: ",
        HEAD + b"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n",
        b"HTTP/1.1 500 Oh\r\nContent-Length: 9999\r\n\r\n",
    ],
)
def test_a_server_that_drips_has_no_longer_than_one_that_is_silent(said):
    begin = monotonic()
    with serving(dripping(said)) as server, pytest.raises(EndpointUnavailable, match="time"):
        ask(server, seconds=0.5)
    assert 0.4 < monotonic() - begin < 3


def test_a_server_that_is_found_late_is_not_listened_to(monkeypatch):
    look_up = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **fields: sleep(0.8) or look_up(*words, **fields))
    begin = monotonic()
    with serving(dripping(b"")) as server, pytest.raises(EndpointUnavailable, match="time ran out"):
        ask(server, seconds=0.5)
    assert monotonic() - begin < 3


def test_a_silent_end_of_a_drip_is_over_at_the_deadline_as_well():
    """The time that one read may take begins anew with each drop."""

    def reply(handler):
        handler.wfile.write(HEAD + b"text/event-stream\r\n\r\n")
        sleep(1.6)
        handler.wfile.write(b": still here\n")
        sleep(5)

    begin = monotonic()
    with serving(reply) as server, pytest.raises(EndpointUnavailable, match="time ran out"):
        ask(server, seconds=2)
    assert monotonic() - begin < 3.3


def test_lines_are_whole_however_they_come():
    def reply(handler):
        handler.wfile.write(HEAD + b"text/event-stream\r\nConnection: close\r\n\r\n")
        for piece in ("data: " + json.dumps(event) + "\n" for event in [*pieces("fine"), end()[0]]):
            for half in (piece[:20], piece[20:]):
                handler.wfile.write(half.encode())
                sleep(0.01)
        handler.close_connection = True

    with serving(reply) as server:
        assert ask(server).text == "fine"
