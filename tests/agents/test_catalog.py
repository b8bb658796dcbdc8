"""Agents are folders, found by their names; a setting is refused unless it exists and keeps its kind."""

from __future__ import annotations

import importlib

import pytest

from evaluator.__main__ import BAD_USAGE, main
from evaluator.agents import catalog
from evaluator.errors import TaskError, UsageError
from evaluator.taskreader import load_task

TASK = "triton2triton/arena/softmax"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    return tmp_path


def write_agent(folder, text, name="mine"):
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "agent.yaml").write_text(text)


@pytest.mark.parametrize("name", catalog.agent_names())
def test_every_agents_folder_has_settings_and_a_launcher(name):
    assert catalog.read_agent(name).title
    assert callable(importlib.import_module(f"evaluator.agents.{name}.launcher").launch)


def test_a_folder_with_a_yaml_is_an_agent_and_needs_no_other_edit(folder):
    write_agent(folder, "title: Mine\nkind: program\nown: {depth: 3}\n")
    assert catalog.agent_names() == ("mine",)
    assert catalog.read_agent("mine").settings.own == {"depth": 3}


def test_the_settings_of_the_paper_are_the_default(folder):
    write_agent(folder, "title: Mine\nkind: model\n")
    settings = catalog.read_agent("mine").settings
    assert (settings.timeout_s, settings.max_iterations, settings.network) == (3600, 3, ())


def test_a_run_may_set_what_the_file_names(folder):
    write_agent(folder, "title: Mine\nkind: model\nown: {model: null, depth: 3}\n")
    settings = catalog.read_agent("mine", catalog.settings_of(["model=m-1", "depth=4", "timeout_s=60"])).settings
    assert (settings.own["model"], settings.own["depth"], settings.timeout_s) == ("m-1", 4, 60)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["wings=2"], "no setting 'wings'; there are cheatsheets, contract_shown, depth, max_iterations"),
        (["kind=reference"], "no setting 'kind'"),
        (["depth=deep"], "seen 'deep'; expected a value like 3"),
        (["timeout_s=0"], "timeout_s: seen 0"),
        ([f"timeout_s={'9' * 400}"], "timeout_s: seen 9999"),
        (["depth=.inf"], "own.depth: seen inf; expected text, a number"),
        ([f"depth={'9' * 400}"], "own.depth: seen 9999"),
        (["network=everything"], "network: seen 'everything'"),
        (["depth"], "NAME=VALUE is expected"),
        (["depth=[1"], "not a value that YAML knows"),
    ],
)
def test_a_setting_that_is_none_is_refused(folder, words, message):
    write_agent(folder, "title: Mine\nkind: model\nown: {depth: 3}\n")
    with pytest.raises((UsageError, TaskError)) as caught:
        catalog.read_agent("mine", catalog.settings_of(words))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text", ["title: Mine\n", "title: Mine\nkind: robot\n", "title: Mine\nkind: model\nwings: 2\n", "- a\n"]
)
def test_a_broken_file_is_refused(folder, text):
    write_agent(folder, text)
    with pytest.raises(TaskError, match=r"mine/agent\.yaml"):
        catalog.read_agent("mine")


def test_an_agent_that_works_in_sessions_is_not_asked_without_one():
    with pytest.raises(UsageError, match="works in sessions"):
        catalog.produce("block_tuner", load_task(TASK))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--agent", "gpt"], "no agent is named 'gpt'; there are baseline, block_tuner"),
        (["--agent", "replay", "--set", "wings=2"], "replay has no setting 'wings'"),
        (["--agent", "replay", "--set", "max_iterations=many"], "max_iterations: seen 'many'"),
    ],
)
def test_a_run_that_makes_no_sense_is_refused_before_any_work(tmp_path, capsys, words, message):
    assert main(["run", "--suite", "smoke", *words, "--out", str(tmp_path / "run")]) == BAD_USAGE
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
