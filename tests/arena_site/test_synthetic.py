"""Synthetic leaderboards: bounded, reproducible, always named synthetic, and never among other runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from django.apps import apps
from django.db import transaction
from django.db.models import Model

from runs.models import Attempt, Measurement, Run
from tests import factories

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import seed_benchmark


@pytest.fixture
def seeded(db: None) -> None:
    assert seed_benchmark.main(["600"]) == 0


def test_measurements_are_at_most_the_given_number_and_less_than_a_run_below_it(seeded: None) -> None:
    assert 600 - 278 < Measurement.objects.count() <= 600


def test_a_second_run_makes_the_same_numbers(db: None) -> None:
    found = []
    for _ in range(2):
        with transaction.atomic():
            seed_benchmark.seed(600)
            found.append(numbers())
            transaction.set_rollback(True)
    assert found[0] == found[1] != []


def test_a_suite_may_have_hundreds_of_tasks(db: None) -> None:
    assert seed_benchmark.main(["600", "--tasks", "48"]) == 0
    assert Run.objects.get().results.count() == 48
    assert Measurement.objects.count() > 278  # the cases of the first 24 tasks are those of the next ones as well


def test_a_suite_has_at_least_the_tasks_whose_cases_are_known(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        seed_benchmark.main(["600", "--tasks", "23"])
    assert "--tasks: seen 23; expected 24 or more" in capsys.readouterr().err


def test_a_database_with_runs_is_refused_and_unchanged(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    factories.make_run(status="passed", state="published")
    before = rows()
    assert seed_benchmark.main(["600"]) == 1
    assert capsys.readouterr().err == "this database already has runs; synthetic leaderboards need an empty one\n"
    assert rows() == before


@pytest.mark.parametrize("number", [0, 277, 1_000_001])
def test_the_number_of_measurements_is_bounded(db: None, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        seed_benchmark.main([str(number)])
    assert "expected 278 to 1000000" in capsys.readouterr().err


def test_every_page_about_them_says_that_they_are_synthetic(seeded: None, client) -> None:
    run = Run.objects.get(repeat=0)
    board = f"{run.suite.name}/all/{run.device_class.slug}/"
    task = run.results.select_related("task").first().task  # type: ignore[union-attr]
    names = ("board", "distribution", "efficiency", "compare", "generalization")
    addresses = [f"/{name}/{board}" for name in names]
    addresses += [f"/run/{run.pk}/", f"/result/{run.results.first().pk}/", f"/task/{task.path}/", "/", "/runs/"]  # type: ignore[union-attr]
    for address in addresses:
        response = client.get(address)
        assert response.status_code == 200
        assert b"Synthetic agent 0" in response.content or b"Synthetic suite 0" in response.content, address


def test_they_rank_on_leaderboards_of_their_own(seeded: None, client) -> None:
    page = client.get("/board/synthetic-0/all/synthetic-h100/").context["page"]
    assert [entry.rank for entry in page.entries] == [1]
    assert page.ranked_by == "usable_speedup"


def numbers() -> list[tuple[object, ...]]:
    measured = Measurement.objects.order_by("attempt__result__run__repeat", "attempt__result__task__path", "id")
    verdicts = Attempt.objects.order_by("result__run__repeat", "result__task__path")
    return [
        *measured.values_list("attempt__result__task__path", "case", "correct", "log_ratio", "candidate_t_dev_ms"),
        *verdicts.values_list("result__candidate_digest", "status", "log_speedup", "paper_speedup"),
    ]


def rows() -> dict[type[Model], int]:
    """Return the number of rows of each table."""
    return {model: model._default_manager.count() for model in apps.get_app_config("runs").get_models()}
