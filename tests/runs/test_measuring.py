"""When candidates are measured: before a verdict is written, after an import, and later by a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from evaluator.tasks.spec import write_files
from runs import archive
from runs.code_quality import reader
from runs.models import Claim, Result, Revision
from runs.services import code_quality
from runs.services.code_quality import measure_all
from runs.worker import evaluation
from tests.bundles import made
from tests.factories import make_attempt, make_result, make_run, make_suite, make_task, publish
from tests.runs.bundling import make_zip
from tests.runs.conftest import Site, checked, submitted

pytestmark = pytest.mark.django_db
SOURCE = b"def forward(x):\n    return x + 1\n"
HOST = {"functions": 1, "lines": 2, "mean_complexity": 1.0, "max_complexity": 1}


def stored(**files: bytes) -> Result:
    """A published result with these files; `_` in their names stands for a dot."""
    return stored_as({name.replace("_", "."): archive.put(data) for name, data in files.items()})


def stored_as(files: dict[str, str]) -> Result:
    task = make_task(category="triton2triton", editable=["own.py"])
    run = make_run(suite=make_suite([task]), state="published", with_results=False)
    result = make_result(run=run, task=task, candidate_files=files)
    publish(make_attempt(result=result, status="passed"))
    return result


def figures(result: Result) -> Any:
    return Result.objects.values_list("code_quality", flat=True).get(pk=result.pk)


def test_a_verdict_comes_with_figures_of_the_candidates_code(site: Site, settings: Any) -> None:
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    run = site.new_run()
    assert set(run.results.values_list("code_quality", flat=True)) == {None}
    evaluation.evaluate_next(host=site.host, worker="w1")
    evaluation.close_evaluator()
    [figures] = run.results.filter(attempts__status="passed").values_list("code_quality", flat=True)
    assert set(figures) == {"language", "kernel", "host"} or figures == {"because": "it does not parse"}


def test_a_fault_of_ours_costs_the_figures_and_not_the_verdict(
    site: Site, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(candidates: object) -> object:
        raise OSError("no process")

    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    monkeypatch.setattr(reader, "measure", broken)
    run = site.new_run()
    evaluation.evaluate_next(host=site.host, worker="w1")
    evaluation.close_evaluator()
    assert run.results.filter(attempts__status="passed", code_quality__isnull=True).count() == 1


def test_only_files_that_the_author_wrote_are_measured() -> None:
    result = stored(own_py=SOURCE, other_py=b"x = (")
    assert measure_all() == 1
    assert {**figures(result)["host"], "maintainability": None} == {**HOST, "maintainability": None}


def test_a_candidate_without_a_file_of_its_own_says_so() -> None:
    result = stored(other_py=SOURCE)  # as a line of the library submits the task's module
    assert measure_all() == 1
    assert figures(result) == {"because": "it has no file that the task lets a candidate write"}
    assert measure_all() == 0


def test_the_command_measures_what_has_no_figures_and_all_of_them_when_asked_again(capsys: Any) -> None:
    first, second = stored(own_py=SOURCE), stored(own_py=b"x = (")
    gone = stored_as({"own.py": "0" * 64})  # which the archive lacks
    call_command("measure_quality")
    assert figures(first)["host"]["max_complexity"] == 1
    assert figures(second) == {"because": "it does not parse"}
    assert figures(gone) is None
    call_command("measure_quality")
    call_command("measure_quality", "--again")
    assert capsys.readouterr().out.split("\n")[:3] == [
        "2 candidates measured",
        "0 candidates measured",
        "2 candidates measured",
    ]


@pytest.mark.django_db(transaction=True)
def test_new_figures_of_a_public_result_change_the_etags_of_pages() -> None:
    stored(own_py=SOURCE)
    before = Revision.objects.get(pk=1).number
    measure_all()
    assert Revision.objects.get(pk=1).number == before + 1


def test_an_import_stops_measuring_when_it_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "TOGETHER", 1)
    for _ in range(3):
        stored(own_py=SOURCE)
    assert code_quality._fill(Result.objects.all(), within_s=-1.0) == 0
    assert measure_all() == 3


def test_an_imported_run_is_measured(site: Site, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "run", site.suite, sources_of=lambda task: dict.fromkeys(task.editable, SOURCE))
    submission = checked(submitted(path, "import"))
    assert submission.run is not None
    found = {row.task.category: row.code_quality for row in submission.run.results.select_related("task")}
    assert {name: one["language"] for name, one in found.items()} == {"hip2hip": "cpp", "triton2triton": "python"}


def test_claims_are_measured_by_the_same_rule_beside_what_they_claim(tmp_path: Path) -> None:
    code = "import triton\n\n@triton.jit\ndef k(x):\n    pass\n"
    row = made.kbx_row(0.5, 0.5, 1.0, 2.0, maintainability=61.2, code=code)
    write_files(made.kbx({"Math/abs.py": row}), tmp_path / "bundle")
    submission = checked(submitted(tmp_path / "bundle", "import"))
    claim = Claim.objects.get(submission=submission, task="Math/abs.py")
    assert claim.claimed["maintainability"] == 61.2
    assert claim.code_quality["kernel"]["functions"] == 1
