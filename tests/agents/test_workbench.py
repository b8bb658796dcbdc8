"""A session's record: distinct versions with outcome and diff, reused only for the same task and settings."""

from __future__ import annotations

import dataclasses
import json
from statistics import geometric_mean

import pytest

from evaluator import codec, workbench
from evaluator.agents import catalog, scoring
from evaluator.agents.catalog import read_agent
from evaluator.agents.interface import SessionContext, SessionOutcome
from evaluator.records.reasons import Status
from evaluator.records.record import TaskRef
from evaluator.records.sessions import TranscriptEntry, Usage, problems_of, read_session, shortened
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.reader import load_task
from tests.agent_sessions import make_session
from tests.evaluator.test_records import passed, wrong
from tests.evaluator.test_runfolder import CountingEvaluator, errored
from tests.records import make_gpu_record

TASK = "triton2triton/arena/softmax"
FILE = "softmax.py"


class Evaluator(CountingEvaluator):
    """Gives each version what a test says, by its text."""

    def __init__(self, verdicts=None):
        super().__init__()
        self.verdicts = verdicts or {}

    def evaluate(self, task, candidate, *, quick):
        self.calls.append((candidate.digest, quick))
        made = self.verdicts.get(candidate.files.get(FILE), passed())
        return dataclasses.replace(made, candidate=candidate.ref())


def version(text):
    return Candidate({FILE: text}, "mine")


def test_each_distinct_version_is_an_iteration_and_judged_once():
    evaluator = Evaluator({b"b\n": wrong()})
    bench = workbench.Workbench(load_task(TASK), evaluator)
    answers = [bench.check(version(text)).record.status for text in (b"a\n", b"b\n", b"a\n")]
    assert answers == [Status.PASSED, Status.WRONG_OUTPUT, Status.PASSED]
    assert [one.number for one in bench.iterations] == [1, 2]
    assert len(evaluator.calls) == 2


def test_a_diff_is_against_the_version_before():
    bench = workbench.Workbench(load_task(TASK), Evaluator())
    for text in (b"a\nsame\n", b"b\nsame\n"):
        bench.check(version(text))
    first, second = (one.diff for one in bench.iterations)
    assert "-def forward(x: torch.Tensor) -> torch.Tensor:" in first
    assert second.splitlines()[:2] == ["--- a/softmax.py", "+++ b/softmax.py"]
    assert {"-a", "+b", " same"} <= set(second.splitlines())


def test_a_version_that_met_a_fault_of_ours_is_judged_again():
    evaluator = Evaluator({b"a\n": errored()})
    bench = workbench.Workbench(load_task(TASK), evaluator)
    bench.check(version(b"a\n"))
    bench.check(version(b"a\n"))
    assert len(evaluator.calls) == 2


def test_the_report_holds_status_and_cases_but_no_reason_of_a_hold():
    record = passed()
    text = scoring.feedback_text(record)
    assert text.startswith("status: passed\ncase ")
    for finding in record.findings:
        assert finding.text not in text


def test_one_right_draw_of_a_wrong_case_is_one_draw():
    record = passed()
    one = dataclasses.replace(record, cases=(dataclasses.replace(record.cases[0], correct=False, draws=1),))
    assert "not correct, or not reached (1 draw was correct)" in scoring.feedback_text(one)


def test_what_is_too_short_to_be_timed_makes_no_speedup():
    """On an H200 an unchanged GELU was told 0.75: its tiny cases take less than can be measured, "at least" 0.59."""
    record = make_gpu_record()
    counted = {"n=524288,rounds=1": 21.2 / 3, "n=8388608,rounds=1": 21.2 / 20.9}
    counted |= {"n=4194304,rounds=1024": 152.2 / 101.3, "n=4194304,rounds=8192": 1164.3 / 1170.1}
    assert scoring.speedup_of(record) == pytest.approx(geometric_mean(counted.values()))
    lines = dict(line.removeprefix("case ").split(": ", 1) for line in scoring.feedback_text(record).splitlines())
    assert lines["n=1000,rounds=3"].endswith("too short for a speedup to count")
    assert lines["n=524288,rounds=1"].endswith("speedup at least 7.067")
    assert lines["n=4194304,rounds=1024"].endswith("speedup 1.502")
    short = dataclasses.replace(record, cases=record.cases[:1])
    assert scoring.speedup_of(short) is None
    assert scoring.speedup_of(dataclasses.replace(record, cases=(*record.cases, passed().cases[0]))) is None


@pytest.fixture
def launched(monkeypatch):
    """Puts a launcher that checks once in the place of block_tuner's; returns the sessions it was asked for."""
    contexts = list[SessionContext]()

    def launch(context):
        contexts.append(context)
        checked = context.check(version(b"a\n"))
        entry = TranscriptEntry("check", checked.text)
        return SessionOutcome(version(b"a\n"), "finished", prompt="Do it.", transcript=(entry,), usage=Usage(turns=1))

    monkeypatch.setattr(catalog, "load_launcher", lambda name: launch)
    return contexts


def work(tmp_path, **changes):
    agent = read_agent("block_tuner", changes)
    paths = tmp_path / "session.json", tmp_path / "files"
    return workbench.session_candidate(load_task(TASK), agent, Evaluator(), *paths)


