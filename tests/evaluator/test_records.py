from __future__ import annotations

import dataclasses
import json

import pytest

from evaluator import codec
from evaluator.records.measurements import Clock
from evaluator.records.reasons import REASONS, Flag, Status
from evaluator.records.record import (
    GATE_NAMES,
    PROTOCOL,
    CandidateRef,
    CaseRecord,
    GateOutcome,
    HostInfo,
    Record,
    SandboxRef,
    TaskRef,
    problems_of,
    read_record,
    write_record,
)
from tests.records import make_record


def passed(**changes) -> Record:
    case = CaseRecord(
        id="n=8",
        axes={"n": 8, "dtype": "float32", "biased": True},
        profile="small",
        split="seen",
        correct=True,
        draws=9,
        relative_rmse=1e-8,
        allowed_rmse=1e-6,
        baseline_rmse=1e-8,
        first_call_ms=12.5,
        clocks={"functional": Clock((1.0, 1.1, 1.0), (0.9, 0.9, 0.8))},
        speedup=None,
    )
    record = Record(
        schema=1,
        protocol=PROTOCOL,
        evaluator="0.1.0",
        started_at="2026-11-28T00:00:00+00:00",
        task=TaskRef("triton2triton/arena/tiny", "ab" * 32, "triton2triton"),
        candidate=CandidateRef("cd" * 32, {"tiny.py": "ef" * 32}, "expert"),
        baseline_kind="source",
        host=HostInfo("cpu", "cpu-x86_64", "cpu", {"torch": "2"}),
        sandbox=SandboxRef("bubblewrap", ("own network",)),
        status=Status.PASSED,
        gate=None,
        reason=None,
        message=None,
        flags=(Flag.FUNCTIONAL,),
        findings=(),
        gates=tuple(GateOutcome(name, "passed", 0.1) for name in GATE_NAMES),
        cases=(case,),
        isa=(),
        isa_checked={"gfx942": "compiled"},
        seconds={"total": 1.0},
        log="",
    )
    return dataclasses.replace(record, **changes)


def wrong(**changes) -> Record:
    outcomes = ("passed", "passed", "failed", "not_reached", "not_reached")
    gates = tuple(GateOutcome(name, outcome, 0.0) for name, outcome in zip(GATE_NAMES, outcomes, strict=True))
    values = {
        "status": Status.WRONG_OUTPUT,
        "gate": "correctness",
        "reason": "mismatch",
        "message": "The output is wrong.",
        "gates": gates,
        "cases": (),
        "flags": (),
    }
    return passed(**{**values, **changes})


def test_a_record_survives_the_way_to_disk_and_back(tmp_path):
    write_record(passed(), tmp_path / "a" / "r.json")
    assert read_record((tmp_path / "a" / "r.json").read_bytes()) == passed()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["r.json"]


def test_compiled_and_correct_follow_from_the_gates():
    assert passed().compiled
    assert passed().correct
    assert wrong().compiled
    assert not wrong().correct


def test_what_a_later_gate_turns_away_was_not_correct():
    forged = dataclasses.replace(passed(), status=Status.TAMPERED, gate="integrity", reason="forged_reply")
    assert forged.gate_passed("correctness")
    assert not forged.correct


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (passed(message="but"), "gate, reason and message must be null"),
        (passed(cases=()), "there are no cases"),
        (passed(cases=passed().cases * 2), "listed 2 times"),
        (passed(flags=()), "functional is required with"),
        (passed(gates=()), "gates: expected"),
        (passed(schema=2), "schema: seen 2"),
        (passed(seconds={"total": -1.0}), "a negative duration"),
        (wrong(reason="segfault"), "expected a reason of status wrong_output"),
        (wrong(message=None), "a message is missing"),
        (wrong(gate=None), "the failed gates are"),
        (wrong(cases=passed().cases), "cannot have clocks or a speedup"),
    ],
)
def test_status_decides_which_fields_exist(record, problem):
    assert any(problem in text for text in problems_of(record))


