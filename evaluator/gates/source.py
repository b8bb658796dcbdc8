"""The source gate: checks of the submitted files before anything runs. Only allowed files, and labels from their text.

A label never fails a candidate. It names a capability that no kernel needs and puts the result on hold for review.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Protocol

from evaluator.judge.rejection import Rejection
from evaluator.records.record import Finding
from evaluator.tasks.candidate import Candidate

NAME = "source"
PYTHON_MODULES = {
    "ctypes": "native_calls",
    "cffi": "native_calls",
    "mmap": "native_calls",
    "ctypeslib": "native_calls",  # numpy's
    "cpp_extension": "native_calls",  # torch's: builds C++ and loads it
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
    "runpy": "imports_by_name",
    "marshal": "runs_text",
    "mock": "replaces_library_functions",
    "atexit": "runs_at_exit",
}
NAMESAKES = ("torch.signal", "scipy.signal")  # harmless modules with a name that is listed here
PYTHON_ATTRIBUTES = {
    "CDLL": "native_calls",
    "load_library": "native_calls",
    "compile_module_from_src": "native_calls",  # triton's
    "_getframe": "looks_around",
    "_current_frames": "looks_around",
    "__subclasses__": "looks_around",
    "gi_frame": "looks_around",
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
    "f_locals": "looks_around",
    "f_globals": "looks_around",
    "walk_stack": "looks_around",  # traceback's
    "currentframe": "looks_around",  # logging's
    "get_objects": "looks_around",
    "get_referrers": "looks_around",
    "__globals__": "looks_around",
    "FunctionType": "runs_text",
    "TorchDispatchMode": "replaces_library_functions",
    "TorchFunctionMode": "replaces_library_functions",
}
WHOLE = {  # full names, where the last part alone is too common
    "sys.modules": "looks_around",
    "builtins.exec": "runs_text",
    "builtins.eval": "runs_text",
    "builtins.__import__": "imports_by_name",
}
LIBRARIES = sys.stdlib_module_names | {"torch", "triton", "numpy"}  # no kernel sets their attributes
SETTINGS = re.compile(r"\b(backends|config|knobs)\b")  # candidates may change these settings
PYTHON_NAMES = {
    "__import__": "imports_by_name",
    "exec": "runs_text",
    "eval": "runs_text",
    "__builtins__": "runs_text",
}
# Text that a reader sees differently from Python or a compiler: other encodings, and text shown backwards.
CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
OWN_CODINGS = (b"utf-8", b"utf8", b"ascii", b"us-ascii")
TURNED = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
NATIVE_TEXT = {
    r"\b(dlopen|dlsym|mprotect|mmap|syscall)\s*\(": "native_calls",
    r"\"[^\"\n]*(\b(syscall|sysenter|int\s+0x80)\b|\.(byte|word|long|quad|octa|ascii)\b)": "native_calls",
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
ADJACENT = re.compile(r'"\s*"')  # string literals that a compiler joins: "sys" "call"
# Copies on another stream do not need the part of the device that is timed, so work between them would cost no time.
STREAMS, TO_THE_HOST = {"Stream", "stream"}, {"cpu", "numpy", "pin_memory"}


class SourceContext(Protocol):
    """The part of a context that this gate uses: of a Context, or of a mounted task's Session."""

    @property
    def candidate_files(self) -> Candidate: ...
    def hold(self, finding: Finding) -> None: ...


def check(context: SourceContext) -> Rejection | None:
    """Reject files that the task does not allow; label the others."""
    if context.candidate_files.problems:
        reason, _ = context.candidate_files.problems[0]
        same = [detail for other, detail in context.candidate_files.problems if other == reason]
        return Rejection(reason, ", ".join(same))
    for name, data in context.candidate_files.files.items():
        for label in sorted(python_labels(data) if name.endswith(".py") else native_labels(data)):
            context.hold(Finding(NAME, label, f"{name} uses what no kernel needs: {label.replace('_', ' ')}"))
    return None


def python_labels(source: bytes) -> set[str]:
    """Return the labels of a Python source. A source with syntax errors, which the compile gate rejects, gets only the
    labels that need no syntax tree."""
    hidden = _hidden_text(source)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return hidden
    nodes = list(ast.walk(tree))
    names = _names(nodes)
    found = {label for node in nodes for label in _labels_of(node, names) if label}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    both = bool(attributes & STREAMS and attributes & TO_THE_HOST)
    return found | hidden | ({"works_off_the_device"} if both else set())


def native_labels(source: bytes) -> set[str]:
    text = ADJACENT.sub("", source.decode("utf-8", errors="replace"))
    return {label for pattern, label in NATIVE_TEXT.items() if re.search(pattern, text)} | _hidden_text(source)


