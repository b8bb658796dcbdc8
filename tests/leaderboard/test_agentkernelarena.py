"""AgentKernelArena: our tasks after its own, by category and operator type, and what differs from each."""

from __future__ import annotations

import pytest

from evaluator.tasks.reader import load_task, task_ids
from leaderboard.pages.agentkernelarena.notes import NOTES
from runs.services import catalog
from tests import factories

TASKS = (
    *("hip2hip/arena/GELU", "torch2hip/arena/GELU", "torch2hip/arena/SoftmaxModule", "torch2hip/arena/Transpose"),
    *("triton2triton/arena/bincount", "torch2triton/kernelbenchx/gelu"),
)


@pytest.fixture
def shown(db, page):
    catalog.mirror_tasks(specs=[load_task(task_id) for task_id in TASKS])
    return page("/agentkernelarena/")


def test_without_tasks_it_says_how_to_register_them(db, client) -> None:
    assert "sync_tasks" in client.get("/agentkernelarena/").content.decode()


def test_public_tasks_are_counted_once_by_category_and_project(shown) -> None:
    counts = {(one.category, one.source): (one.here, one.published) for one in shown.groups}
    assert counts == {
        ("hip2hip", "GPU Mode"): (1, 24),
        ("torch2hip", "GPU Mode"): (3, 24),
        ("triton2triton", "ROCmBench"): (0, 30),
        ("triton2triton", "vLLM"): (1, 118),
    }
    assert "after 5 of the 196" in shown.lead


def test_two_tasks_after_one_public_task_count_once(shown, page) -> None:
    path = "tasks/hip2hip/gpumode/GELU"
    factories.make_task(name="twice", provenance={"benchmark": "AgentKernelArena", "path": path})
    found = page("/agentkernelarena/")
    assert len(found.tasks) == len(shown.tasks) + 1
    assert found.groups == shown.groups


def test_operator_types_are_the_papers_and_lead_to_the_tasks_of_each(shown) -> None:
    counts = {one.operator: (one.here, one.published, one.named) for one in shown.types}
    assert (counts["Activation"], counts["Sampling"]) == ((2, 11, 10), (1, 13, 3))
    assert sum(published for _, published, _ in counts.values()) == 196
    assert sum(named for *_, named in counts.values()) == 196 - 87
    cells = {row["operator"].text: row["operator"].url for row in shown.tables["types"].cells()}
    assert (cells["Activation"], cells["Various"]) == ("/tasks/?source=arena&operator=Activation", "")


def test_each_task_stands_beside_its_public_one_with_what_differs(shown) -> None:
    found = {one.task: one for one in shown.tasks}
    assert {*found} == {*TASKS} - {"torch2triton/kernelbenchx/gelu"}
    assert found["torch2hip/arena/GELU"].public == "torch2hip/gpumode/14539_GELU"
    assert "is a ReLU in place" in found["torch2hip/arena/GELU"].difference
    assert found["torch2hip/arena/GELU"].is_type_printed
    assert not found["triton2triton/arena/bincount"].is_type_printed


def test_an_anchor_without_a_note_has_its_twins_or_one_of_its_own(shown) -> None:
    found = {one.task: one.difference for one in shown.tasks}
    assert found["hip2hip/arena/GELU"] == found["torch2hip/arena/GELU"]
    assert found["torch2hip/arena/SoftmaxModule"] == NOTES["torch2hip/arena/SoftmaxModule"]


def test_every_task_after_the_benchmark_says_what_differs(db, page) -> None:
    own = [task for task in map(load_task, task_ids()) if task.source == "arena"]
    catalog.mirror_tasks(specs=own)
    found = page("/agentkernelarena/").tasks
    assert len(found) == len(own)
    assert [one.task for one in found if not one.difference] == []
    assert {*NOTES} <= {one.task for one in found}
