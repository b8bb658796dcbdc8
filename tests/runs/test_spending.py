"""What a paid model may spend: no run without an estimate and caps, none above them, and a stop between tasks and
within one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from runs.errors import RunError
from runs.models import AgentSession, Attempt, AuditEntry, Configuration, ModelVersion, Run
from runs.services import leases, publishing, registry, run_actions, sessions, spending, starts
from runs.worker import evaluation
from tests import factories
from tests.runs import fakes
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db
SETTINGS = {"base_url": "http://127.0.0.1:1/v1", "input_price": 1, "output_price": 2}


@pytest.fixture(autouse=True)
def fake(settings: Any) -> Iterator[None]:
    """Each session of it costs half a cent."""
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    yield
    evaluation.close_evaluator()


def paid(site: Site, **values: Any) -> Configuration:
    model, _ = ModelVersion.objects.get_or_create(slug="m", defaults={"name": "M", "identifier": "m-1"})
    known = Configuration.objects.get(slug="chat_loop")
    slug, chosen = values.pop("slug", "paid"), values.pop("settings", SETTINGS)
    row = Configuration(slug=slug, agent=known.agent, model=model, settings=chosen)
    caps = {"run_cap_usd": 1.0, "day_cap_usd": 2.0, "expected_task_usd": 0.25}
    for name, value in (caps | values).items():
        setattr(row, name, value)
    return registry.save_row(row=row)


def start(site: Site, configuration: Configuration, **values: Any) -> list[Run]:
    wanted = {"suite": site.suite, "device_class": site.device_class, "actor": "test"}
    return starts.start_runs(configuration=configuration, **wanted | values)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"expected_task_usd": None}, "no session has reported what a task costs: set expected_task_usd"),
        ({"run_cap_usd": None}, "set run_cap_usd and day_cap_usd first"),
        (
            {"run_cap_usd": 0.4},
            r"0.50 USD a run: 0.25 USD a task, as the configuration expects. The cap for a run is 0.40",
        ),
        ({"day_cap_usd": 1.4}, "Of the cap for a day of 1.40 USD, 1.40 are left"),
    ],
)
def test_nothing_starts_without_an_estimate_or_above_a_cap(site: Site, values: Any, sentence: str) -> None:
    with pytest.raises(RunError, match=sentence):
        start(site, paid(site, **values))
    assert not Run.objects.exists()


def test_a_model_whose_tokens_cost_nothing_needs_no_cap(site: Site) -> None:
    free = paid(site, settings=SETTINGS | {"input_price": 0, "output_price": 0}, run_cap_usd=None, day_cap_usd=None)
    assert spending.estimate_of(free).task_usd is None
    assert len(start(site, free)) == 3


def test_an_unknown_price_is_paid(site: Site) -> None:
    unknown = paid(site, settings={"base_url": SETTINGS["base_url"]})
    assert spending.estimate_of(unknown).task_usd == 0.25


def test_the_estimate_is_the_mean_of_past_sessions(site: Site) -> None:
    configuration = paid(site)
    start(site, configuration, repeats=1)
    while evaluation.evaluate_next(host=site.host, worker="w"):
        pass
    estimate = spending.estimate_of(configuration)
    assert estimate.task_usd == pytest.approx(0.005)
    assert estimate.text(3, 6).startswith("3 runs of 6 tasks are estimated at 0.09 USD, 0.03 USD a run")


def test_at_the_cap_what_has_not_begun_is_cancelled_with_the_reason(site: Site) -> None:
    configuration = paid(site)
    [run] = start(site, configuration, repeats=1)
    assert evaluation.evaluate_next(host=site.host, worker="w")
    Configuration.objects.update(run_cap_usd=0.008)
    assert not evaluation.evaluate_next(host=site.host, worker="w")
    assert sorted(Attempt.objects.values_list("status", flat=True)) == ["cancelled", "passed"]
    entry = AuditEntry.objects.get(action="cancel")
    assert entry.actor_name == "spending cap"
    assert entry.reason == "0.01 USD are spent, and a task is estimated at 0.005 USD: the cap for a run is 0.01 USD"
    publishing.publish_run(run=run, actor="test")  # what was answered can still be shown


def test_a_session_is_given_what_is_left(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    configuration = paid(site, run_cap_usd=0.9, day_cap_usd=1.0)
    start(site, configuration, repeats=1)
    told, hold = list[float](), fakes.Fake.run_session

    def heard(*arguments: Any, budget_usd: float, **more: Any) -> Any:
        told.append(budget_usd)
        return hold(*arguments, budget_usd=budget_usd, **more)

    monkeypatch.setattr(fakes.Fake, "run_session", heard)
    while evaluation.evaluate_next(host=site.host, worker="w"):
        pass
    assert told == pytest.approx([0.9, 0.895])


def test_what_costs_nothing_may_go_on(site: Site) -> None:
    free = paid(site, settings=SETTINGS | {"input_price": 0, "output_price": 0}, run_cap_usd=None, day_cap_usd=None)
    assert spending.left_to_spend(run=start(site, free, repeats=1)[0]) == inf


def test_the_site_has_a_cap_of_a_day_over_all_configurations(site: Site, settings: Any) -> None:
    first, second = paid(site), paid(site, slug="second", settings=SETTINGS | {"input_price": 3})
    start(site, first, repeats=1)
    assert evaluation.evaluate_next(host=site.host, worker="w")
    AgentSession.objects.update(started_at=timezone.now())
    settings.DAY_CAP_USD = 0.255
    with pytest.raises(RunError, match=r"Of this site's cap for a day of 0.26 USD, 0.24 are left"):
        start(site, second, repeats=1)
    settings.DAY_CAP_USD = 1.0
    start(site, second, repeats=1)
    settings.DAY_CAP_USD = 0.0099
    assert not evaluation.evaluate_next(host=site.host, worker="w")  # the second task of the first
    assert not evaluation.evaluate_next(host=site.host, worker="w")
    assert Attempt.objects.filter(status="cancelled").count() == 3
    assert all("this site's cap for a day is 0.01 USD" in entry.reason for entry in AuditEntry.objects.all()[:3])


def test_what_nobody_knows_is_not_counted_as_nothing(site: Site) -> None:
    configuration = paid(site, expected_task_usd=0.5, day_cap_usd=3.5)
    start(site, configuration, repeats=1)
    assert evaluation.evaluate_next(host=site.host, worker="w")
    unknown = {"cost_usd": None, "cost_source": "", "no_cost_because": "unknown", "abandoned": 4}
    AgentSession.objects.update(started_at=timezone.now(), **unknown)
    with pytest.raises(RunError, match=r"Of the cap for a day of 3.50 USD, 0.50 are left"):
        start(site, configuration, repeats=1, repeat=1)


def test_what_waits_counts_before_the_next_start(site: Site, settings: Any) -> None:
    first = paid(site, day_cap_usd=1.2)
    [run, _] = start(site, first, repeats=2)
    with pytest.raises(RunError, match=r"Of the cap for a day of 1.20 USD, 0.20 are left after queued sessions"):
        start(site, first, repeats=1, repeat=2)
    assert spending.left_to_spend(run=run) == 1.0  # a session is told what is spent, not what waits
    run_actions.cancel_results(results=list(run.results.all()), actor="test")
    start(site, first, repeats=1)
    settings.DAY_CAP_USD = 1.4
    second = paid(site, slug="second", settings=SETTINGS | {"input_price": 3})
    with pytest.raises(RunError, match=r"Of this site's cap for a day of 1.40 USD, 0.40 are left after queued"):
        start(site, second, repeats=1)


def test_a_session_waits_until_it_is_begun_and_again_where_it_was_lost(site: Site) -> None:
    configuration = paid(site, run_cap_usd=10.0, day_cap_usd=10.0)

    def left() -> float:
        with pytest.raises(RunError) as refused:
            start(site, configuration, repeats=1000, repeat=1)
        return float(re.findall(r"([0-9.]+) are left", str(refused.value))[0])

    start(site, configuration, repeats=1)
    assert left() == 9.5
    lease = leases.lease_next(host=site.host, worker="w")
    assert lease
    assert left() == 9.5  # taken by a worker, but no session has begun
    sessions.begin_session(lease=lease, agent="chat_loop", architecture="gfx942")
    assert left() == 9.5  # begun: spent as estimated
    leases.release_attempt(lease=lease, because="lost")
    assert left() == 9.25  # what was lost, and the two to come


def test_the_estimate_is_of_sessions_here(site: Site) -> None:
    """What a bundle says of its costs proves nothing."""
    configuration = paid(site)
    factories.make_session(
        factories.make_run(configuration=configuration, origin="imported", bundle_digest="0" * 64).results.all()[0]
    )
    assert spending.estimate_of(configuration).source == "as the configuration expects"


def test_in_the_admin_the_estimate_is_seen_before_the_start(site: Site, client: Client) -> None:
    client.force_login(User.objects.create_superuser("maintainer"))
    configuration = paid(site)
    values = {"configuration": configuration.pk, "suite": site.suite.pk, "device_class": site.device_class.pk}
    values |= {"repeat": 0, "repeats": 2, "note": ""}
    page = client.post(reverse("admin:runs_run_add"), values).content.decode()
    assert "2 runs of 2 tasks are estimated at 1.00 USD" in page
    assert not Run.objects.exists()
    client.post(reverse("admin:runs_run_add"), values | {"may_spend": "on"})
    assert Run.objects.count() == 2


def test_the_command_tells_the_estimate_first(site: Site) -> None:
    paid(site)
    with pytest.raises(CommandError, match=r"3 runs of 2 tasks are estimated at 1\.50 USD"):
        call_command("start_runs", "paid", suite="two")
    call_command("start_runs", "paid", suite="two", spend=True)
    assert Run.objects.count() == 3
