"""What the calls of all cases say of outputs with a contract: the verdict as printed, and whether they were quantised.

Nothing fails here. An output that is too exact for quantised numbers is right, but it is not what the task asks for:
the result is on hold until a person has looked at it, as where a source does not show the quantised form.
"""

from __future__ import annotations

from evaluator.gates.context import Context
from evaluator.judge.quantization import ContractEvidence
from evaluator.records.record import Finding
from evaluator.wording import counted


def check_contracts(context: Context, gate: str) -> None:
    """Add a finding with the verdict of the printed thresholds; hold an output that is too exact in some case."""
    for output in context.task.outputs:
        if output.contract is None:
            continue
        found, together = [state.contracts.get(output.name) for state in context.cases.values()], ContractEvidence()
        of_cases = [evidence for evidence in found if evidence is not None]
        for evidence in of_cases:
            together.join(evidence)
        text = f"{output.name} {together.printed_verdict(output.contract)}"
        context.findings.append(Finding(gate, "printed_contract", text))
        exact = [evidence.share for evidence in of_cases if evidence.share is not None and evidence.is_too_exact]
        if exact and not context.is_library_line:
            cases = counted(len(exact), "case")
            text = f"{output.name} has at most {max(exact):.1%} of the error of honest quantisation in {cases}"
            context.hold(Finding(gate, "too_exact", f"{text}: it seems to be computed from unquantised numbers"))
