"""What the calls of all cases say of outputs with a contract: the verdict as printed, and whether they were quantised.

Nothing fails here. An output that is too exact for quantised numbers is right, but it is not what the task asks for:
the result is on hold until a person has looked at it, as where a source does not show the quantised form.
"""

from __future__ import annotations

from evaluator.gates.context import Context
from evaluator.judge.quantization import ContractEvidence
from evaluator.records.record import Finding
from evaluator.tasks.spec import Output
from evaluator.wording import counted

TOO_EXACT = "too_exact"


def check_contracts(context: Context, gate: str) -> None:
    """Add a finding with the verdict of the printed thresholds on these calls; hold what is too exact."""
    for output in context.task.outputs:
        if output.contract is None:
            continue
        together = ContractEvidence()
        for evidence in _of_cases(context, output):
            together.join(evidence)
        text = f"{output.name} {together.printed_verdict(output.contract)}"
        context.findings.append(Finding(gate, "printed_contract", text))
    hold_too_exact(context, gate)


def hold_too_exact(context: Context, gate: str) -> None:
    """Hold outputs that are too exact in a call so far, unless one is held already: timed calls count as well."""
    if context.is_library_line or any(finding.code == TOO_EXACT for finding in context.held):
        return
    for output in context.task.outputs:
        of_cases = _of_cases(context, output)
        exact = [evidence.share for evidence in of_cases if evidence.share is not None and evidence.is_too_exact]
        if exact:
            cases = counted(len(exact), "case")
            text = f"{output.name} has only {min(exact):.1%} of the error of honest quantisation in a call of {cases}"
            context.hold(Finding(gate, TOO_EXACT, f"{text}: it seems to be computed from unquantised numbers"))


def _of_cases(context: Context, output: Output) -> list[ContractEvidence]:
    return [state.contracts[output.name] for state in context.cases.values() if output.name in state.contracts]
