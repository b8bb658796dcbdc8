"""JSON, JSON lines and YAML from outside: seven plain types within limits."""

from __future__ import annotations

import math
import time

import pytest
import yaml

from evaluator.bundles.parsers import ParseError, parse_json, parse_lines, parse_yaml


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("a: 1\nb: -2.5\nc: 1.0e-05", {"a": 1, "b": -2.5, "c": 1e-05}),
        ("a: null\nb: ~\nc:", {"a": None, "b": None, "c": None}),
        ("a: true\nb: 'true'\nc: yes", {"a": True, "b": "true", "c": "yes"}),
        ("- [1, x]\n- {a: {b: []}}", [[1, "x"], {"a": {"b": []}}]),
        ("a: 2026-01-01\nb: 1:30\nc: 0x10\nd: 1_000", {"a": "2026-01-01", "b": "1:30", "c": "0x10", "d": "1_000"}),
        ("1: a\ntrue: b", {"1": "a", "True": "b"}),
        ("a: " + "1" * 41, {"a": "1" * 41}),
    ],
)
def test_yaml_becomes_plain_values(text: str, expected: object) -> None:
    assert parse_yaml(text.encode()) == expected


def test_what_python_writes_as_yaml_is_read_back() -> None:
    value = {
        "task_name": "a/b",
        "ok": True,
        "none": None,
        "ratio": 2.3333333333333335,
        "cases": [{"M": 1, "shape": [1, 2]}],
    }
    assert parse_yaml(yaml.safe_dump(value).encode()) == value


def test_no_numbers_come_back_as_such_floats() -> None:
    found = parse_yaml(b"a: .nan\nb: .inf\nc: -.inf")
    assert math.isnan(found["a"])
    assert (found["b"], found["c"]) == (math.inf, -math.inf)
    assert math.isnan(parse_json(b"[NaN]")[0])
    assert parse_json(b"1" * 5000) == math.inf


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"a: &x 1", "anchor"),
        (b"a: &x [1]\nb: *x", "anchor"),
        (b"a: 1\na: 2", "twice"),
        (b"a: 1\n--- \nb: 2", "second document"),
        (b"a: !!binary aGk=", "tag"),
        (b"? [a]\n: 1", "a key that is not text"),
        (b"[" * 41 + b"]" * 41, "deeper"),
        (b"- " * 41 + b"x", "deeper"),
        (b"a: [", "not YAML"),
        (b"\xff", "UTF-8"),
        (b"a: \x00", "not YAML"),
        (b"- 1\n" * 200_001, "more than 200000"),
        (b"a" * (2 << 20) + b"b", "more than 2 MiB"),
    ],
)
def test_yaml_that_is_more_than_data_is_refused(text: bytes, problem: str) -> None:
    with pytest.raises(ParseError, match=problem):
        parse_yaml(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b'{"a": 1, "a": 1}', "'a' twice"),
        (b'[{"b": {"a": 1, "a": 1}}]', "'a' twice"),
        (b"[" * 42 + b"]" * 42, "deeper"),
        (b"[" * 100_000, "deeper"),
        (b"{", "not JSON"),
        (b"", "not JSON"),
        (b"\xff", "UTF-8"),
        (b"[" + b"1," * 2_000_001 + b"1]", "more than 2000000"),
    ],
)
def test_json_that_is_more_than_data_is_refused(text: bytes, problem: str) -> None:
    with pytest.raises(ParseError, match=problem):
        parse_json(text)


def test_a_mark_of_the_byte_order_is_passed_over() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
    assert parse_yaml(b"\xef\xbb\xbfa: 1") == {"a": 1}


def test_half_a_million_keys_with_a_duplicate_take_no_quadratic_time() -> None:
    data = b"{" + b",".join(b'"%d":1' % index for index in range(300_000)) + b',"299999":1}'
    begun = time.process_time()
    with pytest.raises(ParseError, match="'299999' twice"):
        parse_json(data)
    assert time.process_time() - begun < 60, "0.3 s, and hours if each key were looked for among all"


def test_a_bad_line_does_not_hide_the_next_one() -> None:
    found = list(parse_lines(b'{"a": 1}\n\n{"a"\n{"a": 2}'))
    assert [number for number, _ in found] == [1, 3, 4]
    assert isinstance(found[1][1], ParseError)
    assert found[2][1] == {"a": 2}
