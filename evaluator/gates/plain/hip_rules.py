"""The rules for .hip sources: headers, names, members and words come from lists; nothing is made by the preprocessor.

A text cannot say of whom a member is, or what a function of a header does. Where a source is compiled for a CPU, its
compiler's names have the last word (gates/symbols.py); on every host, the open names of its object are judged too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evaluator.gates.plain.found import KEEPS_STATE, SourceFinding
from evaluator.gates.plain.hip_names import (
    HEADERS,
    MEMBERS,
    OPERATOR,
    PLAIN,
    READS,
    RUNTIME,
    STREAM,
    TORCH_MACROS,
    is_operator,
    rule_of,
    words,
)
from evaluator.gates.plain.hip_state import kept_variables
from evaluator.gates.plain.hip_tokens import Token, tokens

LIBRARIES = words("at c10 torch std py pybind11 caffe2 __gnu_cxx __cxxabiv1")
OPENED = words("std cooperative_groups torch::indexing pybind11::literals py::literals")  # by `using namespace`
ATTRIBUTES = words("""
    always_inline noinline aligned ext_vector_type vector_size unused maybe_unused nodiscard likely unlikely
    fallthrough noreturn packed address_space amdgpu_waves_per_eu amdgpu_flat_work_group_size amdgpu_num_vgpr
    amdgpu_num_sgpr amdgpu_max_num_work_groups may_alias pure hot cold flatten no_unique_address deprecated
    launch_bounds device host global shared constant managed forceinline""")
BUILTINS = re.compile(
    r"__builtin_(?:nontemporal_(?:load|store)|expect\w*|assume\w*|unreachable|trap|clz\w*|ctz\w*|popcount\w*"
    r"|ffs\w*|parity\w*|bit_cast|bswap\w+|bitreverse\w+|rotate(?:left|right)\w+|convertvector|shufflevector|elementwise_\w+"
    r"|reduce_\w+"
    r"|constant_p|is_constant_evaluated|prefetch|mem(?:cpy|set|move)(?:_inline)?|huge_val\w*|[su]?(?:add|sub|mul)\w*_overflow"
    r"|amdgcn_\w+|choose_expr|offsetof|isnan|isinf\w*|isfinite|signbit\w*|inff?|nanf?"
    r"|(?:fabs|fma|fmax|fmin|sqrt|exp2?|log2?|pow|floor|ceil|trunc|rint|round|copysign|sin|cos|tanh|ldexp|frexp|abs)[fl]?)"
)
# Of Python, of its binding and of torch's registration; the macros that a kernel needs are taken out.
FOREIGN = re.compile(
    r"_?Py(?!BIND11_MODULE$)[A-Z_]\w*|PYBIND11_(?!MODULE$)\w*|TH[PCD][A-Z]?\w*|(?:TORCH|AT|C10|CAFFE2)_\w+"
    r"|ob_(?:type|refcnt|base)|tp_\w+|co_(?:name|code|consts)"
)
OF_THE_EVALUATOR = re.compile(r"hipcpu\w*|HIPCPU\w*|arena_(?:binding|fill|define|allocator)\w*|ARENA_\w+")
OF_A_RUNTIME = re.compile(r"(?:hip|cuda|cu|roc|rocblas|hipblas|miopen|hsa|nccl|rccl|nvrtc)[A-Z]\w*|h(?:sa|iprtc)_\w+")
# Of the compiler that sees the text: a label, since the target's code is then not what ran here.
COMPILERS = re.compile(
    r"__(?:gfx\w+|GFX\w+|AMDGCN\w*|HIP\w*|CUDA\w*|NVCC__|amdgcn\w*|clang\w*|GNUC__|x86_64__|host__)|USE_ROCM"
)
BUILD_TIME = words("__has_include __has_include_next __has_embed __TIME__ __DATE__ __TIMESTAMP__ __BASE_FILE__")
PRAGMA = re.compile(r"(?:once|(?:no)?unroll\b.*|clang (?:loop|fp|diagnostic)\b.*|GCC (?:diagnostic|unroll|ivdep)\b.*)")
# A mnemonic of an AMD device never is one of a processor: those have no underscore.
_DEVICE_STATEMENT = re.compile(
    r"\s*(?:(?:v|s|ds|global|buffer|flat|scratch|image|tbuffer)_\w+(?:\s[\w\s%,:\[\](){}.|+*-]*)?)?"
)
_SUFFIX = re.compile(r"[fFlLuUhHdD]+|[eE][0-9]*")
_KEYWORDS = words("return else do throw case new delete co_return co_yield co_await")


def read_hip(text: str) -> Iterator[SourceFinding]:
    """Yield what a .hip source uses that is on no list, and what a reader should know of it."""
    found = list(tokens(text))
    yield from _spelling(found)
    code, bodies = list[Token](), list[Token]()  # what macros stand for and conditions name is code as well
    for line in _lines(found):
        if line[0].text == "#":
            yield from _directive(line)
            bodies += line[2:] if _text(line, 1) not in ("include", "pragma", "error", "warning") else ()
        else:
            code += line
            bodies += line
    yield from _words(bodies)
    yield from _qualified(bodies)
    yield from _members(bodies)
    yield from _attributes(bodies)
    yield from _assembly(bodies)
    yield from (SourceFinding(line, KEEPS_STATE, name) for line, name in kept_variables(code))


def _lines(found: Sequence[Token]) -> Iterator[list[Token]]:
    line = list[Token]()
    for token in found:
        if token.kind != "end":
            line.append(token)
        elif line:
            yield line
            line = []
    if line:
        yield line


def _spelling(found: Sequence[Token]) -> Iterator[SourceFinding]:
    """Other spellings of a letter or a mark, and strings in which comments and quotes mean nothing."""
    for line, kind, text in found:
        if kind == "raw":
            yield SourceFinding(line, "hidden_text", 'R"')
        elif text in ("%:", "<:", ":>", "<%", "%>", "\\") or text.startswith("??"):
            yield SourceFinding(line, "hidden_text", text)
        elif kind in ("word", "mark") and not text.isascii():
            yield SourceFinding(line, "hidden_text", "a letter that is not ASCII")


def _directive(line: Sequence[Token]) -> Iterator[SourceFinding]:
    number, name, rest = line[0].line, line[1].text if len(line) > 1 else "", line[2:]
    text = " ".join(token.text for token in rest)
    if name == "include":
        header = "".join(token.text for token in rest).strip('<>"')
        if not HEADERS.fullmatch(header):
            yield SourceFinding(number, "header", header)
    elif name == "pragma":
        if not PRAGMA.fullmatch(text):
            yield SourceFinding(number, "directive", f"pragma {text}")
    elif name == "define":
        if _puts_names_together(rest):
            yield SourceFinding(number, "directive", "##")
        if rest and re.match(r"_[_A-Z]", rest[0].text):
            yield SourceFinding(number, "directive", f"define {rest[0].text}")
    elif name in ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"):
        seen = sorted(token.text for token in rest if COMPILERS.fullmatch(token.text))
        yield from (SourceFinding(number, "depends_on_the_compiler", one) for one in seen[:1])
    elif name in ("else", "endif", "error", "warning", "undef", ""):
        return
    else:
        yield SourceFinding(number, "directive", f"{name} {text}")


def _puts_names_together(body: Sequence[Token]) -> bool:
    """`, ##__VA_ARGS__` only drops a comma."""
    marks = [index for index, token in enumerate(body) if token.text == "##"]
    return any([one.text for one in body[index - 1 : index + 2]] != [",", "##", "__VA_ARGS__"] for index in marks)


def _words(code: Sequence[Token]) -> Iterator[SourceFinding]:
    """Words that are judged wherever they stand."""
    own = _defined_here(code)
    for index, (line, kind, word) in enumerate(code):
        if kind != "word":
            continue
        if OF_A_RUNTIME.fullmatch(word) and word not in own:
            yield from _of_the_runtime(line, word)
        elif rule := _rule_of_word(word):
            yield SourceFinding(line, rule, word)
        elif rule := _rule_with_next(code, index):
            yield SourceFinding(line, rule, f"{word} {_text(code, index + 1)}")


def _rule_of_word(word: str) -> str:
    if FOREIGN.fullmatch(word) and not TORCH_MACROS.fullmatch(word):
        return "foreign_word"
    if OF_THE_EVALUATOR.fullmatch(word):
        return "of_the_evaluator"
    if word.startswith("__builtin_") and not BUILTINS.fullmatch(word):
        return "builtin"
    return "directive" if word in BUILD_TIME else ""


def _rule_with_next(code: Sequence[Token], index: int) -> str:
    """The rule of a word by what follows it, if it breaks one."""
    word, after = code[index].text, _text(code, index + 1)
    if word == "extern" and after.startswith('"'):
        return "" if "__global__" in {one.text for one in code[index + 2 : index + 6]} else "linkage"
    if word == "operator" and after in ("new", "delete"):
        return "operator_new"
    if word == "_Pragma" and not PRAGMA.fullmatch(_text(code, index + 2).strip('"')):
        return "directive"
    return ""


def _of_the_runtime(line: int, word: str) -> Iterator[SourceFinding]:
    name = re.sub("^cuda", "hip", word)
    if READS.fullmatch(name):
        yield SourceFinding(line, "reads_on_the_host", word)
    elif (rule := rule_of(name)) == STREAM:
        yield SourceFinding(line, STREAM, word)
    elif rule != PLAIN and not RUNTIME.fullmatch(name):
        yield SourceFinding(line, "runtime_function", word)


def _defined_here(code: Sequence[Token]) -> set[str]:
    """Return the functions that the text defines: a type, a name, its parameters and a body."""
    own = set[str]()
    for index in range(1, len(code) - 1):
        before, token = code[index - 1], code[index]
        typed = (before.kind == "word" and before.text not in _KEYWORDS) or before.text in ("*", "&", ">")
        if token.kind == "word" and typed and code[index + 1].text == "(" and OF_A_RUNTIME.fullmatch(token.text):
            end = _closing(code, index + 1)
            if _text(code, end + 1) == "{":
                own.add(token.text)
    return own


def _closing(code: Sequence[Token], start: int) -> int:
    """Return where the bracket at `start` closes, at most 400 tokens on."""
    depth = 0
    for index in range(start, min(len(code), start + 400)):
        depth += (code[index].text in ("(", "[")) - (code[index].text in (")", "]"))
        if depth == 0:
            return index
    return len(code)


def _text(code: Sequence[Token], index: int) -> str:
    return code[index].text if 0 <= index < len(code) else ""


def _qualified(code: Sequence[Token]) -> Iterator[SourceFinding]:
    """Names of libraries, `at::Tensor`, and what the text does with their namespaces."""
    index = 0
    while index < len(code):
        line, kind, text = code[index]
        if kind != "word" or (_text(code, index - 1) == "::" and _text(code, index - 2).isidentifier()):
            index += 1
            continue
        parts, start = [text], index
        while _text(code, index + 1) == "::" and index + 2 < len(code) and code[index + 2].kind == "word":
            parts.append(code[index + 2].text)
            index += 2
        index += 1
        name, before = "::".join(parts), _text(code, start - 1)
        if before == "namespace":
            yield from _namespace(line, name, code, start)
        elif parts[0] in LIBRARIES and len(parts) > 1 and (rule := rule_of(name)) != PLAIN:
            yield SourceFinding(line, rule, name)


def _namespace(line: int, name: str, code: Sequence[Token], start: int) -> Iterator[SourceFinding]:
    if _text(code, start - 2) == "using":
        if name not in OPENED and name.partition("::")[0] in LIBRARIES:
            yield SourceFinding(line, "namespace", f"using namespace {name}")
    elif _text(code, start + 1) == "=":
        if (name, _text(code, start + 2)) != ("py", "pybind11") and _text(code, start + 2) != "cooperative_groups":
            yield SourceFinding(line, "namespace", f"namespace {name} = …")
    elif name.partition("::")[0] in LIBRARIES:
        yield SourceFinding(line, "namespace", f"namespace {name}")


def _members(code: Sequence[Token]) -> Iterator[SourceFinding]:
    """Members that neither a list nor the text itself has. What is declared in the text may have any name."""
    declared = {
        token.text
        for index, token in enumerate(code)
        if token.kind == "word" and _text(code, index - 1) not in (".", "->", "::")
        and _text(code, index + 1) in (";", "=", ",", "[", "(", "{", ":", ")")
    }  # fmt: skip
    for index, token in enumerate(code):
        if token.text not in (".", "->"):
            continue
        at = _member_after(code, index)
        name = _text(code, at)
        if not name or _SUFFIX.fullmatch(name):
            continue
        if MEMBERS.reaches_out(name, called=_text(code, at + 1) == "("):
            yield SourceFinding(token.line, "member", name)
        elif name not in MEMBERS.plain and name not in declared:
            yield SourceFinding(token.line, OPERATOR if is_operator(name) else "member", name)
        elif name in ("item", "cpu"):
            yield SourceFinding(token.line, "reads_on_the_host", name)


def _member_after(code: Sequence[Token], index: int) -> int:
    """Return where the member's name stands after a dot or an arrow; behind the end where there is none."""
    at = index + 2 if _text(code, index + 1) == "template" else index + 1
    nowhere = len(code)
    if at >= nowhere or code[at].kind != "word":
        return nowhere
    behind_parameters = code[index].text == "->" and _text(code, index - 1) in (")", "mutable", "noexcept")
    if behind_parameters and (_text(code, at + 1) == "{" or code[at].text in LIBRARIES):  # `[](int n) -> int {`
        return nowhere
    while _text(code, at + 1) == "::" and at + 2 < nowhere and code[at + 2].kind == "word":
        at += 2
    return at


