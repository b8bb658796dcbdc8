"""What the calls of all cases say of outputs with a contract: the verdict as printed, and whether they were quantised.

Nothing fails here. An output that is too exact for quantised numbers is right, but it is not what the task asks for:
the result is on hold until a person has looked at it, as where a source does not show the quantised form.
"""

from __future__ import annotations

from evaluator.gates.context import Context
from evaluator.judge.quantization import ContractEvidence
from evaluator.records.record import Finding


def check_contracts(context: Context, gate: str) -> None:
    """Add a finding with the verdict of the printed thresholds; hold what is too exact in some case."""
    for output in context.task.outputs:
        if output.contract is None:
            continue
        of_cases = {name: state.contracts[output.name] for name, state in context.cases.items() if state.contracts}
        together = ContractEvidence.together(of_cases.values())
        context.findings.append(Finding(gate, "printed_contract", f"{output.name} {together.printed_verdict}"))
        exact = {name: evidence.share for name, evidence in of_cases.items() if evidence.is_too_exact}
        if exact and not context.is_library_line:
            share = max(value for value in exact.values() if value is not None)
            text = f"{output.name} has {share:.1%} of the error of honest quantisation or less in {len(exact)} cases"
            context.hold(Finding(gate, "too_exact", f"{text}: it seems to be computed from unquantised numbers"))
