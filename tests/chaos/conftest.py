"""One setup of each kind per test process: PostgreSQL and Redis, or SQLite and a filesystem broker."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from kombu.exceptions import OperationalError

from evaluator.tasks.reader import load_task
from runs import job_messages
from runs.loading import registry
from runs.models import Configuration, Host, Result
from runs.services import catalog, run_actions
from tests.chaos.places import Place, connected
from tests.cheats.ledger import Ledger
from tests.conftest import lacking
from tests.runs.conftest import Site
from tests.servers import Missing, postgres, redis

RecordOutcome = Callable[[str, float], None]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Start PostgreSQL and Redis for this module; tests may stop them."""
    folder = tmp_path_factory.mktemp("servers")
    with ExitStack() as stack:
        try:
            database, broker = stack.enter_context(postgres()), stack.enter_context(redis())
        except Missing as error:
            lacking(str(error))
        place = Place("PostgreSQL, Redis", folder, database.url, broker.url, database, broker)
        stack.callback(place.close)
        yield place


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("files")
    place = Place("SQLite, files", folder, f"sqlite:///{folder}/chaos.sqlite3", "filesystem://localhost")
    yield place
    place.close()


@pytest.fixture(scope="module")
def migrated() -> set[str]:
    """The names of places whose database is migrated."""
    return set()


@pytest.fixture
def place(
    request: pytest.FixtureRequest, migrated: set[str], django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    """The place named by the test's parameter, connected; its workers are ended after the test."""
    place: Place = request.getfixturevalue(request.param)
    monkeypatch.setattr(job_messages, "_send", sender(place))
    with django_db_blocker.unblock(), connected(place.database_url):
        if place.name not in migrated:
            call_command("migrate", verbosity=0)
            migrated.add(place.name)
        try:
            yield place
        finally:
            sys.stdout.write(place.end_workers())  # shown by pytest when a test fails
            connection.close()
            is_open = Result.objects.filter(attempts__status__in=("queued", "running"))
            run_actions.cancel_results(results=is_open, actor="the end of a test")


@pytest.fixture
def site(place: Place) -> Site:
    """Make a suite of one task, so that a run has one attempt, and the hosts `local` and `second` of one class."""
    (task,) = catalog.mirror_tasks(specs=[load_task("hip2hip/arena/GELU")]).values()
    registry.load_registry(registry.BUNDLED)
    suite = catalog.mirror_suite(name="one", version=1, digest=task.digest, title="One task", tasks=[task])
    host = Host.objects.select_related("device_class").get(name="local")
    Host.objects.get_or_create(name="second", defaults={"device_class": host.device_class})
    Host.objects.filter(name="local").update(seen_at=None)
    return Site(suite, Configuration.objects.get(slug="rewrite"), host.device_class, host)


@pytest.fixture
def record_outcome(request: pytest.FixtureRequest, place: Place, ledger: Ledger) -> RecordOutcome:
    """Return record_outcome(outcome, seconds), which adds a line to the table that pytest prints after its tests."""
    name = request.node.name.removeprefix("test_").partition("[")
    case = f"{name[0].replace('_', ' ')} {name[2].rstrip(']').rpartition('-')[0]}".strip()

    def line(outcome: str, seconds: float) -> None:
        entry = {"case": case, "place": place.name, "outcome": outcome, "seconds": round(seconds, 1)}
        ledger.once("chaos", f"{case} in {place.name}", lambda: entry)

    return line


def sender(place: Place) -> Callable[[int, str], None]:
    def send(attempt_id: int, queue: str) -> None:
        try:
            place.send(attempt_id, queue)
        except (OperationalError, OSError) as error:  # job_messages._send handles these too
            sys.stdout.write(f"not sent: {error}\n")

    return send
