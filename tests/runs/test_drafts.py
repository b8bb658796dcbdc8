"""A draft from elsewhere changes nothing that others share; its publication does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Model
from django.test import Client

from evaluator.records.calibration import write_calibration
from evaluator.records.record import HostInfo, Record
from evaluator.tasks.candidate import Candidate
from leaderboard.queries import entrants, hosts, versions
from runs.loading import registry
from runs.models import Agent, Calibration, Configuration, DeviceClass, Host, ModelVersion, Run, Task
from runs.services import publishing
from tests import factories
from tests.records import CALIBRATION, make_gpu_case
from tests.runs.bundling import make_folder, passing
from tests.runs.conftest import Site, checked, submitted

pytestmark = pytest.mark.django_db
SHARED: tuple[type[Model], ...] = (Agent, ModelVersion, Configuration, DeviceClass, Host, Calibration)
SHOWN = ("agents", "hosts", "noise", "versions", "failures", "queue")
CARD = HostInfo("cuda", "h300-sxm", "sm_90", {"card": "synthetic", "torch": "9.9.9", "card_uuid": CALIBRATION.device})


def timed(task: Task, candidate: Candidate) -> Record:
    case = make_gpu_case("n=524288,rounds=1", 21.2, 10.0)
    return replace(passing(task, candidate), host=CARD, flags=(), cases=(case,), evaluator="6.6.6")


def draft(site: Site, folder: Path, **changes: Any) -> Run:
    """A stranger's run with an agent, a model, a device class, a host and a calibration that nobody knows."""
    path = make_folder(folder, site.suite, timed, device_class="h300-sxm", **changes)
    write_calibration(replace(CALIBRATION, device_class="h300-sxm"), path / "calibrations")
    facts = {"agent": "Evil Agent", "model": "evil-1", "settings": "evil"}
    submission = checked(submitted(path, factories.make_user(), declared=facts))
    assert submission.run is not None, submission.problems
    return submission.run


def rows_of(model: type[Model]) -> dict[object, object]:
    return {row["id"]: row for row in model._default_manager.values()}


def test_a_draft_changes_no_row_that_others_share_and_adds_none_that_is_public(site: Site, tmp_path: Path) -> None:
    before = {model: rows_of(model) for model in SHARED}
    draft(site, tmp_path / "run")
    for model in SHARED:
        after = rows_of(model)
        assert {pk: after[pk] for pk in before[model]} == before[model], model
        new = [row for pk, row in after.items() if pk not in before[model]]
        assert model is not Calibration or not new
        assert not any(row["is_public"] for row in new), model


def test_a_draft_changes_nothing_of_a_host_that_others_have(site: Site, tmp_path: Path) -> None:
    """Two bundles that say the same of a machine are of one host."""
    first = draft(site, tmp_path / "first")
    (host,) = Host.objects.filter(attempts__result__run=first).distinct()
    assert (host.is_accepted, host.calibration) == (None, {})
    draft(site, tmp_path / "second", repeat=1)
    host.refresh_from_db()
    assert (host.is_accepted, host.calibration, Calibration.objects.count()) == (None, {}, 0)
    publishing.publish_run(run=first, actor="test")
    host.refresh_from_db()
    assert (host.is_public, host.is_accepted, host.calibration["e0_ns"]) == (True, True, CALIBRATION.e0_ns)


def test_a_host_with_a_worker_learns_nothing_from_a_bundle(site: Site, tmp_path: Path) -> None:
    run = draft(site, tmp_path / "run")
    Host.objects.filter(attempts__result__run=run).update(started_at=factories.NOON, is_accepted=False)
    publishing.publish_run(run=run, actor="test")
    host = Host.objects.filter(attempts__result__run=run).distinct().get()
    assert (host.is_accepted, host.calibration, Calibration.objects.count()) == (False, {}, 0)


def seen(client: Client) -> dict[str, str]:
    pages = {one: client.get(one) for one in (*(f"/{name}/" for name in SHOWN), "/search/?q=evil", "/search/?q=h300")}
    assert all(page.status_code == 200 for page in pages.values())
    return {address: page.text for address, page in pages.items()}


def test_pages_show_what_a_run_shares_once_it_is_published(site: Site, client: Client, tmp_path: Path) -> None:
    before = seen(client)
    run = draft(site, tmp_path / "run")
    assert seen(client) == before
    result = run.results.all()[0]
    found = f"/search/?q={result.candidate_digest}"
    assert f"/result/{result.pk}/" not in client.get(found).text
    for address in (f"/agent/{run.configuration.agent.slug}/", "/board/two/hip2hip/h300-sxm/"):
        assert client.get(address).status_code == 200, "the draft's own pages lead there"
    publishing.publish_run(run=run, actor="test")
    after = seen(client)
    assert f"/result/{result.pk}/" in client.get(found).text
    assert all("Evil Agent" in after[address] for address in ("/agents/", "/search/?q=evil"))
    assert all("h300-sxm" in after[address] for address in ("/hosts/", "/noise/"))
    assert "6.6.6" in after["/versions/"]


def counts() -> list[object]:
    return [entrants.configurations(), entrants.agents(), entrants.models(), hosts.hosts(), versions.attempt_counts()]


def test_a_draft_counts_nowhere_for_what_it_shares_with_a_public_run(site: Site, tmp_path: Path) -> None:
    site.new_run()
    publishing.publish_run(run=draft(site, tmp_path / "first"), actor="test")
    before = counts()
    runs = {row.slug: row.runs for row in entrants.configurations()}
    assert (runs["rewrite"], runs["evil-agent-evil-1"]) == (1, 1)
    draft(site, tmp_path / "second", repeat=1)
    assert counts() == before


def test_what_a_draft_named_first_is_registered_by_staff(site: Site, tmp_path: Path) -> None:
    run = draft(site, tmp_path / "run")
    path = tmp_path / "registry.yaml"
    path.write_text(
        "agents: {evil-agent: {name: Ours}}\ndevice_classes: {h300-sxm: {title: H300 SXM, architecture: sm_90}}\n"
    )
    registry.load_registry(path, only_missing=True)
    agent, device_class = run.configuration.agent, run.device_class
    for row in (agent, device_class):
        row.refresh_from_db()
    assert (agent.name, agent.is_public, device_class.title, device_class.is_public) == ("Ours", True, "H300 SXM", True)
