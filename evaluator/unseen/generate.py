"""The unseen core cases of a round: they follow from the generator's version, the task's digest and the round's secret.

Eight for a task and profile, the same for every entry. Each has dimensions that no seen case has together, whatever
its other axes; no two of them are the same. Their size keeps to what the seen cases of the profile cost: no dimension
beyond four times its largest seen value, bytes and operations within twice those of the largest seen case, inputs and
outputs within 2 GiB. What a category means stands in categories.py.

Dtype, layout and flags are drawn, by half from combinations that no seen case of the profile has, where there are
such. In the first alignment, the asymmetric and the first production case they are others than those of the seen
case that is nearest in its dimensions, so at least three cases change more than dimensions, if the contract has more.
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
SLOTS: tuple[tuple[ConfigCategory, bool], ...] = (  # in which case the axes beyond dimensions must change, too
    ("edge", False),
    ("scale_up", False),
    ("scale_down", False),
    ("alignment", True),
    ("alignment", False),
    ("asymmetric", True),
    ("production", True),
    ("production", False),
)
TRIES = 2000  # of one case; in 40 rounds over our 24 tasks the most was 132, for paged_decode_attention's alignment
SHRINKS = 64  # of one try: halving gets from any size to the least in fewer, for all dimensions together


def core_cases(task: TaskSpec, secret: bytes, profile: Profile) -> tuple[UnseenCase, ...]:
    """The eight cases of this task in the round of this secret.

    Raises:
        TaskError: the task has no seen case of the profile, or its contract leaves no room for a category.
    """
    contract = contract_of(task, profile)
    if not contract.seen:
        raise TaskError([f"{task.id}: no seen case of profile {profile}; unseen ones are measured by them"])
    found: list[UnseenCase] = []
    for number, (category, turned) in enumerate(SLOTS):
        integers = stream(GENERATOR_VERSION, task.digest, secret, f"{profile}/{number}/{category}")
        case = _case(contract, category, integers, turned, [unseen.case for unseen in found])
        found.append(UnseenCase(case, category))
    return tuple(found)


def _case(
    contract: Contract, category: ConfigCategory, integers: CounterStream, turned: bool, others: Iterable[Case]
) -> Case:
    taken = contract.taken | {tuple(contract.sizes(case).values()) for case in others}
    for _ in range(TRIES):
        proposal = propose(category, contract, integers)
        case = _fitted(contract, proposal, _rest(contract, integers), integers) if proposal else None
        if case is None or tuple(contract.sizes(case).values()) in taken:
            continue
        if turned and len(contract.rests) > 1 and contract.rest(case) == contract.rest(contract.nearest(case)):
            continue
        return case
    raise TaskError(
        [
            f"{contract.task.id}: arena.axes: seen no room for an unseen case of category {category}, profile "
            f"{contract.profile}, in {TRIES} tries; expected ranges and couplings that allow one"
        ]
    )


def _rest(contract: Contract, integers: CounterStream) -> Rest:
    seen = {contract.rest(case) for case in contract.seen}
    unseen = [rest for rest in contract.rests if rest not in seen]
    return integers.pick(unseen if unseen and integers.below(2) else contract.rests)


def _fitted(contract: Contract, proposal: Proposal, rest: Rest, integers: CounterStream) -> Case | None:
    """Shrink what is not pinned, one dimension of the broken rule at a time, until every rule holds."""
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
