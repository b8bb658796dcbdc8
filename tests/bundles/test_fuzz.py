"""Random bytes, values and damaged bundles on every parser give a value or a refusal, never an exception.

ARENA_FUZZ_EXAMPLES=50000 tries longer by hand; the settings below keep each test within about two seconds.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evaluator.bundles.archives.archive import read_members
from evaluator.bundles.archives.limits import ReadLimits
from evaluator.bundles.checking import check_files
from evaluator.bundles.parsers import DIGITS, ParseError, parse_json, parse_lines, parse_yaml
from evaluator.bundles.problems import BundleError
from evaluator.bundles.report import json_of, text_of
from evaluator.secrets import mask_json, mask_message
from tests.bundles import made
from tests.bundles.test_native import files as native_files

EXAMPLES = int(os.environ.get("ARENA_FUZZ_EXAMPLES", "120"))
LIMITS = ReadLimits(total_bytes=1 << 20, member_bytes=1 << 18, ratio_from_bytes=1 << 16, members=50)
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=EXAMPLES == 120,
    suppress_health_check=list(HealthCheck),
)
YAML_PIECES = [
    "- ",
    "a: ",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "!!x ",
    "'",
    '"',
    "|\n",
    "? ",
    ": ",
    "---\n",
    ".nan",
    "1e9",
    "\n ",
    "#",
    "\t",
    "\0",
    "é",
]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(
        [-1.0, "N/A", "inf", "nan", 10**400, "(0 / 0)", made.GELU, made.RELU, made.MATMUL, "PASSED", "../x", "\x1b"]
    )
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
)
BUNDLES: tuple[Callable[[], made.Files], ...] = (
    native_files,
    made.aka,
    made.kbx,
    lambda: (
        made.kb_run({"1": [made.kb_result(ref_runtime=4.0)]}, level=3)
        | {"b.json": made.kb()["baseline_time_torch.json"]}
    ),
    lambda: made.kb_ranked(made.kb_ranked_row(level=1, problem_id=0, kernel_eval_time=2.0)),
    made.fib,
    lambda: made.held_out(made.held_out_row(True, False, "opt_regression"), quadrant_counts={"both_pass": 1}),
    lambda: {"corpus.jsonl": made.lines(made.corpus_line({"speedup": 1.0}, {"speedup": 2.0}))},
    lambda: (
        made.aka() | {"reports/task_type_breakdown.json": b'{"overall": {"total_tasks": 1, "average_speedup": 3.0}}'}
    ),
)


def ends_well(files: made.Files) -> None:
    """A value that can be told as text and as JSON, or problems, each with its place."""
    checked = check_files(files)
    assert checked.bundle is not None or checked.problems
    assert all(problem.place and problem.expected for problem in checked.problems)
    json.loads(json_of(checked))
    assert text_of("x", checked).isprintable() or "\n" in text_of("x", checked)


@fuzz
@given(st.lists(st.sampled_from(YAML_PIECES) | st.text(max_size=4), max_size=30).map("".join))
def test_yaml(text: str) -> None:
    for parse in (parse_yaml, parse_json, lambda data: list(parse_lines(data))):
        with contextlib.suppress(ParseError):
            parse(text.encode("utf-8", "surrogatepass"))


@fuzz
@given(st.binary(max_size=300))
def test_bytes(data: bytes) -> None:
    for name in ("task_result.yaml", "metrics.json", "traces.jsonl", "overall_summary.csv", "run.json"):
        ends_well({name: data})


@fuzz
@given(VALUES)
def test_values_come_back_as_they_were(value: Any) -> None:
    data = made.yaml_of(value)
    try:
        again = parse_json(data)
    except ParseError:
        return
    plain = json.loads(data, parse_int=lambda text: int(text) if len(text) <= DIGITS else float(text))
    assert json.dumps(again, sort_keys=True) == json.dumps(plain, sort_keys=True)


@fuzz
@given(st.text(max_size=300))
@example('{"a": "/home/x/y"}')
@example('["\\u002fhome\\u002fx"]')
@example('{"a": "/home/x/y", "b": [NaN, -Infinity, 1e999]}')
@example('{"a": "/home/x/y", "b": "\\ud800"}')
def test_masking_of_json(text: str) -> None:
    """Still the same JSON, or the same bytes where it is none."""
    data = text.encode("utf-8", "surrogatepass")
    found, codes = mask_json(data)
    assert (found == data) == (not codes)
    with contextlib.suppress(ValueError):
        json.loads(data)
        json.loads(found)


@fuzz
@given(st.data())
def test_a_bundle_with_one_value_changed(data: st.DataObject) -> None:
    files = dict(data.draw(st.sampled_from(BUNDLES))())
    name = data.draw(st.sampled_from(sorted(name for name in files if name.endswith(("json", "jsonl", "yaml")))))
    rows = (
        [json.loads(line) for line in files[name].splitlines()] if name.endswith("jsonl") else [parse_yaml(files[name])]
    )
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.integers(0, len(rows) - 1))
        rows[row] = _changed(rows[row], data)
    files[name] = made.lines(*rows) if name.endswith("jsonl") else made.yaml_of(rows[0])
    ends_well(files)


def _changed(value: Any, data: st.DataObject) -> Any:
    """Somewhere inside another value stands, or none."""
    if not value or not isinstance(value, dict | list) or data.draw(st.integers(0, 3)) == 0:
        return data.draw(VALUES)
    key = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
    copy = value.copy()
    if data.draw(st.integers(0, 4)) == 0:
        del copy[key]
    else:
        copy[key] = _changed(value[key], data)
    return copy


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(BUNDLES)))
def test_a_bundle_with_each_value_replaced_in_turn(number: int) -> None:
    files = BUNDLES[number]()
    for name in sorted(name for name in files if name.endswith(("json", "jsonl", "yaml"))):
        is_lines = name.endswith("jsonl")
        value = [json.loads(line) for line in files[name].splitlines()] if is_lines else parse_yaml(files[name])
        for place in _places(value):
            for other in ([], {"a": 1}, 10**400):
                changed = _put(value, place, other)
                data = made.lines(*changed) if is_lines and isinstance(changed, list) else made.yaml_of(changed)
                ends_well(files | {name: data})


def _places(value: Any) -> Iterator[tuple[Any, ...]]:
    yield ()
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from ((key, *place) for place in _places(item))


def _put(value: Any, place: tuple[Any, ...], other: Any) -> Any:
    if not place:
        return other
    copy = value.copy()
    copy[place[0]] = _put(value[place[0]], place[1:], other)
    return copy


@fuzz
@given(st.data())
def test_damaged_archives(data: st.DataObject) -> None:
    archive = bytearray(data.draw(st.sampled_from(ARCHIVES)))
    for _ in range(data.draw(st.integers(1, 6))):
        position = data.draw(st.integers(0, len(archive) - 1))
        archive[position] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(archive)) | st.just(len(archive)))
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(bytes(archive[:cut]))
        with contextlib.suppress(BundleError):
            members = read_members(Path(file.name), LIMITS)
            assert all(not name.startswith("/") and ".." not in name.split("/") for name in members)


def _archives() -> tuple[bytes, ...]:
    found = []
    for mode in ("w", "w:gz"):
        target = io.BytesIO()
        with tarfile.open(fileobj=target, mode=mode) as tar:
            for name in ("run.json", "records/" + "long" * 40 + ".json"):
                info = tarfile.TarInfo(name)
                info.size = 700
                tar.addfile(info, io.BytesIO(b"x" * 700))
        found.append(target.getvalue())
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("run.json", "records/a.json"):
            file.writestr(name, b"x" * 700)
    return (*found, target.getvalue())


ARCHIVES = _archives()


@fuzz
@given(st.text(max_size=300))
def test_masking(text: str) -> None:
    found, _ = mask_message(text)
    assert "\x1b" not in found
    assert mask_message(found)[0] == found
