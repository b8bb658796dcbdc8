"""Labels for Python sources: which capability it is that a source has and no kernel needs.

The lists hold whatever they do not know, and say only that. A label tells the person who looks what it is good for.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from evaluator.gates.plain.found import SourceFinding
from evaluator.gates.plain.python_tree import PythonTree, parts_of

MODULES = {
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
    "library": "replaces_library_functions",  # torch's: operators of the dispatcher, under any name
    "atexit": "runs_at_exit",
}
NAMESAKES = ("torch.signal", "scipy.signal")  # harmless modules with a name that is listed here
ATTRIBUTES = {
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
    "__del__": "finaliser",
    "FunctionType": "runs_text",
    "TorchDispatchMode": "replaces_library_functions",
    "TorchFunctionMode": "replaces_library_functions",
}
OF_OS = re.compile(r"os\.(exec|spawn|startfile|_exit|abort|kill)")
WHOLE = {  # full names, where the last part alone is too common
    "sys.modules": "looks_around",
    "builtins.exec": "runs_text",
    "builtins.eval": "runs_text",
    "builtins.__import__": "imports_by_name",
}
NAMES = {"__import__": "imports_by_name", "exec": "runs_text", "eval": "runs_text", "__builtins__": "runs_text"}
LIBRARIES = sys.stdlib_module_names | {"torch", "triton", "numpy"}  # no kernel sets their attributes
SETTINGS = re.compile(r"\b(backends|config|knobs)\b")  # candidates may change these settings
# Copies on another stream do not need the part of the device that is timed, so work between them would cost no time.
STREAMS, TO_THE_HOST = {"Stream", "stream"}, {"cpu", "numpy", "pin_memory"}


def labels(tree: PythonTree) -> Iterator[SourceFinding]:
    """Yield the labels of a source, each with what shows it."""
    for node in tree.nodes:
        for label in _labels_of(tree, node):
            if label:
                yield SourceFinding(getattr(node, "lineno", 1), label, _shown(node))
    attributes = {node.attr: node for node in tree.nodes if isinstance(node, ast.Attribute)}
    streams, copies = attributes.keys() & STREAMS, attributes.keys() & TO_THE_HOST
    if streams and copies:
        first = attributes[min(copies)]
        yield SourceFinding(first.lineno, "works_off_the_device", f".{first.attr} beside a stream")


def _shown(node: ast.AST) -> str:
    match node:
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return ", ".join(one.name for one in aliases)
        case ast.Call(func=called):
            return _shown(called)
        case ast.FunctionDef(name=name):
            return name
    first, parts = parts_of(node)
    return ".".join([first.id if isinstance(first, ast.Name) else "", *parts])


def _labels_of(tree: PythonTree, node: ast.AST) -> set[str | None]:
    match node:
        case ast.Import(names=aliases):
            return {label for one in aliases for label in _of_modules(one.name)}
        case ast.ImportFrom(module=str() as module, names=aliases):
            return {label for one in aliases for label in _of_path(f"{module}.{one.name}")}
        case ast.Name(id=name) if not tree.meanings(node):
            return {NAMES.get(name)}
        case ast.FunctionDef(name=name):
            return {ATTRIBUTES.get(name)}
        case ast.Attribute(ctx=ast.Load()):
            imported = _full_names(tree, node)
            return {label for one in imported for label in _of_path(one)} or {ATTRIBUTES.get(node.attr)}
    return {"replaces_library_functions" if _replaces(tree, node) else _out_of_sight(tree, node)}


def _full_names(tree: PythonTree, node: ast.AST) -> set[str]:
    """The full names of `a.b`, where `a` is imported or assigned something that is."""
    first, parts = parts_of(node)
    meanings = tree.meanings(first) if isinstance(first, ast.Name) else ()
    return tree.dotted(node) | {".".join([start, *parts]) for one in meanings for start in tree.aliased(one)}


def _of_path(name: str) -> set[str | None]:
    """Return the labels of a full dotted name."""
    own = "own_processes" if OF_OS.match(name) else WHOLE.get(name)
    return {own, ATTRIBUTES.get(name.rpartition(".")[2]), *_of_modules(name)}


def _of_modules(name: str) -> set[str | None]:
    """Return the labels of every part: a library exposes modules it imports, `torch.utils.cpp_extension.subprocess`."""
    if name.startswith(NAMESAKES):
        return set()
    return {MODULES.get(part) for part in name.split(".")}


def _replaces(tree: PythonTree, node: ast.AST) -> bool:
    """Return whether the node replaces part of a library: `torch.empty = …`, setattr(torch, …)."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            return _is_of_a_library(tree, node)
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return _is_namespace(tree, value)
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[first, *_]):
            return _is_of_a_library(tree, first)
        case ast.Call(func=ast.Attribute(attr="__setattr__" | "__delattr__"), args=[first, _, *_]):
            return _is_of_a_library(tree, first)
        case ast.Call(func=ast.Attribute(attr="update" | "setdefault" | "pop" | "__setitem__", value=value)):
            return _is_namespace(tree, value)
    return False


def _is_of_a_library(tree: PythonTree, node: ast.AST) -> bool:
    names = _full_names(tree, node)
    return any(one.partition(".")[0] in LIBRARIES and not SETTINGS.search(one) for one in names)


def _is_namespace(tree: PythonTree, node: ast.AST) -> bool:
    """Return whether the node is a library's namespace, as vars(torch) or torch.__dict__."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[owner]) | ast.Attribute(attr="__dict__", value=owner):
            return _is_of_a_library(tree, owner)
    return False


def _out_of_sight(tree: PythonTree, node: ast.AST) -> str | None:
    """Return a label if the node reads a system module's attribute by a computed name."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[owner]) if _is_system(tree, owner):
            return "imports_by_name"
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, *_]) if _is_system(tree, owner):
            match name:
                case ast.Constant(value=str() as value):
                    return ATTRIBUTES.get(value)
            return "imports_by_name"
    return None


def _is_system(tree: PythonTree, node: ast.AST) -> bool:
    return bool(_full_names(tree, node) & {"os", "sys", "builtins"})