def _hidden_text(source: bytes) -> set[str]:
    codings = [found[1].lower() for line in source.splitlines()[:2] if (found := CODING.match(line))]
    turned = TURNED.search(source.decode("utf-8", errors="replace"))
    return {"hidden_text"} if turned or any(coding not in OWN_CODINGS for coding in codings) else set()


def _names(nodes: Sequence[ast.AST]) -> dict[str, str]:
    """Map local names to full names, from imports and plain assignments: `import torch as t`, `f = t.empty`."""
    names = dict[str, str]()
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                names |= {one.asname or one.name.partition(".")[0]: _bound(one) for one in aliases}
            case ast.ImportFrom(module=str() as module, names=aliases):
                names |= {one.asname or one.name: f"{module}.{one.name}" for one in aliases}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if dotted := _imported(value, names):
                names.setdefault(name, dotted)
    return names


def _bound(alias: ast.alias) -> str:
    return alias.name if alias.asname else alias.name.partition(".")[0]


def _imported(node: ast.AST, names: Mapping[str, str]) -> str | None:
    """Return the full dotted name of `a.b.c`, its first part resolved; None if it was not imported."""
    match node:
        case ast.Attribute(value=value, attr=name):
            owner = _imported(value, names)
            return f"{owner}.{name}" if owner else None
        case ast.Name(id=name):
            return names.get(name)
    return None


def _labels_of(node: ast.AST, names: Mapping[str, str]) -> set[str | None]:
    match node:
        case ast.Import(names=aliases):
            return {label for one in aliases for label in _of_modules(one.name)}
        case ast.ImportFrom(module=str() as module, names=aliases):
            return {label for one in aliases for label in _of_path(f"{module}.{one.name}")}
        case ast.Name(id=name):
            return {PYTHON_NAMES.get(name)}
        case ast.Attribute(ctx=ast.Load()):
            imported = _imported(node, names)
            return _of_path(imported) if imported else {PYTHON_ATTRIBUTES.get(node.attr)}
        case ast.Constant(value=str() as value):
            return {"looks_around" if "/proc/" in value else None}
    return {"replaces_library_functions" if _replaces(node, names) else _out_of_sight(node, names)}


def _of_path(name: str) -> set[str | None]:
    """Return the labels of a full dotted name."""
    return {WHOLE.get(name), PYTHON_ATTRIBUTES.get(name.rpartition(".")[2]), *_of_modules(name)}


def _of_modules(name: str) -> set[str | None]:
    """Return the labels of every part: a library exposes modules it imports, `torch.utils.cpp_extension.subprocess`."""
    if name.startswith(NAMESAKES):
        return set()
    return {PYTHON_MODULES.get(part) for part in name.split(".")}


def _replaces(node: ast.AST, names: Mapping[str, str]) -> bool:
    """Return whether the node replaces part of a library: `torch.empty = …`, setattr(torch, …), a new aten operator."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            return _is_of_a_library(node, names)
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return _is_namespace(value, names)
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[first, *_]):
            return _is_of_a_library(first, names)
        case ast.Call(func=ast.Attribute(attr="__setattr__" | "__delattr__"), args=[first, _, *_]):
            return _is_of_a_library(first, names)
        case ast.Call(func=ast.Attribute(attr="update" | "setdefault" | "pop" | "__setitem__", value=value)):
            return _is_namespace(value, names)
        case ast.Call(func=ast.Attribute(attr="Library"), args=[ast.Constant(value="aten"), *_]):
            return True
        case ast.Call(args=[ast.Constant(value=str() as first), *_]):
            return first.startswith("aten::")
    return False


def _is_of_a_library(node: ast.AST, names: Mapping[str, str]) -> bool:
    dotted = _imported(node, names) or ""
    return dotted.partition(".")[0] in LIBRARIES and not SETTINGS.search(dotted)


def _is_namespace(node: ast.AST, names: Mapping[str, str]) -> bool:
    """Return whether the node is a library's namespace, as vars(torch) or torch.__dict__."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[owner]) | ast.Attribute(attr="__dict__", value=owner):
            return _is_of_a_library(owner, names)
    return False


def _out_of_sight(node: ast.AST, names: Mapping[str, str]) -> str | None:
    """Return a label if the node reads a system module's attribute by a computed name."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[owner]) if _is_system(owner, names):
            return "imports_by_name"
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, *_]) if _is_system(owner, names):
            match name:
                case ast.Constant(value=str() as value):
                    return PYTHON_ATTRIBUTES.get(value)
            return "imports_by_name"
    return None


def _is_system(node: ast.AST, names: Mapping[str, str]) -> bool:
    return _imported(node, names) in ("os", "sys", "builtins")
