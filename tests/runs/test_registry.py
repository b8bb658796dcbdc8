"""The registry file: every problem at once, all or nothing, and the same file twice is the same rows."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps

from evaluator.tasks.spec import TaskSpec
from runs import agents
from runs.errors import RegistryError
from runs.loading import registry
from runs.models import Agent, Configuration, DeviceClass, Host, ModelVersion, Suite
from runs.services import catalog
from tests import factories
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db

GOOD = """
agents:
  claude-code: {name: Claude Code, url: https://example.com/}
models:
  opus: {name: Opus 4.6, identifier: claude-opus-4-6, vendor: Anthropic}
configurations:
  claude-code-opus:
    agent: claude-code
    model: opus
    settings: {timeout_s: 3600, max_iterations: 3, cheatsheets: true}
device_classes:
  mi300x-spx: {title: MI300X, architecture: gfx942, partition_mode: SPX}
hosts:
  lab-1: {device_class: mi300x-spx, note: rack 4}
suites:
  gelu: {title: Only GELU, tasks: [hip2hip/arena/GELU]}
"""


def load(tmp_path: Path, text: str) -> dict[str, int]:
    path = tmp_path / "registry.yaml"
    path.write_text(text)
    return registry.load_registry(path)


def problems(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(RegistryError) as caught:
        load(tmp_path, text)
    return caught.value.problems


def test_a_file_registers_every_kind_and_may_be_loaded_again(tmp_path: Path, specs: list[TaskSpec]) -> None:
    catalog.mirror_tasks(specs=specs)
    for _ in range(2):
        counts = load(tmp_path, GOOD)
    assert counts == dict.fromkeys(counts, 1)
    row = Configuration.objects.get()
    assert (row.agent.name, row.model.identifier, row.settings["max_iterations"]) == (
        "Claude Code",
        "claude-opus-4-6",
        3,
    )
    assert Host.objects.get().device_class.architecture == "gfx942"
    assert [suite.label for suite in Suite.objects.all()] == ["gelu@1"]


def test_a_changed_field_changes_the_row(tmp_path: Path) -> None:
    load(tmp_path, "agents: {mine: {name: First}}")
    load(tmp_path, "agents: {mine: {name: Second}}")
    assert Agent.objects.get().name == "Second"


WITH_MODELS = ("chat_loop", "single_shot", "population", "parallel_workers", "claude_code", "codex", "cursor")
IN_SESSIONS = ("block_tuner", "replay", *WITH_MODELS)
LINES = ("baseline", "rewrite", "right", "eager", "compile", "shape_hardcoder")  # and expert


def test_the_role_of_a_built_in_agent_follows_from_its_kind(tmp_path: Path) -> None:
    registry.load_registry(registry.BUNDLED)
    lines = Configuration.objects.filter(role="reference_line").values_list("slug", flat=True)
    assert set(lines) == {"expert", *LINES}
    with pytest.raises(RegistryError):
        load(tmp_path, "configurations: {mine: {agent: rewrite, role: entry}}")
    load(tmp_path, "configurations: {rewrite: {agent: rewrite, role: entry}}")
    assert Configuration.objects.get(slug="rewrite").role == "reference_line"


def test_a_built_in_agent_does_not_take_over_an_external_one_of_its_name(tmp_path: Path) -> None:
    theirs = factories.make_agent(slug="compile", name="Compile")
    factories.make_configuration(slug="theirs", agent=theirs)
    for only_missing in (False, True):
        with pytest.raises(RegistryError) as caught:
            registry.load_registry(registry.BUNDLED, only_missing=only_missing)
        (problem,) = caught.value.problems
        assert "agents.compile: seen the external agent Compile, which has configurations" in problem
        assert "give it another slug" in problem
    Agent.objects.filter(pk=theirs.pk).update(slug="compile-theirs")
    registry.load_registry(registry.BUNDLED, only_missing=True)
    assert Configuration.objects.get(slug="compile").agent.kind == "built_in"


def test_a_migration_gave_configurations_of_built_in_agents_their_role() -> None:
    registry.load_registry(registry.BUNDLED)
    migration = import_module("runs.migrations.0009_rewrite_is_a_reference_line")
    rows = Configuration.objects.filter(agent__slug__in=[one for named in migration.ROLES.values() for one in named])
    for wrong in ("entry", "reference_line"):
        rows.update(role=wrong)
        migration.take_the_agents_role(apps, None)
        assert {row.role == agents.role_of(row.agent) for row in rows.all()} == {True}


def test_only_what_is_missing_is_registered_if_so_wanted(tmp_path: Path, site: Site) -> None:
    run = site.new_run()
    Configuration.objects.filter(pk=run.configuration_id).update(run_cap_usd=5)
    Configuration.objects.filter(slug="expert").update(slug="renamed")
    Host.objects.filter(pk=site.host.pk).update(is_enabled=False, note="mine")
    Agent.objects.create(slug="mine", name="Mine")
    text = registry.BUNDLED.read_text().replace("agents:", "agents:\n  new: {name: New}")
    (tmp_path / "registry.yaml").write_text(text)
    counts = registry.load_registry(tmp_path / "registry.yaml", only_missing=True)
    assert counts["agents"] == 1
    configurations = {"renamed", "block_tuner-6", "block_tuner-12", *LINES, *IN_SESSIONS}
    assert set(Configuration.objects.values_list("slug", flat=True)) == configurations
    host = Host.objects.get()
    assert (host.is_enabled, host.note) == (False, "mine")
    run.configuration.refresh_from_db()
    assert run.configuration.run_cap_usd == 5
    known = {"expert", "mine", "new", *LINES, *IN_SESSIONS}
    assert set(Agent.objects.values_list("slug", flat=True)) == known


def test_every_problem_is_reported_at_once_and_nothing_is_registered(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        """
agents:
  good: {name: Good}
  nameless: {url: https://example.com/}
  Bad Slug: {name: Bad}
  odd: {name: Odd, kind: robot, wings: 2}
models:
  vague: {name: Vague}
configurations:
  lost: {agent: nobody}
  timeless: {agent: good, settings: {timeout_s: soon, extra: [1, 2]}}
  endless: {agent: good, settings: {budget: .inf}}
device_classes:
  new: {title: New, architecture: gfx1100}
hosts:
  adrift: {device_class: mi999, enabled: perhaps}
suites:
  empty: {tasks: []}
  wrong: {tasks: [hip2hip/arena/NOTHING]}
colours: {}
""",
    )
    expected = [
        "colours: seen {}; expected no such key",
        "agents.nameless.name: seen nothing",
        "agents.Bad Slug: seen 'Bad Slug'",
        "agents.odd.kind: seen 'robot'",
        "agents.odd.wings: seen 2",
        "models.vague.identifier: seen nothing",
        "configurations.lost.agent: seen 'nobody'",
        "configurations.timeless.settings.timeout_s: seen 'soon'",
        "configurations.timeless.settings.extra: seen [1, 2]",
        "configurations.endless: a number is not finite",
        "device_classes.new.architecture: seen 'gfx1100'",
        "hosts.adrift.device_class: seen 'mi999'",
        "hosts.adrift.enabled: seen 'perhaps'",
        "suites.empty.tasks: seen []",
        "suites.wrong.tasks: seen 'hip2hip/arena/NOTHING'",
    ]
    for problem in expected:
        assert any(problem in line for line in found), problem
    assert len(found) == len(expected), found
    for model in (Agent, ModelVersion, Configuration, DeviceClass, Host, Suite):
        assert not model.objects.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agents: {mine: {name: A}, mine: {name: B}}", "'mine' appears twice"),
        ("agents: {mine: {name: 2026-13-01}}", "not YAML: month must be in 1..12"),
        ("agents: [", "registry.yaml"),
        ("- agents", "expected a mapping"),
        ("agents: [mine]", "agents: seen ['mine']; expected a mapping"),
        ("agents: {mine: Name}", "agents.mine: seen 'Name'; expected a mapping"),
        ("agents: !!python/object/apply:os.system [true]", "could not determine a constructor"),
    ],
)
def test_what_is_not_a_registry_is_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    assert said in "\n".join(problems(tmp_path, text))


def test_a_file_that_cannot_be_read_is_one_problem(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="No such file"):
        registry.load_registry(tmp_path / "nothing.yaml")


def test_the_same_settings_under_another_name_are_refused(tmp_path: Path) -> None:
    text = "agents: {a: {name: A}}\nconfigurations: {one: {agent: a}, two: {agent: a}}"
    (problem,) = problems(tmp_path, text)
    assert "configurations.two: A with these settings is registered already, as one" in problem


def test_a_configuration_that_has_runs_keeps_its_meaning(tmp_path: Path, site: Site) -> None:
    site.new_run()
    (problem,) = problems(tmp_path, "configurations: {rewrite: {agent: rewrite, settings: {timeout_s: 60}}}")
    assert "has runs, so its settings, role cannot change" in problem
