"""Random outputs are judged by their distribution: correct samplers of any kind pass, wrong distributions do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
import torch

from evaluator.gates.correctness import more_draws
from evaluator.judge.compare import compare
from evaluator.judge.draws import draws_of
from evaluator.judge.sampling import Evidence, example, must_differ, sampling_problem
from evaluator.pipeline import Evaluator
from evaluator.records.reasons import Status
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.expressions import parse
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import Case, Output, Sampled

ROWS, OUTCOMES, COUNT = 16, 50, 128


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(7)


@pytest.fixture
def probabilities(generator: torch.Generator) -> torch.Tensor:
    """Some outcomes of every row are impossible."""
    logits = torch.randn(ROWS, OUTCOMES, generator=generator, dtype=torch.float64)
    logits[:, ::5] = -torch.inf
    return logits.softmax(-1)


def test_an_honest_sampler_passes_time_after_time(probabilities: torch.Tensor, generator: torch.Generator) -> None:
    for _ in range(200):
        assert sampling_problem(example(probabilities, COUNT, generator), probabilities) is None


def test_a_single_sample_a_row_passes(probabilities: torch.Tensor, generator: torch.Generator) -> None:
    assert sampling_problem(example(probabilities, 1, generator), probabilities) is None


def test_one_outcome_with_all_the_mass_leaves_no_choice() -> None:
    certain = torch.zeros(3, 4, dtype=torch.float64)
    certain[:, 2] = 1
    assert sampling_problem(torch.full((3, 5), 2), certain) is None
    assert "probability 0" in str(sampling_problem(torch.full((3, 5), 1), certain))


def test_an_impossible_outcome_is_wrong_even_once(probabilities: torch.Tensor, generator: torch.Generator) -> None:
    samples = example(probabilities, COUNT, generator)
    samples[3, 4] = 5
    assert sampling_problem(samples, probabilities) == f"1 of {ROWS * COUNT} samples have probability 0"


@pytest.mark.parametrize("value", [-1, OUTCOMES, 2**40])
def test_a_sample_outside_the_outcomes_is_wrong(
    value: int, probabilities: torch.Tensor, generator: torch.Generator
) -> None:
    samples = example(probabilities, COUNT, generator)
    samples[0, 0] = value
    assert "outside the 50 outcomes" in str(sampling_problem(samples, probabilities))


def test_the_likeliest_outcome_every_time_is_wrong(probabilities: torch.Tensor) -> None:
    greedy = probabilities.argmax(-1, keepdim=True).expand(-1, COUNT)
    assert "by likelihood" in str(sampling_problem(greedy, probabilities))


@pytest.mark.parametrize("temperature", [0.6, 1.7])
def test_another_temperature_is_wrong(
    temperature: float, probabilities: torch.Tensor, generator: torch.Generator
) -> None:
    other = (probabilities.log() / temperature).softmax(-1)
    assert "by likelihood" in str(sampling_problem(example(other, COUNT, generator), probabilities))


def test_a_preference_for_low_numbers_is_wrong(generator: torch.Generator) -> None:
    even = torch.full((ROWS, OUTCOMES), 1 / OUTCOMES, dtype=torch.float64)
    tilted = (even * torch.linspace(1.5, 0.5, OUTCOMES)).expand_as(even)
    assert sampling_problem(example(tilted, COUNT, generator), even) is not None


def test_the_same_random_number_for_every_row_is_wrong(probabilities: torch.Tensor) -> None:
    same = (probabilities.cumsum(-1) < 0.4).sum(-1, keepdim=True).expand(-1, COUNT)
    assert sampling_problem(same, probabilities) is not None


def test_equal_samples_are_a_chance_only_where_there_is_little_choice(probabilities: torch.Tensor) -> None:
    assert must_differ(probabilities, COUNT)
    assert not must_differ(torch.tensor([[0.5, 0.5]]), 30)
    assert must_differ(torch.tensor([[0.5, 0.5]]), 40)
    assert not must_differ(torch.tensor([[1.0, 0.0]]), 1000)


def inverse(probabilities: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """Return the outcomes at numbers between 0 and 1."""
    upto = probabilities.cumsum(-1).contiguous()
    return torch.searchsorted(upto, (numbers * 0.999999).contiguous()).clamp(max=probabilities.shape[-1] - 1)


def uniform(rows: int, count: int, generator: torch.Generator) -> torch.Tensor:
    return torch.rand(rows, count, generator=generator, dtype=torch.float64)


def quotas(probabilities: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    return inverse(probabilities, (torch.arange(count) + uniform(ROWS, 1, generator)) / count)


def sorted_samples(probabilities: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    return example(probabilities, count, generator).sort(-1).values


def mirrored_pairs(probabilities: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    half = uniform(ROWS, count // 2, generator)
    return inverse(probabilities, torch.cat([half, 1 - half], 1))


def shared_by_rows(probabilities: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    return inverse(probabilities, uniform(1, count, generator).expand(ROWS, -1))


def sometimes_greedy(probabilities: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    greedy, often = probabilities.argmax(-1, keepdim=True), uniform(ROWS, count, generator) < 0.05
    return torch.where(often, greedy, example(probabilities, count, generator))


def evidence_of(sampler: Callable[..., torch.Tensor], count: int, calls: int, generator: torch.Generator) -> Evidence:
    """Return what calls of a sampler show, each on new distributions."""
    evidence = Evidence()
    for _ in range(calls):
        probabilities = torch.randn(ROWS, OUTCOMES, generator=generator, dtype=torch.float64).softmax(-1)
        evidence.add("standard", sampler(probabilities, count, generator), probabilities)
    return evidence


@pytest.mark.parametrize(("count", "calls"), [(1, 60), (4, 20), (COUNT, 9)])
def test_the_calls_of_an_honest_sampler_show_nothing(count: int, calls: int, generator: torch.Generator) -> None:
    for _ in range(20):
        assert evidence_of(example, count, calls, generator).problem() is None


@pytest.mark.parametrize(
    ("sampler", "words"),
    [
        (quotas, "are not independent"),
        (sorted_samples, "are not independent"),
        (mirrored_pairs, "are not independent"),
        (shared_by_rows, "those of different rows are not independent"),
        (sometimes_greedy, "the likeliest outcome is drawn"),
    ],
)
def test_all_calls_together_show_what_no_single_one_does(
    sampler: Callable[..., torch.Tensor], words: str, generator: torch.Generator
) -> None:
    assert words in str(evidence_of(sampler, COUNT, 9, generator).problem())


def stratified(probabilities: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    """One number of each of as many strata as there are rows, in any order."""
    strata = torch.randperm(ROWS, generator=generator)[:, None]
    return inverse(probabilities, (strata + uniform(ROWS, count, generator)) / ROWS)


def test_greedy_and_shared_samples_show_where_a_call_gives_one(generator: torch.Generator) -> None:
    def greedy(probabilities: torch.Tensor, *_: object) -> torch.Tensor:
        return probabilities.argmax(-1, keepdim=True)

    assert "the likeliest outcome" in str(evidence_of(greedy, 1, 60, generator).problem())
    assert "of different rows" in str(evidence_of(shared_by_rows, 1, 60, generator).problem())
    assert "of different rows" in str(evidence_of(stratified, 1, 2 * 17 + 9, generator).problem())


@pytest.mark.parametrize(("count", "calls"), [(COUNT, 0), (4, 5), (1, 17)])
def test_more_calls_are_needed_where_one_gives_few_samples(count: int, calls: int, generator: torch.Generator) -> None:
    assert evidence_of(example, count, 1, generator).calls_needed == calls


def test_more_draws_are_shared_by_the_special_alphabets() -> None:
    draws = list(more_draws(draws_of(load_task("triton2triton/arena/topk_topp_sampling")), 45))
    assert Counter(draw.kind for draw in draws) == {"standard": 45, "special": 45}
    assert Counter(draw.name for draw in draws) == {"standard": 45, "flat": 15, "ties": 15, "masked": 15}
    assert len(set(draws)) == 90


@pytest.mark.slow
def test_a_candidate_that_ignores_the_seed_is_found(evaluator: Evaluator) -> None:
    task = load_task("triton2triton/arena/topk_topp_sampling")
    text = (task.folder / "topk_topp_sampling.py").read_text(encoding="utf-8")
    assert "seed = tl.load(seed_ptr)" in text
    deaf = text.replace("seed = tl.load(seed_ptr)", "seed = tl.load(seed_ptr) * 0 + 7")
    record = evaluator.evaluate(task, Candidate({"topk_topp_sampling.py": deaf.encode()}, "deaf"))
    assert (record.status, record.reason) == (Status.WRONG_OUTPUT, "mismatch")
    assert str(record.message).endswith("tokens: the same samples for another seed.")


def test_a_sampled_output_is_compared_by_its_distribution(
    probabilities: torch.Tensor, generator: torch.Generator
) -> None:
    spec = Output("tokens", (parse(ROWS), parse(COUNT)), "int64", sampled=Sampled(parse(OUTCOMES), "seed"))
    case = Case((), "small")
    assert spec.reference_shape(case) == (ROWS, OUTCOMES)
    for samples, reason in (
        (example(probabilities, COUNT, generator), None),
        (torch.zeros(ROWS, COUNT, dtype=torch.int64), "mismatch"),
    ):
        found = compare(samples, probabilities, spec=spec, tolerance=None, case=case, baseline=None)
        assert found.reason == reason
        assert found.detail.startswith("tokens: ")