def test_a_session_is_written_and_reused(tmp_path, launched):
    first = work(tmp_path)
    session = read_session((tmp_path / "session.json").read_bytes())
    assert (session.agent, session.ended, session.prompt) == ("block_tuner", "finished", "Do it.")
    assert [one.status for one in session.iterations] == [Status.PASSED]
    assert work(tmp_path).candidate.digest == first.candidate.digest
    assert len(launched) == 1


def test_a_session_can_be_read_again_whatever_its_launcher_says_of_its_end(tmp_path, monkeypatch):
    ended = SessionOutcome(version(b"a\n"), "failed", "\ud800 and \0")
    monkeypatch.setattr(catalog, "load_launcher", lambda name: lambda context: ended)
    work(tmp_path)
    assert read_session((tmp_path / "session.json").read_bytes()).message == "\\ud800 and \\x00"


def test_a_candidate_is_the_agents_whatever_its_launcher_made_it_from(tmp_path, launched):
    assert work(tmp_path).candidate.label == "block_tuner"
    assert read_session((tmp_path / "session.json").read_bytes()).candidate.label == "block_tuner"


def test_a_session_of_other_settings_or_with_other_files_is_done_again(tmp_path, launched):
    work(tmp_path)
    work(tmp_path, timeout_s=60)
    assert len(launched) == 2
    (tmp_path / "files" / FILE).write_bytes(b"other\n")
    work(tmp_path, timeout_s=60)
    assert len(launched) == 3


def test_a_damaged_session_is_done_again(tmp_path, launched):
    work(tmp_path)
    (tmp_path / "session.json").write_text("{")
    work(tmp_path)
    assert len(launched) == 2


def used(**values):
    return {**json.loads(codec.dumps(Usage())), **values}


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("schema", 2, "schema: seen 2"),
        ("ended", "timed_out", "a message is missing"),
        ("problems", [["not_written"]], "pairs of a reason code"),
        ("usage", used(output_tokens=-1), "usage.output_tokens: seen -1; expected 0 to 1000000000000"),
        ("usage", used(input_tokens=2**63 - 1), "usage.input_tokens: seen 9223372036854775807; expected 0 to"),
        ("usage", used(turns=2**31), "usage.turns: seen 2147483648; expected 0 to 2147483647"),
        ("usage", used(tool_calls=2**31), "usage.tool_calls: seen 2147483648"),
        ("usage", used(cost_usd=1e300), "usage.cost_usd: seen 1e\\+300"),
        ("seconds", -1.0, "seconds: expected 0 to 1000000"),
        ("seconds", 1e300, "seconds: expected 0 to 1000000"),
        ("started_at", "yesterday", "started_at: seen 'yesterday'; expected a timestamp"),
        ("started_at", "9999-12-31T23:59:59+00:00", "started_at: seen"),
        ("usage", used(cost_usd=-0.5), r"usage\.cost_usd: seen -0\.5"),
    ],
)
def test_a_session_that_breaks_its_rules_is_refused(tmp_path, launched, field, value, problem):
    work(tmp_path)
    raw = json.loads((tmp_path / "session.json").read_text())
    with pytest.raises(codec.DecodeError, match=problem):
        read_session(json.dumps({**raw, field: value}))


def test_an_impossible_count_counts_as_not_reported(tmp_path, monkeypatch):
    """An agent's own program may say anything of itself."""
    usage = Usage(turns=2**31, input_tokens=10**12 + 1, output_tokens=10**12, cost_usd=float("nan"), tool_calls=3)
    monkeypatch.setattr(
        catalog,
        "load_launcher",
        lambda name: lambda context: SessionOutcome(version(b"a\n"), "finished", usage=usage),
    )
    work(tmp_path)
    session = read_session((tmp_path / "session.json").read_bytes())
    assert session.usage == Usage(output_tokens=10**12, tool_calls=3)


def test_a_long_text_keeps_begin_and_end():
    text = shortened("a" * 300 + "b" * 300, 130)
    assert len(text) <= 130
    assert text.startswith("a" * 50 + "\n")
    assert text.endswith("\n" + "b" * 50)
    assert "500 characters left out" in text


def test_parents_are_kept_and_a_diff_is_against_the_first_of_them():
    bench = workbench.Workbench(load_task(TASK), Evaluator())
    for text, parents in ((b"a\n", ()), (b"b\n", ()), (b"c\n", (1, 2))):
        bench.check(version(text), parents)
    assert [one.parents for one in bench.iterations] == [(), (), (1, 2)]
    assert "+b" in bench.iterations[1].diff.splitlines()
    assert "-a" not in bench.iterations[1].diff.splitlines()
    assert bench.iterations[2].diff.splitlines()[3:] == ["-a", "+c"]


def test_a_record_from_before_there_were_parents_is_read_and_a_later_parent_is_refused():
    session = make_session(TaskRef(TASK, "a" * 64, "triton2triton"), version(b"x\n"))
    old = json.loads(codec.dumps(session))
    for one in (*old["iterations"], *old["transcript"]):
        one.pop("parents", None)
        one.pop("conversation", None)
    assert read_session(json.dumps(old)) == session
    forged = dataclasses.replace(session.iterations[0], parents=(1,))
    broken = dataclasses.replace(session, iterations=(forged, *session.iterations[1:]))
    assert "iterations: a parent that is no earlier version" in problems_of(broken)
