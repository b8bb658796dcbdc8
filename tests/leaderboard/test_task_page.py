"""A task's page: contract, results, baseline, and versions that are not the one in tasks/."""

from __future__ import annotations

import pytest

from evaluator.tasks.reader import load_task
from leaderboard.pages.task.description import first_sentence
from runs import archive
from tests import factories


def test_a_bundled_task_shows_its_contract(db, page) -> None:
    spec = load_task("triton2triton/arena/softmax")
    factories.make_task(
        path=spec.id, digest=spec.digest, category=spec.category, name="softmax", description=spec.description
    )
    shown = page("/task/triton2triton/arena/softmax/")
    assert {axis.name for axis in shown.contract.axes} == {"rows", "cols", "dtype"}
    assert [tolerance.dtype for tolerance in shown.contract.tolerances] == ["float32", "float16", "bfloat16"]
    assert all(tolerance.because for tolerance in shown.contract.tolerances)
    assert [one.name for one in shown.contract.inputs] == ["x"]
    assert any(span.is_code for paragraph in shown.paragraphs for span in paragraph)


@pytest.mark.parametrize(("name", "has_tolerances"), [("softmax", True), ("topk_topp_sampling", False)])
def test_the_rule_for_errors_is_shown_where_there_is_a_tolerance(name: str, has_tolerances: bool, db, client) -> None:
    spec = load_task(f"triton2triton/arena/{name}")
    factories.make_task(path=spec.id, digest=spec.digest, category=spec.category, name=name)
    text = client.get(f"/task/{spec.id}/").content.decode()
    assert ("relative RMSE is at most" in text) is has_tolerances
    assert ("no tolerance is needed" in text) is not has_tolerances
    assert "checked by their distribution" in text


def test_an_older_task_says_so_and_points_to_the_current_one(db, page, client) -> None:
    old = factories.make_task(name="kernel", is_current=False)
    new = factories.make_task(name="kernel", path=old.path)
    assert page(f"/task/{old.path}/").digest == new.digest
    shown = page(f"/task/{old.path}/?digest={old.digest[:12]}")
    assert (shown.digest, shown.is_current, shown.contract) == (old.digest, False, None)
    assert b"not the current version of the task" in client.get(f"/task/{old.path}/?digest={old.digest[:12]}").content


def test_a_task_lists_published_results_before_drafts(published, suite, page) -> None:
    task = suite.tasks.order_by("path").first()
    factories.make_run(suite=suite, status="passed")
    published("wrong_output", *["passed"] * 5)
    assert [(one.status, one.is_published) for one in page(f"/task/{task.path}/").results] == [
        ("wrong_output", True),
        ("passed", False),
    ]


def test_a_baselines_source_can_be_fetched(archive_folder, db, client) -> None:
    task = factories.make_task(name="kernel", files={"kernel.hip": archive.put(b"source")})
    assert client.get(f"/task/{task.path}/source/kernel.hip").content == b"source"
    assert client.get(f"/task/{task.path}/source/reference.py").status_code == 404


def test_an_older_baselines_source_is_the_older_one(archive_folder, db, client, page) -> None:
    old = factories.make_task(name="kernel", is_current=False, files={"kernel.hip": archive.put(b"old")})
    factories.make_task(name="kernel", path=old.path, files={"kernel.hip": archive.put(b"new")})
    [source] = page(f"/task/{old.path}/?digest={old.digest[:12]}").sources
    assert (source.text, client.get(source.url).content) == ("old", b"old")
    assert client.get(f"/task/{old.path}/source/kernel.hip?digest=123nothing").status_code == 404


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        ("A *mixture of experts* has many networks. Each is small.", "A mixture of experts has many networks."),
        ("The weight is `elu(q . k)`, per pixel. No more.", "The weight is elu(q . k), per pixel."),
        ("`y = 2 * x * x`\nonly.\n\nMore.", "y = 2 * x * x only."),
        ("", ""),
    ],
)
def test_the_list_of_tasks_shows_a_first_sentence_as_plain_text(description: str, sentence: str) -> None:
    assert first_sentence(description) == sentence


def test_a_task_with_several_right_answers_shows_its_relations(db, page, client) -> None:
    spec = load_task("torch2triton/kernelbenchx/qr")
    factories.make_task(path=spec.id, digest=spec.digest, category=spec.category, name="qr")
    shown = page(f"/task/{spec.id}/").contract
    assert [(one.relation, one.dtype, one.c) for one in shown.relations] == [
        ("residual", "float32", 16),
        ("residual", "float64", 16),
        ("orthogonality", "float32", 16),
        ("orthogonality", "float64", 16),
        ("triangle", "", None),
    ]
    assert all(one.because for one in shown.relations)
    assert all("judged by the relations" in one.notes[0] for one in shown.outputs)
    text = client.get(f"/task/{spec.id}/").content.decode()
    assert "The error of each relation" in text
    assert "All outputs are judged by relations, so no tolerance is needed." in text
