"""Rejections of candidates, and how errors of workers translate into them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluator.host_paths import without_host_paths
from evaluator.inside.excerpts import LEFT_OUT, cut
from evaluator.records.reasons import REASONS, Status
from evaluator.sandbox import BadReply, LimitExceeded, OutputFlood, WorkerDied, WorkerError, WorkerFault, WorkerTimeout

MAX_DETAIL = 300  # characters of a sentence
_RAISED = {  # last part of an exception's class name → reason
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
_TEXTS = {  # text of C++ exceptions: from the allocator, the GPU driver, and evaluator/hip/cpu/runtime
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
_DEVICE_TEXTS = ("CUDA error", "HIP error", "Triton Error [CUDA]", "Triton Error [HIP]")  # texts of torch and Triton
_OURS = ("CompileFailed", "UnsupportedFeature", "OutOfBounds", "NoEntry")
AMD_FAULT = "Memory access fault by GPU"  # printed by ROCm's runtime, which then aborts the process
_SIGNALS = {"SIGSEGV": "segfault", "SIGBUS": "segfault", "SIGABRT": "aborted"}
_LIMITS = {"SIGXCPU": "its limit of processor time", "SIGXFSZ": "its limit of a file's size"}


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a candidate fails: `reason` is a key of REASONS, `detail` fills its sentence, `log` is what it printed."""

    reason: str
    detail: str
    log: str = ""

    @property
    def status(self) -> Status:
        return REASONS[self.reason][0]

    @property
    def sentence(self) -> str:
        detail = cut(without_host_paths(" ".join(self.detail.split())), MAX_DETAIL)
        return REASONS[self.reason][1].replace("{detail}", detail.rstrip("."))

    @property
    def of_baseline(self) -> str:
        """The sentence, phrased for the task's own baseline."""
        return self.sentence.replace("The candidate", "It")


def rejection_of(error: WorkerError) -> Rejection:
    """Translate the error of a candidate's worker into a rejection."""
    match error:
        case WorkerTimeout():
            if "sandbox's time" in error.detail:
                return Rejection("total_time", error.detail, error.output)
            reason = "build_time" if error.op == "build" else "call_time"
            return Rejection(reason, f"{error.op}: {error.detail}", error.output)
        case OutputFlood():
            return Rejection("flood", error.detail, error.output)
        case LimitExceeded():
            return Rejection("sandbox_limit", error.detail, error.output)
        case BadReply():
            return Rejection("forged_reply", error.detail, error.output)
        case WorkerFault():
            return _of_exception(error)
        case WorkerDied():
            return _of_death(error)
    return Rejection("raised", error.detail, error.output)


def of_exception_class(name: str, text: str, log: str = "", *, otherwise: str = "raised") -> Rejection:
    """Translate an exception's class and text into a rejection."""
    return Rejection(_RAISED.get(name, otherwise), text, log)


def _of_exception(error: WorkerFault) -> Rejection:
    name = error.kind.rpartition(".")[2]
    last = error.sentence or _line_of(error.kind, error.text)
    log = f"{error.output}\n{error.text}".strip()
    if name == "ImportError" and "module export function" in error.text:
        return Rejection("no_module", "", log)
    for marker, reason in _TEXTS.items():
        if marker in last and (OF_THE_RUNTIME not in marker or _is_native(error.text)):
            return Rejection(reason, last.partition(OF_THE_RUNTIME)[2] or last, log)
    if error.kind.startswith("torch._inductor."):  # torch.compile generates code for the GPU that is only emulated
        return Rejection("unsupported_feature", "torch.compile", log)
    ours = error.kind.startswith("evaluator.inside.")
    if name in _OURS and not ours:  # a class of the candidate with the name of one of the evaluator
        return Rejection("raised", last, log)
    detail = (last.partition(": ")[2] or last) if ours else last
    otherwise = "import_error" if error.op == "load" else "raised"
    if any(words in log for words in _DEVICE_TEXTS):  # possibly in the exception that caused this one
        otherwise = "device_error"
    return of_exception_class(name, detail, log, otherwise=otherwise)


def _is_native(trace: str) -> bool:
    """Return whether a traceback is complete and has only frames of the evaluator: candidates can forge its texts."""
    frames = _FRAME.findall(trace)
    return (
        trace.startswith("Traceback")
        and LEFT_OUT not in trace
        and all("/evaluator/inside/" in frame for frame in frames)
    )


def _line_of(kind: str, text: str) -> str:
    """Return the line of a traceback that names the exception; its message may have many more lines."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    named = [line for line in lines if line.startswith((kind, kind.removeprefix("builtins.")))]
    return (named or lines or [kind])[-1]


def _of_death(error: WorkerDied) -> Rejection:
    name = error.ended.signal
    if name is None:
        return Rejection("no_output", f"exit code {error.ended.exit_code} during {error.op}", error.output)
    if AMD_FAULT in error.output:
        return Rejection("out_of_bounds", f"{AMD_FAULT} during {error.op}", error.output)
    meaning = f" ({_LIMITS[name]})" if name in _LIMITS else ""
    return Rejection(_SIGNALS.get(name, "killed"), f"{name}{meaning} during {error.op}", error.output)
