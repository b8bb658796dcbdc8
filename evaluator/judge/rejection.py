"""Why a candidate is turned away: a value with a reason code, and how the end of a worker translates into one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluator.records.reasons import REASONS, Status
from evaluator.sandbox import BadReply, OutputFlood, WorkerDied, WorkerError, WorkerFault, WorkerTimeout

MAX_DETAIL = 300
_RAISED = {  # the last part of an exception's class name → reason
    "CompileFailed": "target_compiler_error",
    "UnsupportedFeature": "unsupported_feature",
    "OutOfBounds": "out_of_bounds",
    "NoEntry": "no_entry",
    "SyntaxError": "syntax_error",
    "IndentationError": "syntax_error",
    "MemoryError": "out_of_memory",
    "OutOfMemoryError": "out_of_memory",  # torch's, of a device
    "CompilationError": "compiler_error",  # Triton's own, on a GPU
    "CompileTimeAssertionFailure": "compiler_error",
    "UnsupportedLanguageConstruct": "compiler_error",
    "OutOfResources": "compiler_error",
    "PTXASError": "compiler_error",
}
_TEXT_SAYS = {  # of exceptions of C++: the allocator's, the GPU driver's, and evaluator/hip/cpu/runtime's
    "std::bad_alloc": "out_of_memory",
    "can't allocate memory": "out_of_memory",
    "CUDA error: out of memory": "out_of_memory",
    "HIP error: out of memory": "out_of_memory",
    "an illegal memory access": "out_of_bounds",
    "PassManager::run failed": "compiler_error",
    "hipcpu: a kernel wrote behind": "out_of_bounds",
    "hipcpu: impossible wait": "unsupported_feature",
    "hipcpu: a kernel cannot launch": "unsupported_feature",
}
OF_THE_RUNTIME = "hipcpu: "
_FRAME = re.compile(r'^  File "([^"]+)"', re.MULTILINE)
_DEVICE_SAYS = ("CUDA error", "HIP error", "Triton Error [CUDA]", "Triton Error [HIP]")  # torch's and Triton's words
_OURS = ("CompileFailed", "UnsupportedFeature", "OutOfBounds", "NoEntry")
AMD_FAULT = "Memory access fault by GPU"  # ROCm's run time says it and aborts the process
_SIGNALS = {"SIGSEGV": "segfault", "SIGBUS": "segfault", "SIGABRT": "aborted"}


@dataclass(frozen=True, slots=True)
class Rejection:
    """`reason` is a key of reasons.REASONS; `detail` fills its sentence; `log` is the candidate's own output."""

    reason: str
    detail: str
    log: str = ""

    @property
    def status(self) -> Status:
        return REASONS[self.reason][0]

    @property
    def sentence(self) -> str:
        detail = " ".join(self.detail.split())
        return REASONS[self.reason][1].replace("{detail}", detail[:MAX_DETAIL].rstrip("."))

    @property
    def of_baseline(self) -> str:
        """The sentence where it is the task's own source that went wrong."""
        return self.sentence.replace("The candidate", "It")


def rejection_of(error: WorkerError) -> Rejection:
    """What the end of a candidate's worker means."""
    match error:
        case WorkerTimeout():
            if "sandbox's time" in error.detail:
                return Rejection("total_time", error.detail, error.output)
            reason = "build_time" if error.op == "build" else "call_time"
            return Rejection(reason, f"no answer to {error.op} in time", error.output)
        case OutputFlood():
            return Rejection("flood", error.detail, error.output)
        case BadReply():
            return Rejection("forged_reply", error.detail, error.output)
        case WorkerFault():
            return _of_exception(error)
        case WorkerDied():
            return _of_death(error)
    return Rejection("raised", error.detail, error.output)


def of_exception_class(name: str, text: str, log: str = "", *, otherwise: str = "raised") -> Rejection:
    """What an exception of this class and text means; ours say in their text what happened."""
    return Rejection(_RAISED.get(name, otherwise), text, log)


def _of_exception(error: WorkerFault) -> Rejection:
    name = error.kind.rpartition(".")[2]
    last = _line_of(error.kind, error.text)
    log = f"{error.output}\n{error.text}".strip()
    if name == "ImportError" and "module export function" in error.text:
        return Rejection("no_module", "", log)
    for marker, reason in _TEXT_SAYS.items():
        if marker in last and (OF_THE_RUNTIME not in marker or _is_native(error.text)):
            return Rejection(reason, last.partition(OF_THE_RUNTIME)[2] or last, log)
    if error.kind.startswith("torch._inductor."):  # torch.compile writes code for the GPU that is only pretended
        return Rejection("unsupported_feature", "torch.compile", log)
    ours = error.kind.startswith("evaluator.inside.")
    if name in _OURS and not ours:  # a class of the candidate's own with the name of one of ours
        return Rejection("raised", last, log)
    detail = (last.partition(": ")[2] or last) if ours else last
    otherwise = "import_error" if error.op == "load" else "raised"
    if any(words in log for words in _DEVICE_SAYS):  # perhaps of an exception that this one was raised from
        otherwise = "device_error"
    return of_exception_class(name, detail, log, otherwise=otherwise)


def _is_native(trace: str) -> bool:
    """Whole, and with no frame but ours? A Python candidate may raise the words of the CPU's HIP runtime, too."""
    frames = _FRAME.findall(trace)
    return trace.startswith("Traceback") and all("/evaluator/inside/" in frame for frame in frames)


def _line_of(kind: str, text: str) -> str:
    """The line of a traceback that names the exception: its message may go on for many more."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    named = [line for line in lines if line.startswith((kind, kind.removeprefix("builtins.")))]
    return (named or lines or [kind])[-1]


def _of_death(error: WorkerDied) -> Rejection:
    name = error.ended.signal
    if name is None:
        return Rejection("no_output", f"exit code {error.ended.exit_code} during {error.op}", error.output)
    if AMD_FAULT in error.output:
        return Rejection("out_of_bounds", f"{AMD_FAULT} during {error.op}", error.output)
    return Rejection(_SIGNALS.get(name, "killed"), f"{name} during {error.op}", error.output)
