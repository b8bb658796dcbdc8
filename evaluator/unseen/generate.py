"""Generates the unseen core cases of a round from the generator's version, the task's digest and the round's secret.

There are eight for a task and profile, the same for every entry. Each has a new combination of dimensions, whatever its
other axes. They cost about as much as the seen cases of the profile: no dimension is more than four times its largest
seen value, bytes and operations are at most twice those of the largest seen case, and inputs and outputs fit into
2 GiB. categories.py defines the categories.

Dtype, layout and flags are drawn, half of the time from combinations that no seen case of the profile has, if there are
any. In the first alignment, the asymmetric and the first production case they must differ from those of the seen case
with the nearest dimensions, so that at least three cases change more than dimensions, if the contract allows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from evaluator.errors import TaskError
from evaluator.tasks.spec import Case, Profile, TaskSpec
from evaluator.unseen.cases import ConfigCategory, UnseenCase
from evaluator.unseen.categories import Proposal, propose
from evaluator.unseen.contract import Contract, Rest, contract_of
from evaluator.unseen.counters import CounterStream, stream

GENERATOR_VERSION = "arena-unseen-1"
SLOTS: tuple[tuple[ConfigCategory, bool], ...] = (  # True: other axes than dimensions must differ as well
    ("edge", False),
    ("scale_up", False),
    ("scale_down", False),
    ("alignment", True),
    ("alignment", False),
    ("asymmetric", True),
    ("production", True),
    ("production", False),
)
TRIES = 2000  # per case; the maximum over 40 rounds of our 24 tasks was 132, for alignment in paged_decode_attention
SHRINKS = 64  # per try: halving all dimensions to their least size takes fewer


def core_cases(task: TaskSpec, secret: bytes, profile: Profile) -> tuple[UnseenCase, ...]:
    """The eight cases of a task in the round with this secret.

    Raises:
        TaskError: the task has no seen case of the profile, or its contract leaves no room for a category.
    """
    contract = contract_of(task, profile)
    if not contract.seen:
        raise TaskError([f"{task.id}: no seen case of profile {profile}, which unseen cases need for their bounds"])
    found: list[UnseenCase] = []
    for number, (category, must_differ) in enumerate(SLOTS):
        integers = stream(GENERATOR_VERSION, task.digest, secret, f"{profile}/{number}/{category}")
        case = _case(contract, category, integers, must_differ, [unseen.case for unseen in found])
        found.append(UnseenCase(case, category))
    return tuple(found)


def _case(
    contract: Contract, category: ConfigCategory, integers: CounterStream, must_differ: bool, others: Iterable[Case]
) -> Case:
    taken = contract.taken | {tuple(contract.sizes(case).values()) for case in others}
    for _ in range(TRIES):
        proposal = propose(category, contract, integers)
        case = _fitted(contract, proposal, _rest(contract, integers), integers) if proposal else None
        if case is None or tuple(contract.sizes(case).values()) in taken:
            continue
        if must_differ and len(contract.rests) > 1 and contract.rest(case) == contract.rest(contract.nearest(case)):
            continue
        return case
    raise TaskError(
        [
            f"{contract.task.id}: arena.axes: no unseen case of category {category}, profile {contract.profile}, was "
            f"found in {TRIES} tries; expected ranges and couplings that allow one"
        ]
    )


def _rest(contract: Contract, integers: CounterStream) -> Rest:
    seen = {contract.rest(case) for case in contract.seen}
    unseen = [rest for rest in contract.rests if rest not in seen]
    return integers.pick(unseen if unseen and integers.below(2) else contract.rests)


def _fitted(contract: Contract, proposal: Proposal, rest: Rest, integers: CounterStream) -> Case | None:
    """A case that keeps every rule, by shrinking unpinned dimensions of broken rules one at a time; None on failure."""
    for _ in range(SHRINKS):
        case = contract.case(proposal.sizes, rest)
        broken = contract.broken(case)
        if broken is None:
            return case
        lower = {
            axis.name: size
            for axis in contract.dims
            if axis.name in broken and (size := proposal.lower(axis, contract.least(axis))) is not None
        }
        if not lower:
            return None
        name = integers.pick(sorted(lower))
        proposal = replace(proposal, sizes={**proposal.sizes, name: lower[name]})
    return None
