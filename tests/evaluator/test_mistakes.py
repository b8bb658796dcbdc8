"""Mistakes on the command line give one sentence with the place, what was seen and expected, and exit code 2."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.cli.freeze import freeze_suite
from evaluator.errors import TaskError
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.spec import tasks_folder
from evaluator.tasks.suites import load_suite, read_manifest

TASK = "triton2triton/arena/softmax"
CHAT = ["run", "--suite", "smoke", "--agent", "chat_loop", "--out", "x"]
BUNDLE = str(Path(__file__).parents[2] / "tasks" / "bundles" / "h200-sxm-smoke-block_tuner.tar.zst")
SUBMIT = ["bundle", "submit", BUNDLE, "--licence", "MIT", "--consent", "--token", "t", "--url"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["workspace", TASK, "--out", "a_file"], "--out a_file cannot be a folder: File exists"),
        (["workspace", TASK, "--out", "a_file/w"], "--out a_file/w cannot be a folder: Not a directory"),
        (["run", "--suite", "smoke", "--agent", "expert", "--out", "a_file"], "--out a_file cannot be a folder"),
        (["demo", "--out", "a_file"], "--out a_file cannot be a folder"),
        (["evaluate", TASK, "--baseline", "--out", "a_file/r"], "--out a_file/r cannot be written: File exists"),
        (["evaluate", TASK, "--baseline", "--out", "x", "--backend", "tpu"], "unknown backend 'tpu'; expected auto,"),
        (CHAT, "chat_loop is not configured: set base_url and model"),
        (
            [*CHAT, "--set", "model=m", "--set", "timeout_s=0"],
            "agent.yaml with model, timeout_s as set: timeout_s: seen",
        ),
        (["doctor", "--suite", "smoke"], "--suite names the suite whose baselines"),
        (["tasks", "--freeze", "../smoke"], "'../smoke' is not a suite name"),
        ([*SUBMIT, "site"], "--url: seen 'site'; expected an address like https://"),
        ([*SUBMIT, "http://127.0.0.1:99999"], "--url: seen 'http://127.0.0.1:99999'; expected an address"),
        ([*SUBMIT, "http://[::1"], "--url: seen 'http://[::1'; expected an address"),
        ([*SUBMIT, "http://a..b"], "--url: seen 'http://a..b'; expected an address"),
        ([*SUBMIT, "https://me:key@arena.example"], "--url: seen an address with a user, a query or a fragment"),
    ],
)
def test_it_is_reported_in_one_sentence(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a_file").touch()
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--suite", "smoke", "--agent", "expert", "--out", "x", "--repeat", "-1"], "whole number from 0"),
        (["run", "--suite", "smoke", "--agent", "expert", "--out", "x", "--sessions", "0"], "whole number from 1"),
        (["doctor", "--health", "--sessions", "1"], "seen '1'; expected a whole number from 2"),
        (["unseen", TASK, "--secret", ""], "argument --secret: seen nothing; expected text"),
        (["bundle", "submit", BUNDLE, "--url", "http://a", "--licence", ""], "argument --licence: seen nothing"),
    ],
)
def test_an_option_names_what_it_takes(arguments, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [b"a: [", b"\xff\xfe\xfd", b"a: 2026-13-01", b"[" * 5000, b"a: *b"],
    ids=["cut", "bytes", "date", "deep", "alias"],
)
def test_what_is_not_yaml_is_reported_on_one_line_with_its_file(text):
    with pytest.raises(TaskError, match=r"^suites/mine\.yaml: not YAML: .") as caught:
        Fields.read(text, Problems("suites/mine.yaml"))
    assert len(caught.value.problems) == len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: [", "suites/mine.yaml: not YAML"),
        ("", "suites/mine.yaml: (top): seen None; expected a mapping"),
        ("tasks: {a: b}", "suites/mine.yaml: version: seen nothing; expected a number from 1"),
        ("version: 1\ntasks: {}", "suites/mine.yaml: tasks: seen {}; expected at least one task"),
    ],
)
def test_a_suite_with_a_broken_manifest_is_neither_read_nor_frozen(text, said, tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "mine.yaml").write_text(text)
    for read in (read_manifest, freeze_suite):
        with pytest.raises(TaskError) as caught:
            read("mine")
        assert said in str(caught.value)
    assert (tmp_path / "suites" / "mine.yaml").read_text() == text


def test_freezing_says_which_version_of_how_many_tasks_it_wrote(tmp_path, monkeypatch):
    shutil.copytree(tasks_folder() / TASK, tmp_path / TASK)
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    monkeypatch.setattr("evaluator.cli.freeze.prove", lambda tasks: None)
    assert freeze_suite("mine").endswith("mine.yaml: mine@1, 1 task, 0 of them plain")
    assert freeze_suite("mine").endswith("mine@1, 1 task, 0 of them plain")
    (tmp_path / "suites" / "mine.yaml").write_text(f"version: 1\ntitle: All of mine\ntasks:\n  {TASK}:\n")
    assert freeze_suite("mine").endswith("mine@2, 1 task, 0 of them plain")
    assert load_suite("mine").title == "All of mine"


def test_a_key_that_no_request_can_carry_is_not_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_CHAT_KEY", "sk-1234\nX")
    assert main([*CHAT, "--set", "model=m", "--set", "base_url=http://127.0.0.1:1/v1"]) == 2
    told = capsys.readouterr().err
    assert "ARENA_CHAT_KEY" in told
    assert "sk-" not in told
    assert not Path("x").exists()
