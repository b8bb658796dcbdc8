"""Agents are folders, found by their names; a setting is refused unless it exists and has the right kind."""

from __future__ import annotations

import importlib

import pytest

from evaluator.__main__ import BAD_USAGE, main
from evaluator.agents import catalog
from evaluator.errors import TaskError, UsageError
from evaluator.tasks.reader import load_task

TASK = "triton2triton/arena/softmax"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    return tmp_path


def write_agent(folder, text, name="mine"):
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "agent.yaml").write_text(f"about: It is mine.\n{text}")


@pytest.mark.parametrize("name", catalog.agent_names())
def test_every_agents_folder_has_settings_and_a_launcher(name):
    assert catalog.read_agent(name).about.endswith(".")
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
    write_agent(folder, "title: Mine\nkind: model\nown: {model: {kind: text}, depth: 3}\n")
    settings = catalog.read_agent("mine", catalog.parse_settings(["model=m-1", "depth=4", "timeout_s=60"])).settings
    assert (settings.own["model"], settings.own["depth"], settings.timeout_s) == ("m-1", 4, 60)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["wings=2"], "no setting 'wings'; its settings are cheatsheets, contract_shown, depth, max_iterations"),
        (["kind=reference"], "no setting 'kind'"),
        (["depth=deep"], "own.depth: seen 'deep'; expected a whole number from 0 to 1000000000"),
        (["timeout_s=0"], "timeout_s: seen 0"),
        ([f"timeout_s={'9' * 400}"], "timeout_s: seen 9999"),
        (["depth=.inf"], "own.depth: seen inf; expected a whole number"),
        ([f"depth={'9' * 400}"], "own.depth: seen 9999"),
        (["network=everything"], "network: seen 'everything'"),
        (["network=[http://a.b]"], "network.0: seen 'http://a.b'; expected a host's name"),
        (["network=[a..b]"], "network.0: seen 'a..b'; expected a host's name"),
        (["secrets=[A B]"], "secrets.0: seen 'A B'; expected a variable's name"),
        (['secrets=["\\ud800"]'], "expected a variable's name"),
        (["max_iterations=2.5"], "max_iterations: seen 2.5; expected a whole number from 1 to 10000"),
        (["depth=true"], "own.depth: seen True"),
        (["depth=null"], "own.depth: seen None"),
        (["depth=-1"], "own.depth: seen -1"),
        (["depth=1.5"], "own.depth: seen 1.5"),
        (["depth"], "expected NAME=VALUE"),
        (["depth=[1"], "the value is not YAML"),
    ],
)
def test_a_setting_that_is_none_is_refused(folder, words, message):
    write_agent(folder, "title: Mine\nkind: model\nown: {depth: 3}\n")
    with pytest.raises((UsageError, TaskError)) as caught:
        catalog.read_agent("mine", catalog.parse_settings(words))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "title: Mine\n",
        "title: Mine\nkind: robot\n",
        "title: Mine\nkind: model\nwings: 2\n",
        "- a\n",
        "title: Mine\nkind: model\nown: 3\n",
        "title: Mine\nkind: model\nown: {model: null}\n",
        "title: Mine\nkind: model\nown: {model: [a]}\n",
        "title: Mine\nkind: model\nown: {model: {kind: robot}}\n",
        "title: Mine\nkind: model\nown: {model: {kind: text, default: 3}}\n",
        "title: Mine\nkind: model\nown: {model: {kind: text, wings: 2}}\n",
        "title: Mine\nkind: model\nown: {depth: {default: 3, most: 2}}\n",
        "title: Mine\nkind: model\ncategories: [hip2cuda]\n",
    ],
)
def test_a_broken_file_is_refused(folder, text):
    write_agent(folder, text)
    with pytest.raises(TaskError, match=r"mine/agent\.yaml"):
        catalog.read_agent("mine")


