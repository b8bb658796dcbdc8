"""The prompt in the paper's eight sections (arXiv 2605.16819, appendix D), the same bytes for the same request.

Role, sources, architecture, instructions, completion, cheatsheets, workspace, iterations. Any change to a sentence
changes the experiment, so tests/agents/prompts holds the exact bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.agents.cheatsheets import cheatsheets_for
from evaluator.codec import plain_text
from evaluator.tasks.spec import Axis, TaskSpec

CARDS = {"gfx942": "AMD Instinct MI300X", "gfx950": "AMD Instinct MI355X", "sm_90": "NVIDIA H100 or H200 SXM"}
ROLES = {
    "hip2hip": "You are an expert in HIP kernels for GPUs. You take a kernel that works and make it as fast as the "
    "hardware allows, without changing what it computes.",
    "torch2hip": "You are an expert in HIP kernels for GPUs. You take a PyTorch module and write a HIP extension that "
    "computes the same, as fast as the hardware allows.",
    "torch2triton": "You are an expert in Triton kernels for GPUs. You take a PyTorch module and write Triton kernels "
    "that compute the same, as fast as the hardware allows.",
    "triton2triton": "You are an expert in Triton kernels for GPUs. You take a kernel that works and make it as "
    "fast as the hardware allows, without changing what it computes.",
}


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """Everything a prompt depends on."""

    task: TaskSpec
    architecture: str
    workspace: str  # the folder, as the agent sees it; empty for an agent that answers with whole files
    max_iterations: int
    cheatsheets: bool
    contract_shown: bool


def prompt_of(request: PromptRequest) -> str:
    """The whole prompt. Sections are numbered as in the paper; an empty one keeps its number and says "None."."""
    sections = (
        ("Role", ROLES[request.task.category]),
        ("Files and functions", _sources(request.task)),
        ("Target architecture", _architecture(request.architecture)),
        ("Instructions", _instructions(request)),
        ("Completion", _completion(request)),
        ("Reference material", _cheatsheets(request)),
        ("Workspace", _workspace(request)),
        ("Iterations", _iterations(request.max_iterations)),
    )
    parts = [f"# {number}. {title}\n\n{text.strip()}\n" for number, (title, text) in enumerate(sections, 1)]
    return "\n".join(parts)


def _sources(task: TaskSpec) -> str:
    verb = "to write" if task.starts_from_torch else "to optimise"
    lines = [f"File {verb}: {', '.join(task.editable)}"]
    if task.starts_from_torch:
        lines.append(f"PyTorch module to replace: {', '.join(task.sources)}")
    else:
        lines.append(f"Kernels: {', '.join(task.kernels)}")
    returned = "It returns its outputs." if task.entry.style == "return" else "It writes to outputs that it is given."
    names = ", ".join(item.name for item in task.inputs)
    lines.append(f"Function that is called: {task.entry.function}({names}). {returned}")
    return "\n".join(lines)


def _architecture(architecture: str) -> str:
    card = CARDS.get(architecture, "the GPU of this host")
    return (
        f"Write for {card}, architecture {architecture}. Before you build or measure anything, look for other "
        f"architectures written into files that you may edit, and change them to {architecture}."
    )


def _instructions(request: PromptRequest) -> str:
    task = request.task
    parts = [task.description.strip()]
    if request.contract_shown:
        axes = "\n".join(f"- {axis.name}: {_range(axis)}" for axis in task.axes)
        parts.append(f"Callers are promised that this works on all of:\n\n{axes}")
    bounds = _bounds(task)
    quantised = [output for output in task.outputs if output.contract is not None]
    if task.has_hidden_dropout_only:
        parts.append(
            "Dropout before a linear step: mean, variance and covariance of the outputs are judged, over many calls. "
            f"Rounding may move an element by:\n\n{bounds}"
        )
    elif bounds or not (task.relations or quantised):
        parts.append(f"Outputs are compared with a reference in double precision:\n\n{bounds}")
    if quantised:
        parts.append(
            "Outputs from quantised inputs are compared with the result in full precision:\n\n"
            + "\n".join(f"- {output.name}, {output.contract}" for output in quantised)
        )
    if task.relations:
        parts.append(
            "Several answers are right. relations.py computes in double precision what holds of all; a matrix of "
            f"yours may be off by:\n\n{_relations(task)}"
        )
    parts.append(
        "Time is what the device needs for one call, with cold caches and fresh inputs, on several shapes and dtypes. "
        "It is also tried on shapes that you do not see: write for the whole range, not for the cases you find."
    )
    if task.instructions.strip():
        parts.append(
            "The task has instructions of its own. Where they say otherwise than the rest of this prompt, the rest "
            f"counts:\n\n{_quoted(task.instructions)}"
        )
    return "\n\n".join(parts)


def _quoted(text: str) -> str:
    """The text of a task, in which no line can be taken for one of the prompt's own."""
    return "\n".join(f"> {line}".rstrip() for line in plain_text(text).strip().splitlines())


