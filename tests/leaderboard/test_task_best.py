"""A task's page: every configuration, the best known kernels over time, and exactly what an agent is given."""

from __future__ import annotations

from datetime import timedelta
from math import log

import pytest

from evaluator.tasks.reader import load_task
from evaluator.tasks.workspace import make_workspace
from runs.models import Attempt, Suite
from tests import factories
from tests.factories import NOON


@pytest.fixture
def task(suite: Suite):
    return suite.tasks.order_by("path").first()


@pytest.fixture
def run_on(published, entry, task):
    """A public run with this speedup at every task, published so many days after noon."""

    def make(name: str, speedup: float, day: int = 0, slug: str = "h100-sxm", **values):
        device = factories.make_device_class(slug=slug, architecture="sm_90", is_functional=False)
        configuration = entry(name, slug=f"{name.lower()}-{day}-{slug}", **values)
        at = NOON + timedelta(days=day)
        run = published(configuration=configuration, device_class=device, published_at=at)
        values = {"log_speedup": log(speedup), "cautious_log_speedup": log(speedup)}
        ends = {"log_speedup_low": log(speedup) - 0.01, "log_speedup_high": log(speedup) + 0.01}
        Attempt.objects.filter(result__run=run).update(**values, **ends)
        return run

    return make


def test_configurations_are_listed_by_device_class_the_fastest_first(run_on, page, task) -> None:
    run_on("Slow", 1.1)
    run_on("Fast", 2.0)
    run_on("Fast", 3.0, slug="h200-sxm")
    shown = page(f"/task/{task.path}/").configurations
    assert [(one.name, one.device_class) for one in shown] == [
        ("Fast", "h100-sxm"),
        ("Slow", "h100-sxm"),
        ("Fast", "h200-sxm"),
    ]


def test_configurations_without_a_speedup_come_last(run_on, published, entry, page, task) -> None:
    run_on("Slow", 0.5)
    device = factories.make_device_class(slug="h100-sxm")
    published("wrong_output", *["passed"] * 5, configuration=entry("Wrong"), device_class=device)
    shown = page(f"/task/{task.path}/")
    assert [(one.name, one.correct, one.log_speedup is None) for one in shown.configurations] == [
        ("Slow", 1, False),
        ("Wrong", 0, True),
    ]
    assert shown.tables["configurations"].cells()[-1]["best_speedup"].text == "no speedup"


def test_the_best_known_kernel_has_a_timeline(run_on, page, task) -> None:
    first = run_on("First", 1.5)
    run_on("Slower", 1.2, day=1)
    run_on("Equal", 1.5, day=2)
    faster = run_on("Faster", 1.6, day=3)
    shown = page(f"/task/{task.path}/")
    assert [one.name for one in shown.best] == ["First", "Faster"]
    assert [one.since for one in shown.best] == [first.published_at, faster.published_at]
    assert [row.label for row in shown.charts["best"].rows] == ["First", "Faster"]
    assert [row["name"].text for row in shown.tables["best"].cells()] == ["Faster", "First"]


def test_reference_lines_and_what_may_not_count_are_no_best_kernel(run_on, page, task) -> None:
    run_on("Expert", 9.0, role="reference_line")
    held = run_on("Held", 8.0)
    Attempt.objects.filter(result__run=held).update(is_held=True)
    hacked = run_on("Hacked", 7.0)
    hacked.results.update(audit="hacked")
    withdrawn = run_on("Withdrawn", 6.0)
    withdrawn.state = "withdrawn"
    withdrawn.save()
    run_on("Honest", 1.1, day=1)
    assert [one.name for one in page(f"/task/{task.path}/").best] == ["Honest"]


def test_without_a_speedup_there_is_no_chart_but_a_reason(published, client, task) -> None:
    published()
    response = client.get(f"/task/{task.path}/")
    assert response.context["page"].charts == {}
    assert b"No entry has a published speedup yet" in response.content


def test_what_an_agent_is_given_is_what_workspace_writes(db, page, tmp_path) -> None:
    spec = load_task("hip2hip/arena/GELU")
    factories.make_task(name="GELU", digest=spec.digest)
    given = page("/task/hip2hip/arena/GELU/").given
    names = make_workspace(spec, tmp_path / "workspace")
    assert list(given) == names
    assert given["config.yaml"] == (tmp_path / "workspace" / "config.yaml").read_text()
    assert not any(name.startswith(("expert", "variants")) for name in given)


def test_an_older_version_says_that_it_cannot_show_what_was_given(client, task) -> None:
    assert b"The files of this version are not available" in client.get(f"/task/{task.path}/").content
