"""The source gate: checks of the submitted files before anything runs. Only allowed files, and only what is on a list.

A source that uses nothing but what kernels are known to need is plain. Whatever else it uses, it fails for nothing: the
result is on hold until a person has looked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from evaluator.gates.plain.found import LISTS, RULES, SourceFinding
from evaluator.gates.plain.reader import read_sources
from evaluator.judge.rejection import Rejection
from evaluator.records.record import Finding
from evaluator.tasks.candidate import Candidate
from evaluator.wording import counted

NAME = "source"
NAMED = 5  # uses of one rule that a finding names


class SourceContext(Protocol):
    """The part of a context that this gate uses: of a Context, or of a mounted task's ScriptSession."""

    findings: list[Finding]

    @property
    def candidate_files(self) -> Candidate: ...
    @property
    def foreign_files(self) -> Sequence[str]: ...
    @property
    def is_library_line(self) -> bool: ...  # then it is ours, and nobody needs to look at it
    @property
    def clock_covers_streams(self) -> bool: ...
    @property
    def requirements(self) -> Sequence[str]: ...  # forms of computing that the source must show
    def hold(self, finding: Finding) -> None: ...


def check(context: SourceContext) -> Rejection | None:
    """Reject files that the task does not allow, and report what the others use: one finding a rule and file."""
    if context.candidate_files.problems:
        reason, _ = context.candidate_files.problems[0]
        same = [detail for other, detail in context.candidate_files.problems if other == reason]
        return Rejection(reason, ", ".join(same))
    if context.foreign_files:  # of a bundle: what we read ourselves has them among its problems
        return Rejection("extra_file", ", ".join(context.foreign_files))
    for name, found in read_sources(context.candidate_files.files, context.requirements).items():
        report(context, NAME, name, found)
    return None


def report(context: SourceContext, gate: str, file: str, found: Iterable[SourceFinding]) -> None:
    """Add one finding a rule for what a file uses; those of rules that hold put the result on hold."""
    for rule, uses in _by_rule(found).items():
        text = f"{file}: {RULES.get(rule, rule.replace('_', ' '))}: {_listed(uses)}"
        if uses[0].holds(clock_covers_streams=context.clock_covers_streams) and not context.is_library_line:
            context.hold(Finding(gate, rule, f"{text} (lists of {LISTS})"))
        else:
            context.findings.append(Finding(gate, rule, text))


def _by_rule(found: Iterable[SourceFinding]) -> Mapping[str, list[SourceFinding]]:
    rules = dict[str, list[SourceFinding]]()
    for one in found:
        rules.setdefault(one.rule, []).append(one)
    return rules


def _listed(uses: list[SourceFinding]) -> str:
    named = ", ".join(f"{one.name} (line {one.line})" if one.line else one.name for one in uses[:NAMED])
    return f"{named} and {counted(len(uses) - NAMED, 'more use')}" if len(uses) > NAMED else named
