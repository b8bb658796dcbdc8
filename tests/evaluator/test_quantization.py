"""The contract of quantised outputs: honest results pass, named mistakes fail, and nothing undefined passes."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from evaluator.gates import performance
from evaluator.gates.context import CaseState, Context
from evaluator.gates.contracts import check_contracts
from evaluator.gates.plausible import _is_in_8_bits
from evaluator.gates.scales import least_scales
from evaluator.judge import quantization
from evaluator.judge.answers import deviation_of
from evaluator.judge.compare import compare
from evaluator.judge.draws import Draw, Seed, contents_of, draws_of
from evaluator.judge.nulls import nulls_that_pass
from evaluator.judge.quantization import (
    MARGIN,
    SPREAD,
    TOO_EXACT,
    ContractEvidence,
    ContractResult,
    judge_contract,
    measures_of,
    quantise,
    quantised_name,
)
from evaluator.judge.reference import Reference
from evaluator.tasks import candidate
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import Case, Groups, Output, Quantization, TaskSpec
from tests.conftest import TESTS

ROW, COLUMN = Groups(8, (1,)), Groups(8, (0,))
W8A8 = Quantization((("x", ROW), ("w", COLUMN)), 0.95, 0.05, 0.1, ("int8_dot",), "test")
W4A16 = Quantization((("w", Groups(4, (0,), 128)),), 0.9, 0.1, 0.15, ("int4_weights",), "test")
CASE = Case((("n", 16),), "small")


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(3)


@pytest.fixture(scope="module")
def task() -> TaskSpec:
    return read_task(TESTS / "tiny" / "torch2triton" / "tests" / "int8_product", "torch2triton/tests/int8_product")


def normal(generator: torch.Generator, *shape: int, outliers: bool = False) -> torch.Tensor:
    values = torch.randn(*shape, generator=generator, dtype=torch.float64)
    large = torch.rand(shape, generator=generator) < 0.001
    return torch.where(large, 20 * values, values) if outliers else values


def in_steps(values: torch.Tensor, along: int, steps: int, rounding=torch.round) -> torch.Tensor:
    """Quantise by other means than the judge: `steps` is what the largest of a row or column becomes."""
    scale = values.abs().max(along, keepdim=True).values / steps
    return rounding(values / scale) * scale


def test_quantising_gives_whole_multiples_of_the_scale_of_each_group():
    values = torch.tensor([[1.0, 0.5, -0.26], [0.0, 0.0, 0.0]], dtype=torch.float64)
    assert quantise(values, Groups(3, (1,))).tolist() == [[1.0, pytest.approx(2 / 3), pytest.approx(-1 / 3)], [0, 0, 0]]
    whole = quantise(values, Groups(3, (0, 1)))
    assert torch.equal(whole[0], quantise(values, Groups(3, (1,)))[0])


def test_a_group_may_be_part_of_a_dimension_and_the_last_one_shorter():
    values = torch.tensor([[3.0, 1.0, 0.5, 0.2, 7.0]], dtype=torch.float64).T
    by_pairs = quantise(values, Groups(3, (0,), 2))
    expected = [quantise(values[start : start + 2], Groups(3, (0,))) for start in (0, 2, 4)]
    assert torch.equal(by_pairs, torch.cat(expected))


def test_measures_are_those_of_the_paper():
    output, reference = torch.tensor([3.0, 4.0]).double(), torch.tensor([4.0, 3.0]).double()
    assert measures_of(output, reference) == pytest.approx((24 / 25, 2 / 7, 1.0))
    assert math.isnan(measures_of(torch.zeros(2), reference).cosine)


@pytest.mark.parametrize("outliers", [False, True])
def test_an_honest_product_passes_where_it_misses_the_printed_thresholds(generator, outliers):
    """K = 4096: the printed RMSE is missed with 0.8, with outliers the printed L1 error as well."""
    x, w = (normal(generator, *shape, outliers=outliers) for shape in ((16, 4096), (4096, 32)))
    reference, honest = x @ w, quantise(x, ROW) @ quantise(w, COLUMN)
    kernels = {
        "the same": honest,
        "stored as bfloat16": honest.bfloat16().double(),
        "max / 128": in_steps(x, 1, 128) @ in_steps(w, 0, 128),
        "ties upwards": in_steps(x, 1, 127, lambda v: (v + 0.5).floor()) @ in_steps(w, 0, 127),
        "a scale for 128": quantise(x, Groups(8, (1,), 128)) @ quantise(w, Groups(8, (0,), 128)),
    }
    for name, output in kernels.items():
        found = judge_contract(output, reference, honest, W8A8)
        assert found.missed == (), name
        assert found.share is not None
        assert outliers or found.share > 2 * TOO_EXACT, name
    missed = judge_contract(honest, reference, honest, W8A8).missed_as_printed
    assert [text.split()[0] for text in missed] == (["L1", "RMSE"] if outliers else ["RMSE"])


def test_each_mistake_fails_by_the_bound_of_the_format_alone(generator):
    x, w = normal(generator, 16, 4096, outliers=True), normal(generator, 4096, 32, outliers=True)
    reference, honest = x @ w, quantise(x, ROW) @ quantise(w, COLUMN)
    loose = replace(W8A8, l1=1e9, rmse=1e9)
    mistakes = {
        "cut towards zero": in_steps(x, 1, 127, torch.trunc) @ in_steps(w, 0, 127, torch.trunc),
        "seven bits": in_steps(x, 1, 63) @ in_steps(w, 0, 63),
        "one scale for all": quantise(x, Groups(8, (0, 1))) @ quantise(w, Groups(8, (0, 1))),
    }
    for name, output in mistakes.items():
        assert {"L1", "RMSE"} <= measures_missed(judge_contract(output, reference, honest, W8A8)), name
        assert not measures_missed(judge_contract(output, reference, honest, loose)), name


def measures_missed(result: ContractResult) -> set[str]:
    return {text.split()[0] for text in result.missed} & {"cosine", "L1", "RMSE"}


def test_a_column_that_is_missing_fails_by_its_elements_alone(generator, monkeypatch):
    x, w = normal(generator, 16, 256), normal(generator, 256, 512)
    reference, honest = x @ w, quantise(x, ROW) @ quantise(w, COLUMN)
    output, loose = honest * (torch.arange(512) != 511), replace(W8A8, rmse=1.0)
    (missed,) = judge_contract(output, reference, honest, loose).missed
    assert missed.endswith("of 8192 values far off")
    monkeypatch.setattr(quantization, "ELEMENT_MARGIN", math.inf)
    assert not judge_contract(output, reference, honest, loose).missed


def test_of_few_outputs_chance_is_no_mistake(generator, monkeypatch):
    """A scale for every 32 numbers: more exact on average, and on 8 outputs with outliers now and then not."""

    def wrong_calls() -> int:
        count = 0
        for _ in range(150):
            x, w = normal(generator, 1, 64), normal(generator, 64, 8)
            x[0, 5], w[7, 3] = 30.0, 30.0
            honest, finer = quantise(x, ROW) @ quantise(w, COLUMN), Groups(8, (1,), 32)
            output = quantise(x, finer) @ quantise(w, replace(finer, along=(0,)))
            count += bool(judge_contract(output, x @ w, honest, W8A8).missed)
        return count

    assert wrong_calls() == 0
    monkeypatch.setattr(quantization, "SPREAD", 0.0)
    assert wrong_calls() > 0


def test_four_bits_miss_two_printed_thresholds_and_pass(generator):
    x, w = normal(generator, 8, 4096), normal(generator, 4096, 48)
    reference = x @ w
    honest = x @ quantise(w, W4A16.inputs[0][1])
    found = judge_contract(honest, reference, honest, W4A16)
    assert found.missed == ()
    assert [text.split()[0] for text in found.missed_as_printed] == ["L1", "RMSE"]
    assert found.allowed is not None
    assert found.measures is not None
    assert found.allowed.rmse == pytest.approx((MARGIN + SPREAD / math.sqrt(384)) * found.measures.rmse)
    assert judge_contract(x @ in_steps(w, 0, 3), reference, honest, W4A16).missed


def test_a_product_in_full_precision_is_right_and_too_exact_even_if_only_once(generator):
    x, w = normal(generator, 16, 256), normal(generator, 256, 32)
    reference, honest = x @ w, quantise(x, ROW) @ quantise(w, COLUMN)
    evidence = ContractEvidence()
    for output in (reference.float(), reference.bfloat16()):
        found = judge_contract(output.double(), reference, honest, W8A8)
        assert found.missed == ()
        evidence.add(found, is_standard=True)
    assert evidence.is_too_exact
    evidence.add(judge_contract(honest, reference, honest, W8A8), is_standard=True)
    assert evidence.is_too_exact, "one quantised call excuses no other"
    evidence = ContractEvidence()
    evidence.add(judge_contract(reference, reference, honest, W8A8), is_standard=False)
    assert not evidence.is_too_exact, "outliers tell nothing: finer groups are much more exact there"
    evidence.add(judge_contract(honest, reference, honest, W8A8), is_standard=True)
    assert not evidence.is_too_exact


def test_nothing_undefined_passes():
    reference = torch.tensor([1.0, -2.0]).double()
    zeros, nothing = torch.zeros(2).double(), torch.zeros(0).double()
    assert judge_contract(zeros, reference, reference, W8A8).missed[0] == "cosine nan < 0.9500"
    assert judge_contract(nothing, nothing, nothing, W8A8).missed == ("no finite value to compare",)
    assert judge_contract(zeros, zeros, zeros, W8A8).missed == ()
    assert judge_contract(zeros + 1e-9, zeros, zeros, W8A8).missed == ("values other than zero",)


@pytest.mark.parametrize(("value", "reason"), [(math.nan, "nan"), (math.inf, "infinite")])
def test_what_is_not_finite_is_wrong_before_anything_is_measured(value, reason):
    reference = torch.ones(4).double()
    output = torch.tensor([1.0, 1.0, 1.0, value])
    spec = Output("y", (), "float32", contract=W8A8)
    found = compare(output, reference, spec=spec, tolerance=None, case=CASE, baseline=None, honest=reference)
    assert found.reason == reason


def test_the_printed_verdict_counts_calls_and_names_the_worst():
    whole, case = ContractEvidence(), ContractEvidence()
    reference = torch.linspace(1, 9, 9).double()
    for error in (0.0, 1.0, 0.5):
        case.add(judge_contract(reference + error, reference, reference, W8A8), is_standard=True)
    for _ in range(2):
        whole.join(case)
    assert whole.printed_verdict(W8A8) == (
        "misses the thresholds as printed in 4 of 6 calls, at worst with L1 0.2000 > 0.0500, RMSE 1 > 0.1: test"
    )
    assert ContractEvidence(3).printed_verdict(W8A8) == "meets the thresholds as printed in all 3 calls"


def test_the_reference_is_called_on_quantised_inputs_and_no_null_passes(task):
    case, seed = task.cases[0], Seed()
    contents = contents_of(task, case, draws_of(task)[0], seed)
    x, w = (contents[name] for name in ("x", "w"))
    assert isinstance(x, torch.Tensor)
    assert isinstance(w, torch.Tensor)
    outputs = Reference(task).outputs(case, contents)
    honest = quantise(x.double(), ROW) @ quantise(w.double(), COLUMN)
    assert torch.allclose(outputs[quantised_name("y")], honest)
    assert nulls_that_pass(task, seed) == []


class Gate:
    """A context of the correctness gate after the calls of one case, the RMSE of each a share of the honest one."""

    is_library_line = False

    def __init__(self, task, *shares: float) -> None:
        self.task, self.findings, self.held = task, [], []
        (case,) = task.cases_of(("small",))
        state = CaseState(case, contracts={"y": ContractEvidence()})
        for share in shares:
            state.contracts["y"].add(ContractResult((), (), None, None, share), is_standard=True)
        self.cases = {case.id: state}

    def hold(self, finding) -> None:
        self.held.append(finding)


def test_what_is_too_exact_is_held_and_an_honest_output_is_not(task):
    exact, honest, library = Gate(task, 0.2, 0.6), Gate(task, 0.6), Gate(task, 0.001)
    library.is_library_line = True
    for gate in (exact, honest, library):
        check_contracts(gate, "correctness")
        assert [finding.code for finding in gate.findings] == ["printed_contract"]
    assert [finding.code for finding in exact.held] == ["too_exact"]
    assert "only 20.0% of the error of honest quantisation in a call of 1 case:" in exact.held[0].text
    assert honest.held == library.held == []


def context_of(task: TaskSpec) -> Context:
    own = candidate.baseline(task)
    return Context(task, own, own, SimpleNamespace(torch_device="cpu", has_clock=True), None)


def judged(context: Context, state: CaseState, side: str, index: int, *, is_exact: bool) -> None:
    """Judge a timed call of one side, whose output is that of quantised or of unquantised numbers."""
    contents = context.contents(state.case, Draw("standard", "standard", index))
    wanted = context.reference.outputs(state.case, contents)
    output = wanted["y" if is_exact else quantised_name("y")].to(torch.float32)
    assert performance.wrong(context, state, side, contents, {"y": output}) is None


def test_a_product_in_full_precision_only_in_timed_calls_is_held(task, monkeypatch):
    """The baseline's calls, which are honest or not, say nothing of the candidate's."""
    context = context_of(task)
    context.baseline = context  # anything
    monkeypatch.setattr(Context, "is_library_line", False)
    monkeypatch.setattr(Context, "calibration", None)
    monkeypatch.setattr(performance, "_sessions", lambda *_: None)
    (case,) = task.cases_of(("small",))
    state = context.cases[case.id] = CaseState(case, draws=1)
    for side, is_exact, held in (("candidate", False, 0), ("baseline", True, 0), ("candidate", True, 1)):
        judged(context, state, side, held, is_exact=is_exact)
        assert performance.check(context) is performance.check(context) is None
        assert len(context.held) == held


def test_a_quantised_output_widens_no_other_outputs_bounds(task):
    case = task.cases_of(("small",))[0]
    contents = contents_of(task, case, draws_of(task)[0], Seed())
    reference = Reference(task)
    wanted = reference.outputs(case, contents)
    assert deviation_of(reference, case, contents, {"y": wanted[quantised_name("y")]}, wanted, {}) is None


def test_a_short_output_is_judged_beside_the_usual_error_too():
    reference, honest = torch.tensor([4.0, 1.0]).double(), torch.tensor([4.0, 1.001]).double()
    output = torch.tensor([4.0, 1.5]).double()  # 0.35 RMS, where honest results usually have 0.3
    assert judge_contract(output, reference, honest, W8A8).missed
    assert judge_contract(output, reference, honest, W8A8, 0.3).missed == ()
    assert judge_contract(-output, reference, honest, W8A8, 0.3).missed


def test_the_usual_error_of_a_short_output_comes_from_many_references(task):
    case = Case((("cols", 1), ("inner", 256), ("rows", 1)), "small")
    found = least_scales(context_of(task), case)["standard"]
    assert 0.001 < found[quantised_name("y")] / found["y"] < 0.05


def test_only_of_a_task_in_8_bits_may_the_arithmetic_be_twice_as_fast(task):
    other = replace(task, outputs=(replace(task.outputs[0], contract=None),))
    (case,) = task.cases_of(("small",))
    whole = replace(other, inputs=tuple(replace(item, dtype="int8") for item in other.inputs))
    for one, expected in ((task, True), (other, False), (whole, True)):
        context = Context(one, candidate.baseline(one), candidate.baseline(one), None, None)
        assert _is_in_8_bits(context, CaseState(case)) is expected
