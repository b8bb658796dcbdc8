"""What was handed in, before anything is run: only files a candidate may bring, and what their text says about itself.

A label never fails a candidate. It names a capability that no kernel needs and puts the result on hold for a person.
"""

from __future__ import annotations

import ast
import re
from typing import Protocol

from evaluator.candidate import Candidate
from evaluator.judge.rejection import Rejection
from evaluator.records import Finding

NAME = "source"
PYTHON_MODULES = {
    "ctypes": "native_calls",
    "cffi": "native_calls",
    "mmap": "native_calls",
    "gc": "looks_around",
    "inspect": "looks_around",
    "threading": "own_threads",
    "_thread": "own_threads",
    "evaluator": "reaches_for_the_evaluator",
    "concurrent": "own_threads",
    "multiprocessing": "own_processes",
    "subprocess": "own_processes",
    "signal": "signals",
    "socket": "network",
    "importlib": "imports_by_name",
    "atexit": "runs_at_exit",
}
PYTHON_ATTRIBUTES = {
    "_getframe": "looks_around",
    "_current_frames": "looks_around",
    "fork": "own_processes",
    "forkpty": "own_processes",
    "posix_spawn": "own_processes",
    "posix_spawnp": "own_processes",
    "system": "own_processes",
    "popen": "own_processes",
    "settrace": "looks_around",
    "setprofile": "looks_around",
    "tb_frame": "looks_around",
    "f_back": "looks_around",
    "__globals__": "looks_around",
    "TorchDispatchMode": "replaces_library_functions",
    "TorchFunctionMode": "replaces_library_functions",
}
WHOLE = {"sys.modules": "looks_around"}  # where the last name alone says nothing
PATCHED = ("torch", "triton", "tl", "time", "os", "sys", "builtins")  # whose attributes no kernel sets
PYTHON_NAMES = {"__import__": "imports_by_name", "exec": "runs_text", "eval": "runs_text"}
NATIVE_TEXT = {
    r"\b(dlopen|dlsym|mprotect|mmap|syscall)\s*\(|\"\s*(syscall|sysenter|int\s+0x80)\b": "native_calls",
    r"\b(ptrace|process_vm_\w+)\s*\(|/proc/|include\s*\(?\s*[<\"]/|\.incbin": "looks_around",
    r"\b(fork|vfork|execve?|system|popen|posix_spawnp?)\s*\(": "own_processes",
    r"\bstd::(jthread|thread|async)\b|\bpthread_create\b": "own_threads",
    r"\b(signal|sigaction)\s*\(": "signals",
    r"__attribute__\s*\(\([^)]*constructor|\[\[[^\]]*constructor|\.init_array": "constructor",
    r"\batexit\s*\(": "runs_at_exit",
    r"\bsocket\s*\(": "network",
    r"hipcpu|arena_allocator": "looks_around",
    r"\b(cuda|hip)(HostAlloc|MallocHost|HostMalloc|HostRegister|Memcpy\w+)\b|\bpin_memory\b": "works_off_the_device",
}
# Copies on another stream need none of the device that a timed call is given: work between them would cost no time.
STREAMS, TO_THE_HOST = {"Stream", "stream"}, {"cpu", "numpy", "pin_memory"}


class Handed(Protocol):
    """What this gate needs to know: the native Context, or a mounted task's Session."""

    @property
    def candidate_files(self) -> Candidate: ...
    def hold(self, finding: Finding) -> None: ...


def check(context: Handed) -> Rejection | None:
    """Refuse files outside the allow-list; label the rest."""
    if context.candidate_files.problems:
        reason, _ = context.candidate_files.problems[0]
        same = [detail for other, detail in context.candidate_files.problems if other == reason]
        return Rejection(reason, ", ".join(same))
    for name, data in context.candidate_files.files.items():
        text = data.decode("utf-8", errors="replace")
        for label in sorted(python_labels(text) if name.endswith(".py") else native_labels(text)):
            context.hold(Finding(NAME, label, f"{name} uses what no kernel needs: {label.replace('_', ' ')}"))
    return None


def python_labels(text: str) -> set[str]:
    """Labels of a Python source; empty when it cannot be parsed (the compile gate says so)."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    nodes = list(ast.walk(tree))
    found = {label for node in nodes for label in _labels_of(node) if label}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return found | ({"works_off_the_device"} if attributes & STREAMS and attributes & TO_THE_HOST else set())


def _labels_of(node: ast.AST) -> set[str | None]:
    match node:
        case ast.Import(names=names):
            return {PYTHON_MODULES.get(alias.name.split(".")[0]) for alias in names}
        case ast.ImportFrom(module=str() as module, names=names):
            return {PYTHON_MODULES.get(module.split(".")[0]), *(_of_name(f"{module}.{alias.name}") for alias in names)}
        case ast.Name(id=name):
            return {PYTHON_NAMES.get(name)}
        case ast.Attribute():
            return {_of_name(ast.unparse(node))}
        case ast.Constant(value=str() as value):
            return {"looks_around" if "/proc/" in value else None}
    return {"replaces_library_functions" if _replaces(node) else _hidden(node)}


def _of_name(name: str) -> str | None:
    """The label of a dotted name, whether it was reached through its module or imported from it."""
    return WHOLE.get(name) or PYTHON_ATTRIBUTES.get(name.rpartition(".")[2])


def _replaces(node: ast.AST) -> bool:
    """Puts something in a library's place: `torch.empty = …`, setattr(torch, …), an operator of aten registered."""
    match node:
        case ast.Assign(targets=targets):
            return any(_patches(target) for target in targets)
        case ast.Call(func=ast.Name(id="setattr"), args=[first, *_]):
            return _root(first) in PATCHED
        case ast.Call(func=ast.Attribute(attr="Library"), args=[ast.Constant(value="aten"), *_]):
            return True
    return False


def _hidden(node: ast.AST) -> str | None:
    """Takes something from the system's modules by a name that is not written down."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id="os" | "sys" | "builtins")]):
            return "imports_by_name"
        case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="os" | "sys" | "builtins"), name, *_]):
            match name:
                case ast.Constant(value=str() as value):
                    return PYTHON_ATTRIBUTES.get(value)
            return "imports_by_name"
    return None


def _patches(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and _root(target) in PATCHED and not _is_setting(target)


def _is_setting(target: ast.Attribute) -> bool:
    """torch.backends.… and torch.set_… style switches are a candidate's own business."""
    return "backends" in ast.unparse(target)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def native_labels(text: str) -> set[str]:
    return {label for pattern, label in NATIVE_TEXT.items() if re.search(pattern, text)}
