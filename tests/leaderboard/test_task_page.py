"""A task's page: contract, results, baseline, and versions that are not the one in tasks/."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evaluator.records.measurements import T_DEV, BaselineTimes
from evaluator.tasks.measured import Measured, add_measured
from evaluator.tasks.reader import load_task, read_task
from leaderboard.http import etags
from leaderboard.pages.task.contract import task_contract
from leaderboard.pages.task.description import first_sentence
from leaderboard.queries import tasks
from runs import archive
from tests import factories
from tests.conftest import TESTS
from tests.records import make_gpu_case, make_gpu_record


def test_derived_inputs_say_once_what_makes_them_and_how_they_change() -> None:
    task = read_task(TESTS / "tiny" / "triton2triton" / "tests" / "ragged", "triton2triton/tests/ragged")
    contract = task_contract(task)
    drawn = {one.name: one.drawn for one in contract.inputs}
    assert (drawn["starts"], drawn["x"]) == ("derived", "normal(0, 1)")
    assert contract.derived == (
        "Derived: made by inputs.py as one set, also of the kinds one_request. "
        "Each timed call has a new order of requests; new ids of pages; moved runs of requests."
    )
    assert task_contract(load_task("triton2triton/arena/softmax")).derived == ""


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
    assert ("No output needs a tolerance" in text) is not has_tolerances
    assert "checked by their distribution" in text


def test_an_output_from_quantised_inputs_shows_its_measures_and_why_they_are_missed(db, page) -> None:
    spec = load_task("torch2triton/kernelbenchx/linear_w4a16")
    factories.make_task(path=spec.id, digest=spec.digest, category=spec.category, name="linear_w4a16")
    [output] = page(f"/task/{spec.id}/").contract.outputs
    assert output.notes[0].startswith(
        "from quantised inputs, 4 bits for w: cosine at least 0.9, relative L1 error up to"
    )
    assert "honest layers miss the printed L1 error" in output.notes[0]
    assert "a source that does not show this is put on hold: an operand of every tl.dot" in output.notes[0]


def test_hidden_dropout_shows_no_bound_that_the_judge_does_not_use(db, client) -> None:
    spec = load_task("torch2triton/kernelbenchx/fused_mul_add_logsoftmax_dropout_bmm")
    factories.make_task(path=spec.id, digest=spec.digest, category=spec.category, name="dropout")
    contract = task_contract(spec)
    assert {(one.c, one.n) for one in contract.tolerances} == {(None, "")}
    assert contract.tolerances[0].tau == 2e-3
    note = (
        "dropout of a share of 0.25, random from seed, before a linear step: mean, variance and covariance are judged"
    )
    assert contract.outputs[0].notes[0] == note
    assert "relative RMSE is at most" not in client.get(f"/task/{spec.id}/").content.decode()


def test_a_task_shows_its_further_baselines_from_the_newest_run_here_of_its_source(archive_folder, db, page) -> None:
    spec = load_task("triton2triton/arena/softmax")
    task = factories.make_task(path=spec.id, digest=spec.digest, category=spec.category, name="softmax")
    device = factories.make_device_class(slug="h100-sxm", architecture="sm_90", is_functional=False)
    suite = factories.make_suite([task])
    own = factories.make_configuration(agent=factories.make_agent(slug="baseline", kind="built_in"), model=None)

    def publish(time_ms: float, **of_run: Any) -> None:
        of_run = {"configuration": own} | of_run
        run = factories.make_run(suite=suite, device_class=device, with_results=False, state="published", **of_run)
        case = make_gpu_case(
            "n=1", 20.0, 10.0, baselines={"eager": BaselineTimes(T_DEV, time_ms, 0.02, 0.02 / time_ms)}
        )
        result = factories.make_result(run=run, task=task)
        factories.publish(factories.make_recorded_attempt(result=result, record=make_gpu_record(cases=(case,))))

    assert page(f"/task/{spec.id}/").baselines == ()
    publish(0.05)
    publish(0.04, repeat=1)
    publish(0.001, repeat=2, origin="imported", bundle_digest="a" * 64)  # a claim
    publish(0.002, configuration=factories.make_configuration())  # of another candidate
    shown = page(f"/task/{spec.id}/")
    assert shown.further_baselines == ("eager", "compile", "library")
    assert "columns need not divide to that" in shown.tables["baselines"].caption
    [row] = shown.tables["baselines"].cells()
    assert (row["eager_ms"].value, row["eager_ratio"].value, row["candidate_ms"].value) == (0.04, 0.5, None)


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


@pytest.fixture
def measured(monkeypatch, tmp_path) -> Callable[..., None]:
    """measured(path, digest, …) writes what one card showed of a task."""
    path = tmp_path / "measured.json"
    monkeypatch.setattr(tasks, "measured_file", lambda: path)

    def write(task: str, digest: str, times_us: dict, wrong: dict, card: str = "a") -> None:
        entry = Measured(digest[:16], card, "driver 1", "1", "2026-11-30T00:00:00+00:00", 1, 2.5, times_us, wrong)
        add_measured({f"{task} h200-sxm": (entry,)}, path)

    return write


def test_full_cases_say_what_was_measured_of_them_on_gpus(db, page, client, measured) -> None:
    spec = load_task("triton2triton/arena/softmax")
    factories.make_task(
        path=spec.id,
        digest=spec.digest,
        category=spec.category,
        name="softmax",
        cases=[{"id": case.id, "profile": case.profile, "axes": dict(case.axes)} for case in spec.cases],
    )
    full = [case.id for case in spec.cases_of(("full",))]
    unmeasured = page(f"/task/{spec.id}/").measured
    assert [(one.case, one.verdict, one.is_eligible) for one in unmeasured] == [
        (case, "not measured", False) for case in full
    ]
    measured(spec.id, "f" * 64, {full[0]: (20.0, 10.0)}, {})  # of another version of the task
    assert page(f"/task/{spec.id}/").measured == unmeasured

    measured(spec.id, spec.digest, {full[0]: (20.0, 10.0), full[1]: (4.0, 3.0)}, {full[2]: "baseline: it is wrong"})
    measured(spec.id, spec.digest, {full[0]: (24.0, 10.0)}, {}, card="b")
    shown = page(f"/task/{spec.id}/").measured
    assert {one.device_class for one in shown} == {"h200-sxm"}
    assert [(one.baseline_ms, one.cards) for one in shown[:2]] == [(0.022, 2), (0.004, 1)]
    assert [one.verdict for one in shown[:4]] == [
        "eligible",
        "too short, counts for correctness only",
        "wrong: baseline: it is wrong",
        "not measured",
    ]
    text = client.get(f"/task/{spec.id}/").content.decode()
    assert f"1 of {len(full)}\u00a0cases eligible, from 2\u00a0cards" in text
    assert "bound by launches" not in text, "a failure says nothing of launches"
    answer = client.get(f"/api/v1/task/{spec.id}/").json()
    assert answer["measured"][0]["baseline_ms"] == 0.022

    for card in ("a", "b"):
        measured(spec.id, spec.digest, dict.fromkeys(full, (4.0, 3.0)), {}, card)
    assert "most of its sizes are bound by launches" in client.get(f"/task/{spec.id}/").content.decode()


def test_new_findings_are_shown_while_the_site_runs(db, page, client, measured, monkeypatch) -> None:
    spec = load_task("triton2triton/arena/softmax")
    factories.make_task(path=spec.id, digest=spec.digest, category=spec.category, name="softmax")
    monkeypatch.setattr(etags, "measured_file", lambda: tasks.measured_file())
    before = client.get(f"/task/{spec.id}/")["ETag"]
    assert client.get(f"/task/{spec.id}/", headers={"If-None-Match": before}).status_code == 304
    measured(spec.id, spec.digest, {spec.cases_of(("full",))[0].id: (20.0, 10.0)}, {})
    assert client.get(f"/task/{spec.id}/", headers={"If-None-Match": before}).status_code == 200
