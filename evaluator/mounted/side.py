"""One side of a mounted task's evaluation: runs commands on its files in a sandbox, and guards the files."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from evaluator.inside.command import NOTES
from evaluator.inside.excerpts import cut
from evaluator.judge.rejection import Rejection, of_exception_class
from evaluator.mounted import reports
from evaluator.mounted.asked import Exam, read_exam
from evaluator.mounted.checkout import OUTPUT_FOLDERS, MountedTask, Stage
from evaluator.mounted.report_formats import ScriptTimes
from evaluator.sandbox import Sandbox, Worker, WorkerError

MAILBOX_BYTES = 8 << 20  # of the largest report that is read
GRACE_S, LOOK_S = 30.0, 60.0
Observed = Literal["", "forms", "contents"]  # what is noted of a command's questions; contents cannot be read in graphs
CACHES = (".triton", ".tmp", ".cache", ".pytest_cache")
FAULT = re.compile(r"^arena: (\w+): (.*)$", re.MULTILINE)  # printed by inside/start/sitecustomize
SIGNALS = {139: "segfault", 135: "segfault", 134: "aborted", 137: "killed"}  # exit codes of a shell: 128 + signal
FAILED_COMMAND: Mapping[Stage, str] = {
    "compile": "compiler_error",
    "correctness": "check_failed",
    "performance": "command_failed",
}
RAISED = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception)(?::.*)?$", re.MULTILINE)  # the last line of a traceback
MAX_SAID = 200  # characters of a command's output in a sentence


@dataclass(slots=True)
class ScriptSide:
    """A side with its whole workspace (`files`). Rejections name the candidate, whichever side it is."""

    task: MountedTask
    files: Mapping[str, bytes]
    sandbox: Sandbox
    pretend: bool  # a GPU, on a host without one
    limits_s: Mapping[Stage, float]
    tell: Callable[[str], object] = lambda line: None  # gets a line before each command
    printed: str = ""  # by all its commands, once it is closed
    leftovers: int = 0
    printed_failures: set[Stage] = field(default_factory=set)  # stages that printed FAIL, or too much to search
    report: str = ""  # the file of the last performance report; empty if it was only printed
    _worker: Worker | None = None
    _last_output: str = ""  # of the last command

    def compile(self) -> Rejection | None:
        return self._run_all("compile") or self._against_status("compile", reports.COMPILE_REPORT)

    def correctness(self) -> Rejection | None:
        return self._run_all("correctness") or self._against_status("correctness", reports.CORRECTNESS_REPORT)

    def exam_of(self, stage: Stage) -> Exam:
        """What the stage's commands ask when they are run once more, not for their outcome; nothing if they kill it.

        An observed run is no verdict: reading tensors makes the host wait, and breaks graphs that are being captured.
        """
        try:
            self._run_all(stage, observed="contents" if stage == "correctness" else "forms")
            return read_exam(self._collect(NOTES))
        except WorkerError:
            return ()

    def performance(self, flag: str = "") -> tuple[ScriptTimes, ...] | Rejection:
        """The reported cases, or a rejection; `flag` is appended to each command."""
        if rejection := self._run_all("performance", flag):
            return rejection
        found = self._reported()
        return (self._stand_in_fault() or found) if isinstance(found, Rejection) else found

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self.printed = self._worker.output().strip()
            self._worker = None

    def _run_all(self, stage: Stage, flag: str = "", observed: Observed = "") -> Rejection | None:
        """Run the commands of a stage until one fails; a changed file is reported first, since it explains the rest."""
        self._ask("remove", LOOK_S, paths=[*reports.ALL, NOTES])
        for command in self.task.commands[stage]:
            failed = self._run(stage, f"{command} {flag}".strip(), observed)
            if rejection := self._changed_files() or failed:
                return rejection
        return None

    def _run(self, stage: Stage, text: str, observed: Observed) -> Rejection | None:
        limit_s, mark = self.limits_s[stage], f"[{secrets.token_hex(8)}]"
        once = self.pretend and stage == "performance"
        self.tell(f"{stage}, at most {limit_s:.0f} s: {text}")
        fields: dict[str, object] = {
            "text": text,
            "mark": mark,
            "pretend": self.pretend,
            "once": once,
            "limit_s": limit_s,
        }
        fields |= {"observed": list(self.task.editable) if observed else [], "contents": observed == "contents"}
        reply = self._ask("command", limit_s + GRACE_S, **fields)
        _, marked, printed = self._ready_worker().output().rpartition(mark)
        self._last_output = printed.partition("\n$ ")[2].partition("\n")[2] if marked else printed
        self.leftovers += cast("int", reply["leftovers"])
        code = cast("int | None", reply["code"])
        if code is None:
            return self._out_of_time(stage, text, limit_s)
        if code != 0:
            return self._failed(stage, text, code)
        if not marked or re.search(r"\bFAIL(ED)?\b", self._last_output):
            self.printed_failures.add(stage)
        return None

    def _out_of_time(self, stage: Stage, text: str, limit_s: float) -> Rejection:
        """The rejection for a timeout; interpreted kernels are slow through no fault of their own."""
        reason = "host_budget" if self.pretend else "build_time" if stage == "compile" else "call_time"
        return Rejection(reason, f"{text}: not done after {limit_s:.0f} s", self._last_output)

    def _failed(self, stage: Stage, text: str, code: int) -> Rejection:
        """Why a command failed: the fault that a stand-in reported, otherwise the signal, otherwise the exit code."""
        reason = SIGNALS.get(code, "killed" if code < 0 else FAILED_COMMAND[stage])
        said = cut(_said(self._last_output), MAX_SAID)
        detail = f"{said} (exit code {code} of {text})" if said else f"{text} ended with exit code {code}"
        return self._stand_in_fault() or Rejection(reason, detail, self._last_output)

    def _stand_in_fault(self) -> Rejection | None:
        """The fault that a stand-in reported for a launch, which the script may have ignored, or None."""
        reported = FAULT.findall(self._last_output) if self.pretend else []
        faults = [of_exception_class(kind, text, self._last_output) for kind, text in reported]
        return next((fault for fault in faults if fault.reason != "raised"), None)

    def _reported(self) -> tuple[ScriptTimes, ...] | Rejection:
        for name in reports.PERFORMANCE_REPORTS:
            if (data := self._collect(name)) is not None:
                self.report = name
                return reports.read_measured(name, data, "")
        self.report = ""
        return reports.read_measured("", None, self._last_output)

    def _changed_files(self) -> Rejection | None:
        """A rejection if a file was changed, or one was added that Python would import by itself."""
        reply = self._ask("inspect", LOOK_S, paths=list(self.files), passed_over=[*CACHES, *OUTPUT_FOLDERS])
        digests = cast("dict[str, str | None]", reply["digests"])
        for name, data in self.files.items():
            if digests.get(name) != hashlib.sha256(data).hexdigest():
                return Rejection("protected_file", f"{name} was changed")
        unexpected = cast("list[str]", reply["strangers"])
        return Rejection("extra_file", f"{', '.join(unexpected)}, written while it ran") if unexpected else None

    def _against_status(self, stage: Stage, name: str) -> Rejection | None:
        problem = reports.status_problem(name, self._collect(name))
        reason = "compiler_error" if stage == "compile" else "check_failed"
        return Rejection(reason, problem, self._last_output) if problem else None

    def _collect(self, name: str) -> bytes | None:
        size = cast("int | None", self._ask("collect", LOOK_S, path=name)["size"])
        if size is None or size > MAILBOX_BYTES:
            return None if size is None else b""  # too large: treated as an unreadable report
        return bytes(self._ready_worker().mailbox.view(0, size))

    def _ask(self, op: str, timeout_s: float, **fields: object) -> dict[str, object]:
        return self._ready_worker().call(op, timeout_s=timeout_s, **fields)

    def _ready_worker(self) -> Worker:
        """The side's only worker, so that each command finds the files of the previous ones."""
        if self._worker is None:
            self._worker = self.sandbox.spawn(mailbox_bytes=MAILBOX_BYTES)
            for name, data in self.files.items():
                self._worker.put(name, data)
        return self._worker


def _said(output: str) -> str:
    """The line of a failed command's output that helps: its last exception, a compiler's first error, or the last."""
    lines = [line for line in output.splitlines() if line.strip()]
    raised = [line for line in lines if RAISED.match(line)]
    errors = [line for line in lines if "error:" in line]
    return (raised[-1:] or errors[:1] or lines[-1:] or [""])[0].strip()
