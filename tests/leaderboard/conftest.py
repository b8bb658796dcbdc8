"""A small site to look at, made below the services."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from evaluator import codec
from runs import archive, guards
from runs.models import Attempt, Result, Run, Suite
from tests import factories
from tests.leaderboard.rounds import make_site  # noqa: F401  a fixture
from tests.leaderboard.timed import timed  # noqa: F401  a fixture
from tests.records import make_record

Get = Callable[..., Any]
CATEGORIES = ("hip2hip", "torch2hip", "triton2triton")
BASELINE = "first\nsecond\nthird\n"
CANDIDATE = "first\nbetter\nthird\n"


@pytest.fixture(autouse=True)
def rows_are_made_up(request: pytest.FixtureRequest) -> None:
    """What pages show is written here as no service would: without guards, which come back with the test's end."""
    if "_django_db_helper" in request.fixturenames:
        request.getfixturevalue("_django_db_helper")
        guards.drop()


@pytest.fixture
def suite(db: None) -> Suite:
    """Six tasks, two of each category."""
    tasks = [factories.make_task(category=category) for category in CATEGORIES for _ in range(2)]
    return factories.make_suite(tasks, name="smoke")


@pytest.fixture
def published(suite: Suite) -> Callable[..., Run]:
    """Make a public run on the suite; `statuses` are those of its tasks, in order, None where nothing is published."""

    def make(*statuses: str | None, **values: Any) -> Run:
        run = factories.make_run(suite=suite, state="published", **values)
        results = run.results.order_by("task__path")
        for result, status in zip(results, statuses or ("passed",) * 6, strict=True):
            if status is not None:
                factories.publish(factories.make_attempt(result=result, status=status))
        return run

    return make


@pytest.fixture
def page(client: Client) -> Get:
    """The page object that a template got, after checking the answer."""

    def get(address: str) -> Any:
        response = client.get(address)
        assert response.status_code == 200
        return response.context["page"]

    return get


@pytest.fixture
def entry() -> Callable[..., Any]:
    def make(name: str, **values: Any) -> Any:
        agent = factories.make_agent(name=name)
        return factories.make_configuration(agent=agent, model=None, **values)

    return make


@pytest.fixture
def archive_folder(settings: Any, tmp_path: Any) -> Any:
    settings.ARCHIVE_FOLDER = tmp_path / "archive"
    return settings.ARCHIVE_FOLDER


def text(value: str) -> str:
    return archive.put(value.encode())


@pytest.fixture
def result(db: None) -> Result:
    """A public pass with a record in the archive, whose candidate changes one line of the baseline."""
    task = factories.make_task(name="GELU", editable=["kernel.hip"], files={"kernel.hip": text(BASELINE)})
    run = factories.make_run(suite=factories.make_suite([task], name="smoke"), with_results=False, state="published")
    files = {"kernel.hip": text(CANDIDATE)}
    return factories.make_result(run=run, task=task, candidate_files=files)


def attempted(result: Result, *, status: str = "passed", **changes: Any) -> Attempt:
    record = make_record(**changes)
    digest = archive.put(codec.dumps(record).encode())
    return factories.publish(factories.make_attempt(result=result, status=status, record_digest=digest))


def address(result: Result) -> str:
    return f"/result/{result.pk}/"
