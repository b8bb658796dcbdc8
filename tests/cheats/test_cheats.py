"""Every way to cheat that anybody thought of, each with the gate that must catch it; and every gate is needed.

One audit of each file serves all tests: it notes what each gate says, so that leaving a gate out needs no second run.
"""

from __future__ import annotations

import pytest

from evaluator.judge.nulls import NULLS, answers_of
from evaluator.records.record import GATE_NAMES
from tests.cheats import corpus
from tests.cheats.corpus import NO_EFFECT, caught_by, verdict
from tests.cheats.table import CLASSES

CHEATS, TWINS, HONEST = corpus.cheats(), corpus.twins(), corpus.honest()
GPU_ONLY = {24, 25, 28, 29, 30, 32}  # what they abuse exists on a GPU alone

pytestmark = pytest.mark.slow


def on(backend, entries):
    return pytest.mark.parametrize(
        "entry", [entry for entry in entries if entry.runs_on(backend)], ids=lambda entry: entry.name
    )


@on("cpu", CHEATS)
def test_a_cheat_gets_what_its_file_says_from_the_gates_it_names(entry, auditor):
    said = auditor.audit(entry)
    caught = caught_by(said) - entry.by_chance
    assert (verdict(said), caught) == (entry.expected_on("cpu"), set(entry.ordered_gates) - {NO_EFFECT}), said


@on("cpu", TWINS)
def test_the_same_without_the_cheat_passes_and_nothing_is_held(entry, auditor):
    assert not caught_by(said := auditor.audit(entry)), said


@on("cpu", HONEST)
def test_an_honest_candidate_passes_and_nothing_is_held(entry, auditor):
    held = {"source"} if "held" in entry.header else set()
    said = auditor.audit(entry)
    assert (verdict(said), caught_by(said)) == (entry.expected_on("cpu"), held), said


@pytest.mark.parametrize("gate", GATE_NAMES)
def test_without_a_gate_exactly_its_own_cheats_get_through(gate, auditor):
    """A hold is no verdict: so each other gate is tried as if the source gate had held nothing."""
    left_out = {gate, "source"}
    tried = [entry for entry in CHEATS if auditor.can_run(entry) and NO_EFFECT not in entry.ordered_gates]
    tried = [entry for entry in tried if gate == "source" or set(entry.ordered_gates) != {"source"}]
    through = {entry.name for entry in tried if not caught_by(auditor.audit(entry)) - entry.by_chance - left_out}
    its_own = {entry.name for entry in tried if set(entry.ordered_gates) <= left_out}
    assert through == its_own
    assert its_own


@pytest.mark.gpu
@on("gpu", CHEATS)
def test_on_a_gpu_a_cheat_gets_what_its_file_says(entry, gpu_auditor):
    said = gpu_auditor.audit(entry)
    assert verdict(said) == entry.expected_on("gpu"), said


@pytest.mark.gpu
@on("gpu", [*TWINS, *HONEST])
def test_on_a_gpu_an_honest_candidate_passes_and_nothing_is_held(entry, gpu_auditor):
    held = {"source"} if "held" in entry.header else set()
    assert caught_by(said := gpu_auditor.audit(entry)) == held, said


def test_every_class_has_a_cheat_and_those_of_a_gpu_are_never_played_on_a_cpu():
    assert {entry.number for entry in CHEATS} == set(range(1, len(CLASSES) + 1))
    assert {entry.header["backend"] for entry in CHEATS if entry.number in GPU_ONLY} == {"gpu"}


def test_every_null_candidate_goes_through_a_real_process():
    tried = [entry for entry in CHEATS if "null" in entry.header]
    wanted = {name for entry in tried for name in answers_of(entry.task())}
    assert {entry.header["null"] for entry in tried} == wanted
    assert len(wanted - NULLS.keys()) == 6  # five of relations, one of derived inputs


def test_at_least_twenty_honest_candidates_run_without_a_gpu():
    assert len([entry for entry in HONEST if entry.runs_on("cpu")]) >= 20


AGREEING = ("triton-06_nan", "triton-33_right_at_first", "triton-44_library_operator", "triton-42_kernel_cache")


@pytest.mark.parametrize("entry", [entry for entry in CHEATS if entry.name in AGREEING], ids=lambda entry: entry.name)
def test_an_audit_and_an_evaluation_come_to_the_same_end(entry, auditor, evaluator):
    task = entry.task()
    record = evaluator.evaluate(task, entry.candidate(task))
    end = f"{record.status.value}/{record.reason or record.flags[-1].value}"
    assert end == verdict(auditor.audit(entry))
