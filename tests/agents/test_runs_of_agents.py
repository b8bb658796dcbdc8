"""Agents on a suite: sessions are stored beside the records, reused when the run continues, and part of the zip."""

from __future__ import annotations

import json
import zipfile
from time import monotonic

import pytest

from evaluator.agents.catalog import read_agent
from evaluator.agents.codex import launcher as codex
from evaluator.agents.interface import SessionContext
from evaluator.bundles.checking import check
from evaluator.cli.runfolder import run_suite
from evaluator.errors import UsageError
from evaluator.records.reasons import Status
from evaluator.records.sessions import read_session
from evaluator.tasks.suites import load_suite
from evaluator.workbench import Workbench, session_candidate
from tests.agents.conftest import coded
from tests.evaluator.test_runfolder import CountingEvaluator


@pytest.fixture
def replayed(tmp_path):
    """The agent replay, with a prediction for every task of the smoke suite."""
    source = tmp_path / "predictions.jsonl"
    lines = [{"task": task.id, "files": dict.fromkeys(task.editable, "x\n")} for task in load_suite("smoke").tasks]
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return read_agent("replay", {"source": str(source)})


def test_each_task_has_a_session_in_the_bundle(tmp_path, replayed):
    suite, folder = load_suite("smoke"), tmp_path / "run"
    run_suite(suite, replayed, CountingEvaluator(), folder)
    sessions = [read_session(path.read_bytes()) for path in sorted((folder / "sessions").iterdir())]
    assert sorted(session.task.id for session in sessions) == sorted(task.id for task in suite.tasks)
    with zipfile.ZipFile(tmp_path / "run.zip") as bundle:
        assert {name.split("/")[0] for name in bundle.namelist()} == {
            *("run.json", "records", "candidates", "sessions")
        }
    assert check(tmp_path / "run.zip").problems == ()
    assert json.loads((folder / "run.json").read_text())["settings"]["max_iterations"] == "1"


def test_a_run_that_goes_on_asks_no_agent_twice(tmp_path, replayed):
    suite, folder = load_suite("smoke"), tmp_path / "run"
    run_suite(suite, replayed, CountingEvaluator(), folder)
    (tmp_path / "predictions.jsonl").write_text("")
    again = CountingEvaluator()
    outcomes = run_suite(suite, replayed, again, folder)
    assert again.calls == []
    assert {outcome.record.status for outcome in outcomes} == {Status.PASSED}
    assert all(outcome.as_expected for outcome in outcomes)


def test_another_configuration_is_another_run(tmp_path, replayed):
    suite, folder = load_suite("smoke"), tmp_path / "run"
    run_suite(suite, replayed, CountingEvaluator(), folder)
    other = read_agent("replay", {"source": replayed.settings.text("source"), "timeout_s": 60})
    with pytest.raises(UsageError, match="differs in settings"):
        run_suite(suite, other, CountingEvaluator(), folder)


@pytest.mark.slow
def test_the_tuner_betters_a_tiny_kernel_by_the_compilers_report(tmp_path, tiny_task, evaluator):
    agent = read_agent("block_tuner", {"max_iterations": 3})
    session_candidate(tiny_task("triton2triton"), agent, evaluator, tmp_path / "session.json", tmp_path / "files")
    session = read_session((tmp_path / "session.json").read_bytes())
    assert 1 <= len(session.iterations) <= 3
    assert session.iterations[0].status is Status.PASSED
    assert session.ended == "finished"


@pytest.mark.slow
def test_arena_check_is_the_real_judge(tiny_task, evaluator, play, monkeypatch, request):
    """A right version and a wrong one, written and checked in the sandbox, judged outside."""
    task = tiny_task("triton2triton")
    bench = Workbench(task, evaluator)
    [name] = task.editable
    source = (task.folder / name).read_text()
    script = f"run('arena', 'check'); open({name!r}, 'w').write('def forward(x): return x'); run('arena', 'check')"
    monkeypatch.setenv("PLAY", coded(script))
    where = {"installed_in": str(request.getfixturevalue("installed")), "secrets": ["PLAY"], "network": []}
    settings = read_agent("codex", where).settings
    context = SessionContext(
        task, settings, 0, "gfx942", bench.check, evaluator.backend.access(), monotonic() + 300, "codex"
    )
    work = codex.launch(context)
    assert [one.status is Status.PASSED for one in bench.iterations] == [True, False]
    assert bench.iterations[0].diff == ""
    assert f"-{source.splitlines()[0]}" in bench.iterations[1].diff.splitlines()
    results = [entry.text for entry in work.transcript if entry.kind == "tool_result"]
    assert results[0].startswith("version 1\nstatus: passed\n")
    assert "gfx942" in results[0]
