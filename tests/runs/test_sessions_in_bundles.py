"""Sessions that a bundle brings: whose they are, and what no row can hold of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluator.agents.catalog import read_agent, settings_text
from evaluator.bundles.archives.packing import slug
from evaluator.records.record import Record, TaskRef
from evaluator.records.sessions import write_session
from evaluator.tasks.candidate import Candidate
from runs.models import AgentSession, Configuration, Iteration, Run, Task
from runs.services import registry
from tests.agent_sessions import make_session
from tests.runs.bundling import make_folder, passing
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db


def bundled(folder: Path, site: Site, settings: dict[str, str]) -> Path:
    """A run folder of block_tuner, with a session for each task."""

    def judge(task: Task, candidate: Candidate) -> Record:
        mine = replace(candidate, label="block_tuner")
        about = {"agent": "block_tuner", "settings": settings, "candidate": mine.ref()}
        session = replace(make_session(TaskRef(task.path, task.digest, task.category), mine), **about)
        write_session(session, folder / "sessions" / f"{slug(task.path)}.json")
        return passing(task, mine)

    return make_folder(folder, site.suite, judge, agent="block_tuner", settings=settings)


def test_a_bundle_brings_its_sessions(tmp_path: Path, site: Site) -> None:
    settings = settings_text(read_agent("block_tuner"))
    call_command("import_bundle", str(bundled(tmp_path / "run", site, settings)), publish=True)
    run = Run.objects.get()
    assert (run.state, run.configuration.slug) == ("published", "block_tuner")
    assert set(AgentSession.objects.values_list("ended", "checks", "attempt", "cost_source")) == {
        ("finished", 2, None, "agent"),
    }
    assert Iteration.objects.count() == 4


@pytest.mark.parametrize("changes", [{"turns": 2**31}, {"tool_calls": 10**18}, {"output_tokens": 2**63 - 1}])
def test_a_bundle_whose_sessions_count_what_no_row_can_hold_is_refused(
    tmp_path: Path, site: Site, changes: dict[str, int]
) -> None:
    """By the same sentence on SQLite, whose columns would take it."""
    folder = bundled(tmp_path / "run", site, settings_text(read_agent("block_tuner")))
    for file in (folder / "sessions").iterdir():
        session = json.loads(file.read_text())
        file.write_text(json.dumps({**session, "usage": {**session["usage"], **changes}}))
    ((name, value),) = changes.items()
    with pytest.raises(CommandError, match=f"sessions/.*usage.{name}: seen {value}; expected 0 to"):
        call_command("import_bundle", str(folder))
    assert not Run.objects.exists()


def test_a_run_belongs_to_the_configuration_with_its_settings(tmp_path: Path, site: Site) -> None:
    settings = settings_text(read_agent("block_tuner", {"max_iterations": 5}))
    folder = bundled(tmp_path / "run", site, settings)
    with pytest.raises(CommandError, match="no configuration of block_tuner has exactly the settings of this run"):
        call_command("import_bundle", str(folder))
    with pytest.raises(CommandError, match="block_tuner has other settings than this run"):
        call_command("import_bundle", str(folder), configuration="block_tuner")
    known = Configuration.objects.get(slug="block_tuner")
    registry.save_row(row=Configuration(slug="five", agent=known.agent, settings={"max_iterations": 5}))
    call_command("import_bundle", str(folder))
    assert Run.objects.get().configuration.slug == "five"