ODD = [
    ("base_url", 1, "seen 1; expected text"),
    ("base_url", "file:///etc/passwd", "seen 'file:///etc/passwd'; expected an address like http://127.0.0.1:8080/v1"),
    ("base_url", "http://a..b/v1", "seen 'http://a..b/v1'; expected an address"),
    ("base_url", "http://größe.de/ключ", "expected an address"),
    ("base_url", f"http://{'a' * 64}.de/v1", "expected an address"),
    ("base_url", "http://h/v1?key=sk-123", "seen an address with a user, a query or a fragment"),
    ("base_url", "http://h/v1#sk-123", "seen an address with a user, a query or a fragment"),
    ("base_url", "http://me:sk-123@h/v1", "seen an address with a user, a query or a fragment"),
    ("retries", -1, "seen -1; expected a whole number from 0 to 100"),
    ("retries", 1_000_000, "seen 1000000; expected a whole number"),
    ("retries", None, "seen None; expected a whole number"),
    ("retries", 2.5, "seen 2.5; expected a whole number"),
    ("max_tokens", "x", "seen 'x'; expected a whole number from 1 to"),
    ("max_tokens", -5, "seen -5; expected a whole number"),
    ("temperature", "hot", "seen 'hot'; expected a number from 0 to 2"),
    ("temperature", float("nan"), "seen nan; expected a number"),
    ("input_price", -5, "seen -5; expected a number from 0 to 1000000"),
    ("output_price", -0.1, "seen -0.1; expected a number"),
    ("cached_input_price", float("inf"), "seen inf; expected a number"),
    ("stream", "yes", "seen 'yes'; expected true or false"),
    ("model", "\ud800", "expected a line of at most 1000 characters"),
    ("model", "m\0", "expected a line"),
    ("model", "m" * 1001, "expected a line"),
    ("model", " ", "expected text"),
]


@pytest.mark.parametrize("agent", ["chat_loop", "single_shot"])
@pytest.mark.parametrize(("name", "value", "message"), ODD)
def test_an_odd_setting_is_refused_before_a_session_meets_it(agent, name, value, message):
    with pytest.raises(TaskError) as caught:
        catalog.read_agent(agent, {name: value})
    [problem] = caught.value.problems
    assert f"own.{name}: seen" in problem
    assert message in problem
    assert "sk-123" not in problem


@pytest.mark.parametrize(
    ("agent", "changes"), [("codex", {"effort": "hot"}), ("block_tuner", {"margin": 2}), ("replay", {"source": "a\0"})]
)
def test_odd_settings_of_other_agents_are_refused_as_well(agent, changes):
    with pytest.raises(TaskError, match=f"own.{next(iter(changes))}: seen"):
        catalog.read_agent(agent, changes)


def test_everything_that_is_odd_is_reported_at_once():
    changes = {name: value for name, value, _ in ODD} | {"wings": 2, "timeout_s": 0}
    with pytest.raises(TaskError) as caught:
        catalog.read_agent("chat_loop", changes)
    assert len(caught.value.problems) == len(changes)


def test_what_has_a_default_of_nothing_may_be_set_to_nothing():
    settings = catalog.read_agent("chat_loop", dict.fromkeys(["base_url", "temperature", "input_price"])).settings
    assert settings.own == catalog.read_agent("chat_loop").settings.own


def test_settings_at_the_edge_of_what_is_allowed_are_accepted_unchanged():
    changes = {"retries": 0, "temperature": 2, "max_tokens": 1, "input_price": 0, "output_price": 0.5}
    own = catalog.read_agent("chat_loop", changes).settings.own
    assert {name: own[name] for name in changes} == changes
    assert catalog.read_agent("codex", {"effort": "high"}).settings.own["effort"] == "high"


def test_an_agent_that_works_in_sessions_is_not_asked_without_one():
    with pytest.raises(UsageError, match="works in sessions"):
        catalog.produce("block_tuner", load_task(TASK))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--agent", "gpt"], "no agent is named 'gpt'; the agents are baseline, block_tuner"),
        (["--agent", "replay", "--set", "wings=2"], "replay has no setting 'wings'"),
        (["--agent", "replay", "--set", "max_iterations=many"], "max_iterations: seen 'many'"),
        (["--agent", "chat_loop", "--set", "retries=-1"], "own.retries: seen -1"),
        (["--agent", "chat_loop", "--set", "base_url=http://h/v1?key=sk-1"], "own.base_url: seen an address with"),
    ],
)
def test_a_run_that_makes_no_sense_is_refused_before_any_work(tmp_path, capsys, words, message):
    assert main(["run", "--suite", "smoke", *words, "--out", str(tmp_path / "run")]) == BAD_USAGE
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_of_a_plain_task_the_expert_submits_nothing():
    made = catalog.produce("expert", load_task("triton2triton/arena/fla_l2norm"))
    assert (made.candidate.files, made.candidate.problems) == ({}, (("not_written", "fla_l2norm.py"),))
    assert made.expected == "not_produced"
