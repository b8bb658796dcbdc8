"""What the code of a source uses, as its compiler saw it: names, fields, assembly, and what runs before any call.

The compiler writes unoptimised LLVM, in which every use of a function or variable is still a name, whatever macros,
aliases and templates the source says it with. Only functions written in the source itself are read: what functions of
headers do follows from which of them are called.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

# Beside the flags of the build. Lines are all that is needed of the debug information.
READING_FLAGS = ("-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-g1")

_NAME = re.compile(r'@("[^"]*"|[-\w.$]+)')
_FUNCTION = re.compile(r'define [^@\n]*@("[^"\n]*"|[-\w.$]+)\(')
_VARIABLE = re.compile(r'^@("[^"\n]*"|[-\w.$]+) = ([^\n]*)', re.MULTILINE)
_DEBUG = re.compile(r"!dbg (!\d+)")
_LOCATION = re.compile(r"^(!\d+) = (?:distinct )?!DILocation\(line: (\d+)", re.MULTILINE)
_SUBPROGRAM = re.compile(r"^(!\d+) = distinct !DISubprogram\([^\n]*?\bfile: (!\d+)(?:, line: (\d+))?", re.MULTILINE)
_FILE = re.compile(r'^(!\d+) = !DIFile\(filename: "([^"\n]*)", directory: "([^"\n]*)"', re.MULTILINE)
_FIELD = re.compile(r'getelementptr (?:\w+ )*%("[^"]*"|[-\w.$]+),')
_ASSEMBLY = re.compile(r'\basm (?:\w+ )*"')
_KIND_OF_TYPE = re.compile(r"(?:struct|class|union)\.(.*?)(?:\.\d+)?")
_FOR_LATER = re.compile(r"@__cxa_(?:thread_)?atexit\((?:ptr )?(?:\w+ )*@(\"[^\"]*\"|[-\w.$]+)")
_SECTION = re.compile(r'\bsection "(?!hipcpu_shared|llvm\.metadata)')  # where a variable could be found by the loader
# Intrinsics have no effect beyond their values, but for those that find the stack, registers or the clock.
_HARMLESS = re.compile(
    r"llvm\.(?!returnaddress|frameaddress|addressofreturnaddress|sponentry|eh\.sjlj|(?:read|write)_|init\.trampoline"
    r"|readcyclecounter|readsteadycounter|x86\.(?:rd|wr|xsave|flush|clflush|int|seh))"
)
_TEXT = re.compile(r'\bc"[^"]*"')
_STARTERS = ("llvm.global_ctors", "llvm.global_dtors")
_STARTS = ("_GLOBAL__sub_I_", "__cxx_global_var_init", "__cxx_global_array_dtor")  # made for variables by the compiler


class Use(NamedTuple):
    line: int  # 0 where the compiler does not say
    name: str
    user: str  # the function that uses it


class OwnCode(TypedDict):
    names: list[Use]  # functions and variables that the source uses and does not define
    fields: list[Use]  # types with a field that is read or written
    assembly: list[Use]
    before_calls: list[Use]  # functions that run when the extension is loaded or unloaded


class _Place(NamedTuple):
    path: str  # empty where the compiler does not say
    line: int


_NOWHERE = _Place("", 0)


class _Instruction(NamedTuple):
    line: int
    text: str


def read_own_code(llvm: str, files: Collection[str], headers: Path) -> OwnCode:
    """Return what the code in `files` uses, as mangled names, in a text that was compiled with READING_FLAGS.

    What is defined below `headers`, our own for HIP, does not count as a use.

    Raises:
        ValueError: the text is not of the form that this compiler writes.
    """
    places = _places(llvm)
    ours = {name for name, place in places.items() if place.path.startswith(f"{headers}/")}
    mine = _functions(llvm, {name for name, place in places.items() if not place.path or place.path in files})
    variables = _variables(llvm)
    uses = [use for name, code in mine.items() for use in _uses(name, code, variables)]
    assembly = [Use(one.line, "asm", user) for user, code in mine.items() for one in code if _ASSEMBLY.search(one.text)]
    if "\nmodule asm " in llvm:
        assembly.append(Use(0, "asm", ""))
    return {
        "names": _first_of_each([use for use in uses if use.name not in mine and use.name not in ours]),
        "fields": _first_of_each([use for name, code in mine.items() for use in _fields(name, code)]),
        "assembly": assembly,
        "before_calls": [Use(places[name].line, name, "") for name in _before_calls(llvm, mine)],
    }


def _functions(llvm: str, wanted: Collection[str]) -> dict[str, list[_Instruction]]:
    """Return the wanted functions, each with the instructions that could be of interest."""
    lines = {found[1]: int(found[2]) for found in _LOCATION.finditer(llvm)}
    functions, inside = dict[str, list[_Instruction]](), None
    for text in llvm.split("\n"):
        if text.startswith("define "):
            name = _defined(text)
            inside = functions.setdefault(name, []) if name in wanted else None
            continue
        if inside is None or text == "}":
            inside = None
            continue
        code, _, debug = text.partition(", !dbg ")
        line = lines.get(debug.partition(",")[0], 0)
        if inside and line and code.startswith("          to label "):  # the second line of a call that may throw
            inside[-1] = inside[-1]._replace(line=line)
        if "@" in code or "getelementptr" in code or " asm " in code:
            inside.append(_Instruction(line, code))
    return functions


def _defined(text: str) -> str:
    found = _FUNCTION.match(text)
    if found is None:
        raise ValueError(f"a definition without a name: {text[:80]}")
    return _bare(found[1])


def _places(llvm: str) -> dict[str, _Place]:
    """Return where every function that is defined was written."""
    files = {found[1]: str(Path(found[3], found[2])) for found in _FILE.finditer(llvm)}
    place_of = {found[1]: _Place(files.get(found[2], ""), int(found[3] or 0)) for found in _SUBPROGRAM.finditer(llvm)}
    places = dict[str, _Place]()
    for found in re.finditer(r"^define [^\n]*", llvm, re.MULTILINE):
        debug = _DEBUG.search(found[0])
        places[_defined(found[0])] = place_of.get(debug[1], _NOWHERE) if debug else _NOWHERE
    return places


def _variables(llvm: str) -> dict[str, list[str]]:
    """Return the names in the value of every variable that is defined, and in every alias."""
    variables = dict[str, list[str]]()
    all_found = list(_VARIABLE.finditer(llvm))
    if len(all_found) != llvm.count("\n@") + llvm.startswith("@"):
        raise ValueError("a variable without a name")
    for found in all_found:
        if not found[2].startswith(("external ", "extern_weak ", "available_externally ")):
            variables[_bare(found[1])] = _names_in(_TEXT.sub("", found[2]))
    return variables


def _uses(user: str, code: Sequence[_Instruction], variables: Mapping[str, Sequence[str]]) -> Iterator[Use]:
    """Yield the names that a function uses; who uses a variable uses what its value names."""
    for line, text in code:
        waiting, seen = _names_in(text), set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in variables:
                waiting += variables[name]
            else:
                yield Use(line, name, user)


def _fields(user: str, code: Sequence[_Instruction]) -> Iterator[Use]:
    for line, text in code:
        for found in _FIELD.finditer(text):
            kind = _KIND_OF_TYPE.fullmatch(_bare(found[1]))
            yield Use(line, kind[1] if kind else _bare(found[1]), user)


def _before_calls(llvm: str, mine: Mapping[str, Sequence[_Instruction]]) -> list[str]:
    """Return own functions that run at loading or at the end. Constructors of libraries, as of a map, are names."""
    values = [found[2] for found in _VARIABLE.finditer(llvm) if found[1] in _STARTERS or _finds_alone(found[2])]
    waiting = [name for value in values for name in _names_in(value)]
    code = [instruction.text for instructions in mine.values() for instruction in instructions]
    waiting += [_bare(later[1]) for text in code for later in _FOR_LATER.finditer(text)]
    found, seen = list[str](), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in mine or name in seen:
            continue
        seen.add(name)
        if name.startswith(_STARTS):
            waiting += [one for instruction in mine[name] for one in _names_in(instruction.text)]
        else:
            found.append(name)
    return found


def _finds_alone(value: str) -> bool:
    """Whether the loader would call what a variable's value names."""
    return " ifunc " in value or _SECTION.search(_TEXT.sub("", value)) is not None


def _names_in(text: str) -> list[str]:
    return [name for one in _NAME.findall(text) if not _HARMLESS.match(name := _bare(one))]


def _bare(name: str) -> str:
    r"""Return a name without quotes and without the \01 that stands before a name the source itself chose."""
    return name.strip('"').removeprefix("\\01")


def _first_of_each(uses: Sequence[Use]) -> list[Use]:
    first = dict[tuple[str, str], Use]()
    for use in uses:
        first.setdefault((use.name, use.user), use)
    return list(first.values())
