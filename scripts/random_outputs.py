"""How often honest kernels with random outputs fail, and how often mistakes are found, by simulation.

usage: python -m scripts.random_outputs [--honest N] [--mistakes N]    prints two tables

An evaluation is simulated as the correctness gate makes it: every small case of a task, its draws, a call with the next
seed and, where there are too few elements, more calls. No kernel runs; a function of uniform numbers takes its place.
Once in 10^6 is too rare to be seen, so honest kernels are judged at larger chances of a false alarm, and it is counted
how many evaluations fail: with the bounds that the judge uses, at most as many as tests times that chance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from unittest.mock import patch

import torch

from evaluator.gates.correctness import SEED_BITS, SEEDED_DRAW, more_draws
from evaluator.judge import hidden_dropout, independence, numbers
from evaluator.judge.draws import Contents, Draw, Seed, contents_of, draws_of
from evaluator.judge.dropout import Mask
from evaluator.judge.hidden_dropout import HiddenEvidence
from evaluator.judge.random_outputs import CallsEvidence, evidence_of, shown
from evaluator.judge.reference import Reference
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import Case, TaskSpec

NUMBERS, DROPOUT = "triton2triton/arena/randn", "torch2triton/kernelbenchx/fused_hardshrink_dropout"
HIDDEN = "torch2triton/kernelbenchx/fused_mul_add_logsoftmax_dropout_bmm"
COLUMNS = 128  # of an output without rows
CHANCES = (1e-2, 1e-4)  # of a false alarm, in place of the judge's
Uniform = Callable[[tuple[int, int], int], torch.Tensor]  # shape and seed → uniform numbers


def uniform(shape: tuple[int, int], seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(Seed(b"numbers").number(seed))
    return torch.rand(shape, generator=generator, dtype=torch.float64)


def per_row(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return uniform((shape[0], 1), seed).expand(shape)


def per_column(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return uniform((1, shape[1]), seed).expand(shape)


def repeated_every(block: int) -> Uniform:
    def repeated(shape: tuple[int, int], seed: int) -> torch.Tensor:
        count = shape[0] * shape[1]
        return uniform((1, block), seed).repeat(1, count // block + 1)[0, :count].reshape(shape)

    return repeated


def per_block(shape: tuple[int, int], seed: int) -> torch.Tensor:
    count = shape[0] * shape[1]
    return uniform((count // 4 + 1, 1), seed).expand(-1, 4).reshape(-1)[:count].reshape(shape)


def complementary_pairs(shape: tuple[int, int], seed: int) -> torch.Tensor:
    numbers = uniform(shape, seed).reshape(-1)
    numbers[1::2] = 1 - numbers[: len(numbers) // 2 * 2 : 2]
    return numbers.reshape(shape)


def complementary_halves(shape: tuple[int, int], seed: int) -> torch.Tensor:
    numbers = uniform(shape, seed).reshape(-1)
    half = len(numbers) // 2
    numbers[half : 2 * half] = 1 - numbers[:half]
    return numbers.reshape(shape)


def mirrored_halves(shape: tuple[int, int], seed: int) -> torch.Tensor:
    numbers = uniform(shape, seed).reshape(-1)
    half = len(numbers) // 2
    numbers[len(numbers) - half :] = numbers[:half].flip(0)
    return numbers.reshape(shape)


def quotas(shape: tuple[int, int], seed: int) -> torch.Tensor:
    """In each block of 128 every 128th part of the distribution occurs once."""
    numbers = uniform(shape, seed).reshape(-1)
    whole = numbers[: len(numbers) // 128 * 128].view(-1, 128)
    whole[:] = (whole.argsort(1) + uniform((len(whole), 128), seed + 2**50)) / 128
    return numbers.reshape(shape)


def same_for_each_seed(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return uniform(shape, 0)


def same_for_next_seed(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return uniform(shape, seed // 2)


def counted_from_the_seed(shape: tuple[int, int], seed: int) -> torch.Tensor:
    """The next seed gives the same numbers, one element later."""
    count = shape[0] * shape[1]
    numbers = uniform((1, count + 1), seed // 2)[0]
    return numbers[seed % 2 : count + seed % 2].reshape(shape)


def end_not_drawn(shape: tuple[int, int], seed: int) -> torch.Tensor:
    """The last 64 elements are never dropped, and their numbers all the same."""
    numbers = uniform(shape, seed).reshape(-1)
    numbers[-64:] = 0.99
    return numbers.reshape(shape)


def last_row_dropped(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return torch.cat([uniform(shape, seed)[:-1], torch.zeros(1, shape[1], dtype=torch.float64)])


def last_column_dropped(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return last_row_dropped((shape[1], shape[0]), seed).T


def coarse(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return (uniform(shape, seed) * 4096).floor() / 4096 + 1 / 8192


def share_off(shape: tuple[int, int], seed: int) -> torch.Tensor:
    """Where p is 0.25, the share that is dropped is 0.27."""
    return uniform(shape, seed) / 1.08


def exchanged(shape: tuple[int, int], seed: int) -> torch.Tensor:
    """Where p is 0.25, the share that is dropped is 0.75; what is kept is divided by 0.25, as WIDER says."""
    return uniform(shape, seed) / 3


def of_32_bits(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return uniform(shape, seed % 2**32)


MISTAKES: dict[str, Uniform] = {
    "a mask per row": per_row,
    "a mask per column": per_column,
    "a mask per block of 4": per_block,
    "repeated every 64": repeated_every(64),
    "repeated every 1000": repeated_every(1000),
    "repeated every 1024": repeated_every(1024),
    "the same for each seed": same_for_each_seed,
    "the same for the next seed": same_for_next_seed,
    "a seed of 32 bits": of_32_bits,
    "counted from the seed": counted_from_the_seed,
    "complementary pairs": complementary_pairs,
    "complementary halves": complementary_halves,
    "mirrored halves": mirrored_halves,
    "quotas of 128": quotas,
    "the end not drawn": end_not_drawn,
    "the last row dropped": last_row_dropped,
    "the last column dropped": last_column_dropped,
}
UNSEEN_IN_PRODUCTS = {  # no mean or covariance of two elements of an output shows them, or too little
    "repeated every 1000",
    "counted from the seed",
    "complementary halves",
    "mirrored halves",
    "quotas of 128",
    "the end not drawn",
    "the last column dropped",
}
WIDER = {
    "5 % too wide": 1.05,
    "not divided by 1 - p": 0.75,
    "p and 1 - p exchanged": 3.0,
}  # what the output is multiplied by
OF_TASK: dict[str, dict[str, Uniform]] = {
    NUMBERS: {**MISTAKES, "a coarse grid": coarse, "5 % too wide": uniform},
    DROPOUT: {**MISTAKES, "p off by 0.02": share_off, "p and 1 - p exchanged": exchanged},
    HIDDEN: {
        **{name: kernel for name, kernel in MISTAKES.items() if name not in UNSEEN_IN_PRODUCTS},
        "p off by 0.02": share_off,
        "p and 1 - p exchanged": exchanged,
        "not divided by 1 - p": uniform,
    },
}


def first_problem(task: TaskSpec, kernel: Uniform, secret: bytes, wider: float = 1.0) -> str | None:
    """Return the first problem that an evaluation of a kernel finds, or None; outputs are `wider` than it draws."""
    for case in task.cases_of(("small",)):
        if found := _case_problem(task, case, kernel, Seed(secret), wider):
            return found
    return None


def _case_problem(task: TaskSpec, case: Case, kernel: Uniform, secret: Seed, wider: float) -> str | None:
    (output,), dtype = task.outputs, getattr(torch, task.dtype_of(task.outputs[0].dtype, case))
    evidence, reference = evidence_of(task, output, case), Reference(task)

    def call(draw: Draw) -> Iterator[str | None]:
        contents = contents_of(task, case, draw, secret)
        expected, drawn = reference.outputs(case, contents)[output.name], torch.as_tensor(contents["seed"])
        for seed in [drawn, *(drawn ^ bit for bit in SEED_BITS)] if draw == SEEDED_DRAW else [drawn]:
            now = {**contents, "seed": seed}
            seen = _output(evidence, kernel, now, expected, wider).to(dtype)
            yield shown(evidence, output, now, seen, expected, reference)

    draws = draws_of(task)
    found = next(filter(None, (problem for draw in draws for problem in call(draw))), None)
    more = more_draws(draws, 0 if found else evidence.calls_needed)
    return found or next(filter(None, (problem for draw in more for problem in call(draw))), None) or evidence.problem()


def _output(
    evidence: CallsEvidence, kernel: Uniform, contents: Contents, expected: torch.Tensor, wider: float
) -> torch.Tensor:
    seed = int(torch.as_tensor(contents["seed"]))
    if isinstance(evidence, HiddenEvidence):
        a, b, c, mat = (torch.as_tensor(contents[name]).double() for name in ("a", "b", "c", "mat"))
        logs = torch.log_softmax(a * b + c, -1)
        drawn = kernel((logs.shape[0] * logs.shape[1], logs.shape[2]), seed).reshape(logs.shape)
        return torch.where(drawn < evidence.p, 0.0, logs / (1 - evidence.p)) @ mat * wider
    rows, columns = expected.shape if expected.dim() == 2 else (-(-expected.numel() // COLUMNS), COLUMNS)
    drawn = kernel((rows, columns), seed).reshape(-1)[: expected.numel()].reshape(expected.shape)
    if isinstance(evidence.rule, Mask):
        return torch.where(drawn < evidence.rule.p, 0.0, evidence.rule.kept(expected))
    normal: torch.Tensor = torch.special.ndtri(drawn.clamp(2.0**-54, 1 - 2.0**-53))
    return normal * wider


def _honest(repeats: int) -> Iterator[str]:
    for name in OF_TASK:
        task = load_task(name)
        for chance in CHANCES:
            failed = 0
            with ExitStack() as stack:
                for module in (independence, numbers, hidden_dropout):
                    stack.enter_context(patch.object(module, "FALSE_ALARM", chance))
                for index in range(repeats):
                    failed += first_problem(task, _seeded(uniform, index), b"%d" % index) is not None
            yield f"{task.folder.name[:28]:28} at {chance:.0e} a test: {failed} of {repeats} honest evaluations fail"


def _mistakes(repeats: int) -> Iterator[str]:
    for name, mistakes in OF_TASK.items():
        task = load_task(name)
        for mistake, kernel in mistakes.items():
            wider = WIDER.get(mistake, 1.0)
            found = sum(first_problem(task, _seeded(kernel, i), b"%d" % i, wider) is not None for i in range(repeats))
            yield f"{task.folder.name[:28]:28} {mistake:28} found {found} of {repeats}"


def _seeded(kernel: Uniform, index: int) -> Uniform:
    """Return the kernel of one evaluation: all its numbers differ from those of the others."""
    return lambda shape, seed: kernel(shape, seed + (index << 40))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.random_outputs", description=__doc__.splitlines()[0])
    for name in ("honest", "mistakes"):
        parser.add_argument(f"--{name}", type=int, default=100, metavar="N")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for lines in (_honest(arguments.honest), _mistakes(arguments.mistakes)):
        for line in lines:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
