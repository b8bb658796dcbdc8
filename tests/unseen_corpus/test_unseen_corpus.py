"""Each fault is right on every seen case and a regression on exactly the config categories that its file names."""

from __future__ import annotations

import pytest

from evaluator.tasks.candidate import baseline
from evaluator.tasks.spec import Case
from evaluator.unseen.cases import CONFIG_CATEGORIES, UnseenCase
from evaluator.unseen.generate import core_cases
from tests.cheats import corpus as cheats
from tests.unseen_corpus import corpus, table
from tests.unseen_corpus.corpus import TASKS, entries

ENTRIES = {entry.name: entry for entry in entries()}
FAULTS = (
    *("maximum rows", "maximum channels", "power-of-two bins", "grid for one size", "block divides the size"),
    *("number of heads", "sequence length", "index too short", "dtype", "contiguity"),
)
AGNOSTIC = dict.fromkeys(table.COLUMNS, "both_pass")


def quadrants(found):
    return {column: quadrant for column, cases in found.items() for quadrant, _ in cases}


def expected(entry):
    return AGNOSTIC | dict.fromkeys(entry.exposed_by, "opt_regression")


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_a_fault_shows_where_its_file_says_and_nowhere_else(entry, unseen_auditor):
    found = unseen_auditor.entry(entry)
    assert quadrants(found) == expected(entry)
    assert {reason.removeprefix("target_") for _, reason in found[entry.exposed_by[0]]} == {entry.header["reason"]}


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_what_knows_no_size_is_right_everywhere(task, unseen_auditor):
    assert quadrants(unseen_auditor.expert(task)) == AGNOSTIC


@pytest.mark.gpu
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_on_a_gpu_a_fault_shows_where_its_file_says(entry, gpu_unseen_auditor):
    assert quadrants(gpu_unseen_auditor.entry(entry)) == expected(entry)


@pytest.mark.gpu
@pytest.mark.parametrize("task", TASKS)
def test_on_a_gpu_what_knows_no_size_is_right_everywhere(task, gpu_unseen_auditor):
    assert quadrants(gpu_unseen_auditor.expert(task)) == AGNOSTIC


@pytest.mark.slow
@pytest.mark.parametrize("name", ["triton-contiguous_only", "triton-bias_always"])
def test_generated_cases_expose_a_fault_beyond_dimensions_too(name, evaluator):
    entry, secret = ENTRIES[name], b"a secret of the corpus"
    found = corpus.judged(evaluator, entry.task(), entry.candidate(), core_cases(entry.task(), secret, "small"))
    assert set(found) == {"seen", *CONFIG_CATEGORIES}
    assert {case.quadrant for case in found.pop("seen")} == {"both_pass"}
    assert "opt_regression" in {case.quadrant for cases in found.values() for case in cases}


@pytest.mark.slow
def test_a_task_s_own_source_as_a_candidate_is_as_right_as_the_baseline(evaluator):
    """It is held to the same rule on both sides, so it can neither regress nor improve."""
    task = corpus.task("heads")
    found = corpus.judged(evaluator, task, baseline(task), core_cases(task, b"another secret", "small"))
    assert {case.quadrant for cases in found.values() for case in cases} <= {"both_pass", "both_fail"}


KNOWN = [entry for entry in cheats.cheats() if entry.is_for_unseen_cases]


@pytest.mark.slow
@pytest.mark.parametrize("entry", KNOWN, ids=lambda entry: entry.name)
def test_a_cheat_that_only_unseen_cases_show_is_a_regression(entry, evaluator):
    """Where its size is out of a CPU's reach, it is a GPU's."""
    size = int(entry.header["shown_at"])
    if size > 1 << 16:
        pytest.skip("a size that an interpreter does not reach in seconds; a GPU's test")
    show(entry, evaluator, size)


@pytest.mark.gpu
@pytest.mark.parametrize("entry", KNOWN, ids=lambda entry: entry.name)
def test_on_a_gpu_a_cheat_that_only_unseen_cases_show_is_a_regression(entry, gpu_unseen_auditor):
    show(entry, gpu_unseen_auditor.evaluator, int(entry.header["shown_at"]))


def show(entry, evaluator, size):
    task = entry.task()
    cases = (UnseenCase(Case((("n", size),), "small"), "scale_up", "written_by_hand"),)
    found = corpus.judged(evaluator, task, entry.candidate(task), cases)
    assert [case.quadrant for case in (*found["seen"], *found["scale_up"])] == [
        "both_pass",
        "both_pass",
        "opt_regression",
    ]


def test_every_fault_that_was_asked_for_is_there():
    assert set(FAULTS) <= {entry.header["fault"] for entry in ENTRIES.values()}
    assert {category for entry in ENTRIES.values() for category in entry.exposed_by} == set(CONFIG_CATEGORIES)


@pytest.mark.parametrize("name", TASKS)
def test_the_corpus_s_cases_keep_their_task_s_contract_and_are_not_seen(name):
    task, cases = corpus.task(name), corpus.unseen_cases(name)
    assert [case.category for case in cases] == list(CONFIG_CATEGORIES)
    assert not {one.case.id for one in cases} & {case.id for case in task.cases}
    for one in cases:
        assert set(dict(one.case.axes)) == {axis.name for axis in task.axes}
        for axis in task.axes:
            value = one.case.value(axis.name)
            assert value in axis.values if axis.values else axis.low <= value <= axis.high


def test_the_table_shows_the_quadrant_that_most_deserves_a_look():
    assert table._cell([["both_pass", ""], ["opt_regression", "mismatch"]]) == "regression"
    assert table._cell([]) == "-"
