"""Our own bundles: what the evaluator writes is accepted, and all parts must agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from evaluator import codec
from evaluator.bundles.archives.packing import slug, zip_folder
from evaluator.bundles.checking import check, check_files
from evaluator.bundles.native.contents import bundle_of, own_files
from evaluator.bundles.native.rules import out_of_bounds
from evaluator.bundles.problems import BundleError
from evaluator.bundles.reading import Reading
from evaluator.bundles.report import text_of
from evaluator.records.calibration import Acceptance
from evaluator.records.reasons import Status
from evaluator.records.record import PROTOCOL
from evaluator.tasks.candidate import Candidate
from tests.agent_sessions import make_session
from tests.bundles.made import read_bundle
from tests.records import CALIBRATION, make_gpu_record, make_record

GELU, SILU = "hip2hip/arena/GELU", "hip2hip/arena/SiLU"


def files(**manifest: Any) -> dict[str, bytes]:
    candidate = Candidate({"gelu.hip": b"// x\n"}, "rewrite")
    passed = replace(make_record(), candidate=candidate.ref())
    failed = replace(make_record(reason="mismatch"), candidate=candidate.ref())
    failed = replace(failed, task=replace(failed.task, id=SILU))
    values = {
        "suite": "smoke@1",
        "suite_digest": "1" * 64,
        "agent": "rewrite",
        "protocol": PROTOCOL,
        "device_class": "cpu-x86_64",
        "repeat": 0,
        "round": None,
        "tasks": {GELU: passed.task.digest, SILU: failed.task.digest},
    }
    found = {"run.json": codec.dumps(values | manifest).encode()}
    for record in (passed, failed):
        name = slug(record.task.id)
        found[f"records/{name}.json"] = codec.dumps(record).encode()
        found[f"candidates/{name}/gelu.hip"] = b"// x\n"
    return found


def test_a_run_folder_becomes_claims() -> None:
    checked = check_files(files())
    assert checked.problems == ()
    assert checked.bundle is not None
    assert [(claim.task, claim.status) for claim in checked.bundle.claims] == [
        (GELU, Status.PASSED),
        (SILU, Status.WRONG_OUTPUT),
    ]
    assert checked.bundle.suite_tasks == (GELU, SILU)
    assert checked.bundle.claims[0].cases[0].baseline_ms == 2.1
    assert checked.bundle.claims[0].files == {"gelu.hip": b"// x\n"}


def test_a_bundle_without_a_round_is_reported_to_hold_seen_cases_only() -> None:
    assert "cases     seen only\n" in text_of("run.zip", check_files(files()))


def with_sessions(**changes: Any) -> dict[str, bytes]:
    """`changes` are of the session of GELU."""
    found = files(settings={"max_iterations": "3"})
    candidate = Candidate({"gelu.hip": b"// x\n"}, "rewrite")
    for task, more in ((GELU, changes), (SILU, {})):
        ref = replace(make_record().task, id=task)
        about = {"agent": "rewrite", "settings": {"max_iterations": "3"}}
        session = replace(make_session(ref, candidate), **about | more)
        found[f"sessions/{slug(task)}.json"] = codec.dumps(session).encode()
    return found


def test_sessions_come_with_their_tasks() -> None:
    bundle = bundle_of(Reading(with_sessions()))
    assert bundle.problems == ()
    assert [len(entry.session.iterations) for entry in bundle.entries if entry.session] == [2, 2]


def test_a_session_of_something_else_is_refused_with_everything_that_differs() -> None:
    other = Candidate({"gelu.hip": b"// y\n"}, "rewrite")
    found = with_sessions(candidate=other.ref(), repeat=2, agent="codex", settings={}, device_class="h100-sxm")
    seen = {problem.place.rpartition(": ")[2] for problem in bundle_of(Reading(found)).problems}
    assert seen == {"candidate", "repeat", "agent", "settings", "device class"}


def test_a_session_that_ends_in_the_future_is_refused() -> None:
    found = with_sessions(started_at=in_an_hour(-1), seconds=7200.0)
    (problem,) = bundle_of(Reading(found)).problems
    assert problem.place == f"sessions/{slug(GELU)}.json: started_at"


def test_faults_of_the_manifest_are_reported_in_words() -> None:
    found = with_sessions()
    manifest = json.loads(found["run.json"])
    del manifest["protocol"]
    found["run.json"] = json.dumps(manifest | {"repeat": "0"}).encode()
    with pytest.raises(BundleError) as refused:
        bundle_of(Reading(found))
    said = {problem.place: (problem.seen, problem.expected) for problem in refused.value.problems}
    assert said["run.json: protocol"] == ("nothing", "text")
    assert said["run.json: repeat"] == ("'0'", "a whole number")


def test_sessions_are_there_for_every_task_and_whole() -> None:
    found = with_sessions()
    del found[f"sessions/{slug(SILU)}.json"]
    found[f"sessions/{slug(GELU)}.json"] = b'{"schema": 1}'
    places = {problem.place.partition(":")[0] for problem in check_files(found).problems}
    assert places == {f"sessions/{slug(GELU)}.json", f"sessions/{slug(SILU)}.json"}


def test_a_session_of_no_task_is_a_stranger() -> None:
    found = with_sessions() | {"sessions/x.json": b"{}"}
    assert [problem.place for problem in check_files(found).problems] == ["sessions/x.json"]


def with_calibration(**changes: Any) -> dict[str, bytes]:
    found = replace(CALIBRATION, device_class="cpu-x86_64", **changes)
    return files() | {"calibrations/GPU-1.json": codec.dumps(found).encode()}


def test_a_calibration_comes_with_the_run() -> None:
    bundle = bundle_of(Reading(with_calibration()))
    assert (bundle.problems, [one.device for one in bundle.calibrations]) == ((), ["GPU-1"])
    assert bundle_of(Reading(files())).calibrations == ()


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"made_at": "yesterday"}, "made_at"),
        ({"made_at": "2099-01-01T00:00:00+00:00"}, "made_at"),
        ({"e0_ns": 0.0}, "e0_ns"),
        ({"floors": {"5-10us": -0.1}}, "floors"),
        ({"floors": {"an hour": 0.1}}, "floors"),
        ({"acceptance": Acceptance(True, 0.02, 0.0, 20, 3)}, "acceptance"),
        ({"acceptance": Acceptance(False, 0.001, 0.0, 20, 3)}, "acceptance"),
        ({"acceptance": Acceptance(True, 0.001, 0.0, 1, 3)}, "acceptance"),
    ],
)
def test_a_calibration_that_nothing_measured_is_refused(changes: dict[str, Any], place: str) -> None:
    problems = bundle_of(Reading(with_calibration(**changes))).problems
    assert [problem.place for problem in problems] == [f"calibrations/GPU-1.json: {place}"]


@pytest.mark.parametrize("data", [b"{", b"[]", b"{}", b'{"e0_ns": NaN}'])
def test_what_is_no_calibration_is_refused(data: bytes) -> None:
    problems = check_files(files() | {"calibrations/x.json": data}).problems
    assert problems
    assert {problem.place.partition(":")[0] for problem in problems} == {"calibrations/x.json"}


def test_a_folder_around_it_changes_nothing() -> None:
    plain = bundle_of(Reading(own_files(files())))
    around = {f"run1/{name}": data for name, data in files().items()}
    assert bundle_of(Reading(own_files(around))) == plain
    assert check_files(around).problems == ()


def test_folder_zip_and_offline_check_agree(tmp_path: Path) -> None:
    for name, data in files().items():
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_bytes(data)
    path = zip_folder(tmp_path / "run")
    assert read_bundle(path) == read_bundle(tmp_path / "run")
    submission = check(path).bundle
    assert submission is not None
    assert submission.digest == read_bundle(path).digest


def test_every_problem_of_every_part_comes_at_once() -> None:
    found = files(protocol="arena-9")
    found[f"candidates/{slug(GELU)}/gelu.hip"] = b"// another\n"
    found["records/stranger.json"] = b"{}"
    found[f"records/{slug(SILU)}.json"] = b'{"schema": 1}'
    places = [str(problem) for problem in check_files(found).problems]
    for text in (
        "expected 'arena-9'",
        "the files that were evaluated",
        "stranger.json",
        f"{slug(SILU)}.json: task: seen missing",
    ):
        assert any(text in place for place in places), text


def test_an_unfinished_run_says_how_it_goes_on() -> None:
    found = files()
    del found[f"records/{slug(SILU)}.json"]
    (problem, *_) = check_files(found).problems
    assert (problem.seen, "continues" in problem.hint) == ("nothing", True)


@pytest.mark.parametrize("manifest", [b"", b"[]", b"{}", b'{"tasks": {"a": 1}}', b'{"repeat": "0"}', b"[" * 100_000])
def test_a_run_json_that_says_nothing_is_refused(manifest: bytes) -> None:
    with pytest.raises(BundleError, match=r"run\.json"):
        bundle_of(Reading({"run.json": manifest}))


def test_a_record_with_a_key_twice_is_refused() -> None:
    found = files()
    name = f"records/{slug(GELU)}.json"
    found[name] = found[name].replace(b'"schema": 1', b'"schema": 1, "schema": 1')
    assert any("the key 'schema' twice" in str(problem) for problem in check_files(found).problems)


def in_an_hour(hours: int = 1) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


def changed_record(change: Callable[[dict[str, Any]], object]) -> list[str]:
    """The problems of a bundle whose first record was changed."""
    found = files()
    name = f"records/{slug(GELU)}.json"
    value = json.loads(found[name])
    change(value)
    found[name] = json.dumps(value).encode()
    return [str(problem) for problem in check_files(found).problems]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda record: record.update(started_at="2026-13-01"), "a timestamp with its time zone"),
        (lambda record: record.update(started_at="2026-11-01T12:00:00"), "a timestamp with its time zone"),
        (
            lambda record: record.update(started_at="2099-01-01T00:00:00+00:00"),
            "expected an end that is not in the future",
        ),
        (lambda record: record.update(started_at=in_an_hour()), "started_at: seen"),
        (
            lambda record: record.update(started_at=in_an_hour(-2), seconds={"total": 86_400.0}),
            "and 86400 seconds from then",
        ),
        (lambda record: record.update(evaluator="9" * 31), "at most 30 characters"),
        (lambda record: record.update(seconds={"total": 1e308}), "seconds"),
        (lambda record: record.update(log="a\0b"), "text without NUL"),
        (lambda record: record.update(log="\ud800"), "text without NUL and surrogates"),
        (lambda record: record["host"].update(facts={"\ud800": "x"}), "names without NUL and surrogates"),
        (lambda record: record["cases"][0].update(id=record["cases"][1]["id"]), "listed 2 times"),
        (lambda record: record["cases"][0].update(id="n" * 201), "a name of at most 200"),
        (lambda record: record["cases"][0].update(draws=2**31), "draws"),
        (lambda record: record["cases"][0].update(draws=2**70), "a whole number of 64 bits"),
        (lambda record: record["cases"][0].update(allowed_rmse=10**400), "a finite number"),
        (lambda record: record["cases"][0]["clocks"]["functional"].update(baseline_ms=[1e300]), "at most 1e+09 ms"),
    ],
)
def test_what_no_row_or_page_could_hold_is_a_problem(change: Callable[[dict[str, Any]], object], text: str) -> None:
    assert any(text in problem for problem in changed_record(change)), changed_record(change)


@pytest.mark.parametrize(
    "values",
    [
        *({"log_ratio": 1e300}, {"low": 3.0}, {"high": -0.1}, {"variance": -1.0}, {"df": 0.0}),
        {"log_ratio": -60.0, "low": None},
    ],
)
def test_a_ratio_that_is_none_is_a_problem(values: dict[str, Any]) -> None:
    record = make_gpu_record()
    case = record.cases[1]
    assert case.ratio is not None
    good, bad = replace(record, cases=(case,)), replace(case, ratio=replace(case.ratio, **values))
    assert list(out_of_bounds("records/x.json", good)) == []
    assert [problem.seen for problem in out_of_bounds("records/x.json", replace(record, cases=(bad,)))] == ["a ratio"]


@pytest.mark.parametrize("values", [{"device_class": "../x"}, {"repeat": -1}, {"protocol": "9" * 31}])
def test_a_run_json_that_no_row_could_hold_is_refused(values: dict[str, Any]) -> None:
    assert any("run.json" in problem.place for problem in check_files(files(**values)).problems)
