"""Continuous random numbers and dropout: right kernels pass, and each mistake with a name is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from evaluator.judge import independence, nulls
from evaluator.judge.compare import compare
from evaluator.judge.draws import draws_of
from evaluator.judge.dropout import Mask
from evaluator.judge.hidden_dropout import HiddenEvidence
from evaluator.judge.independence import Trail, secret_window
from evaluator.judge.nulls import nulls_that_pass
from evaluator.judge.numbers import NumbersDistribution, numbers_problem
from evaluator.judge.random_outputs import RandomEvidence
from evaluator.tasks.expressions import parse
from evaluator.tasks.reader import load_task, read_task
from evaluator.tasks.spec import Case, Dropout, Numbers, Output, TaskSpec, Tolerance
from scripts import random_outputs

CASE = Case((), "small")
TOLERANCE = Tolerance(1, parse(1), 1e-3, "rounding")
DROPPED = Output("y", (parse(64), parse(128)), "float32", dropout=Dropout(parse(0.25), "seed"))
FINITE = [  # null candidates whose output is finite
    *("best_constant", "drawn_once", "first_input", "nothing_dropped", "ones", "output_of_another_input", "own_index"),
    *("previous_output", "zeros"),
]
UNIFORM = NumbersDistribution("uniform", 0.0, 1.0, torch.float32)


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def small(task_id: str) -> TaskSpec:
    """The task with its largest small case alone."""
    task = load_task(task_id)
    return replace(task, cases=task.cases[:1])


def tiny(name: str) -> TaskSpec:
    folder = Path(__file__).parents[1] / "tiny" / "triton2triton" / "tests" / name
    return read_task(folder, f"triton2triton/tests/{name}")


@pytest.mark.parametrize("task_id", random_outputs.OF_TASK)
def test_an_honest_kernel_passes(task_id: str) -> None:
    assert random_outputs.first_problem(small(task_id), random_outputs.uniform, b"honest") is None


@pytest.mark.parametrize("mistake", random_outputs.OF_TASK[random_outputs.DROPOUT])
def test_each_mistake_of_dropout_is_found(mistake: str) -> None:
    kernel = random_outputs.OF_TASK[random_outputs.DROPOUT][mistake]
    assert random_outputs.first_problem(small(random_outputs.DROPOUT), kernel, b"mistake")


@pytest.mark.parametrize(
    "mistake", ["a coarse grid", "repeated every 1000", "the same for the next seed", "a seed of 32 bits"]
)
def test_so_is_each_mistake_of_numbers(mistake: str) -> None:
    kernel = random_outputs.OF_TASK[random_outputs.NUMBERS][mistake]
    assert random_outputs.first_problem(small(random_outputs.NUMBERS), kernel, b"mistake")


@pytest.mark.parametrize(
    "mistake", ["a mask per column", "not divided by 1 - p", "p and 1 - p exchanged", "the last row dropped"]
)
def test_mean_and_covariance_show_what_a_product_hides(mistake: str) -> None:
    kernel, factor = random_outputs.OF_TASK[random_outputs.HIDDEN][mistake], random_outputs.WIDER.get(mistake, 1.0)
    assert random_outputs.first_problem(small(random_outputs.HIDDEN), kernel, b"mistake", factor)


def test_a_mask_that_no_seed_changes_shows_in_two_calls_on_the_same_inputs() -> None:
    kernel = random_outputs.MISTAKES["the same for each seed"]
    found = random_outputs.first_problem(small(random_outputs.HIDDEN), kernel, b"mistake")
    assert found == "what is dropped is not independent of what another seed drops"


@pytest.mark.parametrize(
    ("rules", "mistake"),
    [
        ("_pairs_apart", "repeated every 1000"),
        ("_blocks _lines", "the end not drawn"),
        ("_mirrored", "mirrored halves"),
        ("_uneven", "quotas of 128"),
        ("_lines", "the last column dropped"),
    ],
)
def test_without_a_rule_its_own_mistake_passes(rules: str, mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = random_outputs.MISTAKES[mistake]
    assert random_outputs.first_problem(small(random_outputs.DROPOUT), kernel, b"rule")
    for rule in rules.split():
        monkeypatch.setattr(independence, rule, lambda *_: None)
    assert random_outputs.first_problem(small(random_outputs.DROPOUT), kernel, b"rule") is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("kind", "first", "second"), [("uniform", 0.0, 1.0), ("uniform", -0.7, 2.0), ("normal", 1, 2)])
def test_numbers_of_every_dtype_pass(
    kind: str, first: float, second: float, dtype: torch.dtype, generator: torch.Generator
) -> None:
    distribution = NumbersDistribution(kind, first, second, dtype)
    assert numbers_problem(distribution.example(torch.empty(20000), generator), distribution) is None


def of_the_range(values: torch.Tensor) -> torch.Tensor:
    return torch.cat([values[1:], torch.ones(1)])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (of_the_range, "1 of 20000 numbers are outside [0, 1)"),
        (lambda values: values * 0.95, "from the uniform distribution"),
        (lambda values: (values * 2**14).floor() / 2**14, "occur again: too few different values"),
        (lambda values: values.clamp(min=0.01), "0 of 20000 numbers lie in the low tail, where 78 are expected"),
    ],
)
def test_wrong_numbers_are_found_in_one_call(
    change: Callable[[torch.Tensor], torch.Tensor], words: str, generator: torch.Generator
) -> None:
    assert words in str(numbers_problem(change(UNIFORM.example(torch.empty(20000), generator)), UNIFORM))


@pytest.mark.parametrize(("value", "reason"), [(torch.nan, "nan"), (torch.inf, "infinite"), (2.0, None)])
def test_a_number_must_be_finite(value: float, reason: str | None) -> None:
    spec = Output("y", (parse(3),), "float32", sampled=Numbers("normal", (parse(0), parse(1)), "seed"))
    seen = torch.tensor([0.5, value, 1.0])
    found = compare(seen, torch.zeros(3), spec=spec, tolerance=None, case=CASE, baseline=None)
    assert found.reason == reason


def judged(output: torch.Tensor, reference: torch.Tensor) -> str | None:
    return compare(output, reference.double(), spec=DROPPED, tolerance=TOLERANCE, case=CASE, baseline=None).reason


def test_what_dropout_keeps_is_compared_and_divided(generator: torch.Generator) -> None:
    x = torch.randn(64, 128, generator=generator)
    right = Mask(0.25).example(x, generator)
    assert judged(right, x) is None
    assert judged(right * 0.75, x) == "mismatch"  # not divided by 1 - p
    assert judged(torch.where(right == 0, 0.01, right), x) == "mismatch"  # dropped, but not to 0


def test_where_the_right_value_is_zero_nothing_can_be_read() -> None:
    reference = torch.tensor([0.0, 0.0, 3.0, 3.0], dtype=torch.float64)
    scores = Mask(0.25).scores(torch.tensor([0.0, 0.0, 0.0, 4.0]), reference, 1e-3)
    assert scores.tolist() == pytest.approx([0, 0, 3**0.5, -(3**-0.5)])


def test_a_case_whose_elements_all_tell_nothing_is_wrong() -> None:
    evidence = RandomEvidence.of(DROPPED, CASE, "float32", TOLERANCE)
    assert evidence.add(1, torch.zeros(64, 128), torch.zeros(64, 128)) is None
    assert evidence.problem() == "no element tells whether it is random"


def test_numbers_of_an_earlier_call_are_wrong_for_another_seed_only(generator: torch.Generator) -> None:
    evidence = RandomEvidence.of(DROPPED, CASE, "float32", TOLERANCE)
    x = torch.ones(64, 128)
    y = Mask(0.25).example(x, generator)
    assert evidence.add(1, y, x) is None
    assert evidence.add(1, y, x) is None
    assert evidence.add(2, y, x) == "the same random numbers as in a call with another seed"


def test_what_is_compared_with_other_calls_lies_at_a_place_that_nobody_knows() -> None:
    windows = [secret_window(1 << 22, 1000) for _ in range(20)]
    assert len({window.start for window in windows}) > 1
    assert {(window.start % 1000, window.stop - window.start) for window in windows} == {(0, 65000)}
    assert secret_window(100, 10) == slice(0, 100)
    assert secret_window(1 << 20, 1 << 18).stop <= 1 << 20


def hidden_call(evidence: HiddenEvidence, seed: int, mask: torch.Tensor, x: torch.Tensor) -> str | None:
    """Judge dropout that comes before a product with ones and signs."""
    matrix = torch.tensor([[1.0, 1.0], [1.0, -1.0]], dtype=torch.float64).repeat(32, 1)
    terms = x[:, :, None] * matrix

    def covariance(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        of_rows = terms[rows][:, :, columns]
        return of_rows.mT @ of_rows

    return evidence.add(seed, (2 * mask * x) @ matrix, x @ matrix, covariance)


def test_few_rows_show_that_the_next_seed_has_the_same_mask(generator: torch.Generator) -> None:
    x, masks = torch.ones(30, 64).double(), torch.rand(2, 30, 64, generator=generator).round().double()
    for second, problem in (
        (masks[0], "what is dropped is not independent of what another seed drops"),
        (masks[1], None),
    ):
        evidence = HiddenEvidence.of(0.5, 1e-6, (30, 2))
        assert hidden_call(evidence, 2, masks[0], x) is None
        assert hidden_call(evidence, 3, second, x) is None
        assert evidence.problem() == problem


def test_other_inputs_are_judged_in_other_rows_and_always_in_the_last() -> None:
    evidence = HiddenEvidence.of(0.5, 1e-6, (1000, 2))
    seen = list[torch.Tensor]()
    for factor in (1.0, 1.0, 2.0):
        mask = torch.rand(1000, 64).round().double()
        hidden_call(evidence, len(seen), mask, torch.full((1000, 64), factor).double())
        assert evidence._last is not None
        seen.append(evidence._last.rows)
    assert torch.equal(seen[0], seen[1])
    assert not torch.equal(seen[1], seen[2])
    assert seen[0][-1] == seen[2][-1] == 999
    assert len(seen[0].unique()) == 128


@pytest.mark.parametrize(("elements", "calls"), [(1 << 16, 0), (16384, 3), (100, 8)])
def test_more_calls_are_needed_where_one_has_few_elements(elements: int, calls: int) -> None:
    trail = Trail((3.0,), 1)
    trail.add(1, torch.ones(1, elements))
    assert trail.calls_needed == calls


@pytest.mark.parametrize(
    ("name", "evidence", "passing"),
    [
        ("dropped", RandomEvidence, ["drawn_once", "nothing_dropped", "zeros"]),
        ("hidden", HiddenEvidence, FINITE),
    ],
)
def test_only_what_all_calls_show_keeps_candidates_that_draw_nothing_from_passing(
    name: str, evidence: type, passing: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tiny(name)
    assert nulls_that_pass(task) == []
    monkeypatch.setattr(evidence, "add", lambda *_: None)
    monkeypatch.setattr(evidence, "problem", lambda _: None)
    assert nulls_that_pass(task) == passing


def test_a_mask_kept_for_another_seed_is_all_that_is_wrong_with_a_hidden_example(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = small(random_outputs.HIDDEN)
    monkeypatch.setattr(nulls, "draws_of", lambda task: draws_of(task)[:1])
    monkeypatch.setattr(nulls, "NULLS", {})
    assert nulls_that_pass(task) == []
    monkeypatch.setattr(HiddenEvidence, "_is_off", lambda *_: False)
    assert nulls_that_pass(task) == ["drawn_once"]