@pytest.mark.parametrize("time_ms", [0.0, -1.0])
def test_a_time_that_is_not_positive_is_refused(time_ms):
    case = dataclasses.replace(passed().cases[0], clocks={"functional": Clock((1.0,), (time_ms,))})
    assert any("not positive" in text for text in problems_of(passed(cases=(case,))))


def test_functional_times_make_no_speedup():
    case = dataclasses.replace(passed().cases[0], speedup=1.4)
    assert any("a clock that is not functional" in text for text in problems_of(passed(cases=(case,))))


def test_an_inconsistent_record_is_never_written(tmp_path):
    with pytest.raises(codec.DecodeError):
        write_record(passed(cases=()), tmp_path / "r.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": NaN}', "null"])
def test_what_is_not_a_record_is_refused(text):
    with pytest.raises(codec.DecodeError):
        read_record(text)


def test_every_missing_unknown_and_ill_typed_field_is_named_at_once():
    raw = json.loads(codec.dumps(passed()))
    del raw["protocol"]
    raw["extra"] = 1
    raw["status"] = "great"
    raw["cases"][0]["draws"] = "9"
    with pytest.raises(codec.DecodeError) as caught:
        read_record(json.dumps(raw))
    text = "\n".join(caught.value.problems)
    for part in ("protocol: missing", "extra: no such field", "status: seen 'great'", "cases.0.draws: seen '9'"):
        assert part in text


@pytest.mark.parametrize("value", [float("inf"), 2**70, "\ud800", "nul \0"])
def test_a_field_of_several_types_holds_each_as_strictly_as_one_of_its_own(value):
    raw = json.loads(codec.dumps(passed()))
    raw["cases"][0]["axes"]["n"] = value
    text = json.dumps(raw).replace("Infinity", "1e999")
    with pytest.raises(codec.DecodeError, match=r"^cases\.0\.axes\.n: seen"):
        read_record(text)


def test_an_unknown_field_is_reported_as_plain_text():
    with pytest.raises(codec.DecodeError, match=r"\\ud800\\x1b\[2J: no such field"):
        read_record(json.dumps({**json.loads(codec.dumps(passed())), "\ud800\x1b[2J": 1}))


def test_infinity_cannot_be_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        codec.dumps({"x": float("inf")})


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\ttab and\na line", "a\ttab and\na line"),
        ("\ud800 nope", "\\ud800 nope"),
        ("nul \0 bell \7 escape \x1b[31m", "nul \\x00 bell \\x07 escape \\x1b[31m"),
        ("windows\r\nline", "windows\nline"),
        ("turned \u202e and \u2066, another\u2028line", "turned \\u202e and \\u2066, another\\u2028line"),
        ("umlaut ä, 漢字, 😀", "umlaut ä, 漢字, 😀"),
    ],
)
def test_text_from_outside_is_spelled_so_that_everything_can_hold_it(text, plain):
    assert codec.plain_text(text) == plain
    assert codec.plain_texts({"a": [text, 1, None]}) == {"a": [plain, 1, None]}
    codec.plain_text(text).encode()


def test_every_reason_has_a_status_that_is_not_a_pass_and_one_sentence():
    for code, (status, sentence) in REASONS.items():
        assert status is not Status.PASSED, code
        assert sentence.endswith("."), code
        assert sentence[0].isupper(), code


def test_what_a_script_timed_does_not_pass_for_our_protocol() -> None:
    flags = (Flag.SCRIPT_TIMED, Flag.FUNCTIONAL)
    assert problems_of(make_record(flags=flags, protocol="aka-scripts-1")) == []
    for own in ("arena-1", PROTOCOL):
        problem = f"protocol: a task's own script timed it, so it cannot be {own}"
        assert problems_of(make_record(flags=flags, protocol=own)) == [problem]


def test_a_record_from_before_a_field_was_added_lacks_it():
    raw = json.loads(codec.dumps(make_record()))
    del raw["order_seed"], raw["cases"][0]["coverage"]
    old = read_record(json.dumps(raw))
    assert (old.order_seed, old.cases[0].coverage) == (None, None)
    del raw["log"]
    with pytest.raises(codec.DecodeError, match="log: missing"):
        read_record(json.dumps(raw))