def _attributes(code: Sequence[Token]) -> Iterator[SourceFinding]:
    for index, (line, _, text) in enumerate(code):
        if text in ("__declspec", "__attribute"):
            yield SourceFinding(line, "attribute", text)
        opens = text == "__attribute__" or (text == "[" and _text(code, index + 1) == "[")
        if not opens:
            continue
        depth, named = 0, True
        for token in code[index + (text == "__attribute__") : index + 100]:
            depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
            if depth == 2 and token.kind == "word" and named:
                named = False
                if token.text.strip("_") not in ATTRIBUTES:
                    yield SourceFinding(line, "attribute", token.text)
            elif depth == 2 and token.text in ("(", "[", ","):
                named = True
            elif depth == 2 and token.text == "::":
                yield SourceFinding(line, "attribute", "an attribute of a compiler")
            elif depth == 0:
                break


def _assembly(code: Sequence[Token]) -> Iterator[SourceFinding]:
    """Assembly of the device is a label. Anything else, or what is not written out as text, is a processor's."""
    for index, (line, _, text) in enumerate(code):
        if text not in ("asm", "__asm", "__asm__"):
            continue
        at = index + 1
        while _text(code, at) in ("volatile", "__volatile__", "__volatile", "inline", "goto"):
            at += 1
        pieces = list[str]()
        while _text(code, at + 1 + len(pieces)).startswith('"'):
            pieces.append(_text(code, at + 1 + len(pieces)).strip('"'))
        after = _text(code, at + 1 + len(pieces))
        statements = re.split(r"\n|\\n|\\t|;", "".join(pieces))
        device = pieces and after in (":", ")", "::") and all(map(_DEVICE_STATEMENT.fullmatch, statements))
        yield SourceFinding(line, "device_assembly" if device else "assembly", text)