def _bounds(task: TaskSpec) -> str:
    if task.has_hidden_dropout_only:
        lines = [f"- {dtype}: {one.tau:g} of (RMS + its own size)" for dtype, one in sorted(task.tolerance.items())]
    else:
        lines = [
            f"- {dtype}: relative RMS error up to max(4 times the original's own, {one.c:g} eps sqrt({one.n.text})); "
            f"each element within {one.tau:g} of (RMS + its own size), or 4 times the original's worst"
            for dtype, one in sorted(task.tolerance.items())
        ]
    return "\n".join(lines)


def _relations(task: TaskSpec) -> str:
    lines = []
    for relation in task.relations:
        bounds = [f"{bound.c:g} eps sqrt({bound.n.text}) for {dtype}" for dtype, bound in relation.bounds.items()]
        allowed = "nothing" if relation.exact else f"max(4 times the original's own, {'; '.join(bounds)})"
        lines.append(f"- {relation.name}: {allowed}")
    return "\n".join(lines)


def _range(axis: Axis) -> str:
    if axis.kind != "dim":
        return ", ".join(str(value).lower() if isinstance(value, bool) else str(value) for value in axis.values)
    multiple = f", multiples of {axis.multiple_of}" if axis.multiple_of > 1 else ""
    couplings = "".join(f"; {coupling.text}" for coupling in axis.couplings)
    return f"{axis.low} to {axis.high}{multiple}{couplings}"


def _completion(request: PromptRequest) -> str:
    files = ", ".join(request.task.editable)
    where = f"Leave the final version in {files} in the workspace." if request.workspace else "Answer with whole files."
    return (
        f"{where} Change no other file of the task. When you are done, the same checks run once more on what you left: "
        "compilation, correctness, time. What you write about your version does not count, and no report is needed."
    )


def _cheatsheets(request: PromptRequest) -> str:
    if not request.cheatsheets:
        return "None."
    sheets = list(cheatsheets_for(request.task.category, request.architecture))
    if request.task.cheatsheet.strip():
        sheets.append(f"The task has a sheet of its own:\n\n{_quoted(request.task.cheatsheet)}\n")
    return "\n".join(sheets) or "None."


def _workspace(request: PromptRequest) -> str:
    if not request.workspace:
        return "You have none. The files of the task follow this prompt; answer with the whole text of each file."
    contract = " config.yaml lists the visible cases and the ranges." if request.contract_shown else ""
    return (
        f"Your folder is {request.workspace}. It holds the task's files, reference.py among them.{contract} "
        "Run `arena check` there: it compiles what the folder holds, compares it with the reference on the visible "
        "cases, times it where there is a device clock, and prints what it found. It is the only judge there is."
    )


def _iterations(max_iterations: int) -> str:
    versions = "one version" if max_iterations == 1 else f"up to {max_iterations} versions, each better than the last"
    return f"Write {versions}. Keep the best correct one."
