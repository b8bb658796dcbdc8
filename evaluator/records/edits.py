"""Kinds of edit between two versions of a candidate, recognised by what was added and removed.

A kind applies where the pieces of code that its pattern finds are other ones, or others in number, before and after;
what both sides have is no edit of it. Several kinds may apply. Comments, string literals and spaces do not count. Each
side is read once, whatever a stranger wrote there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from evaluator.records.plain_code import LONGEST, code_of, is_python

NONE, OTHER = "none", "other"


@dataclass(frozen=True, slots=True)
class EditKind:
    """A kind of edit. Where its pattern has a group, that is the piece of code that counts."""

    name: str
    sentence: str
    pattern: re.Pattern[str] | None = None


# A pattern ends with its line and repeats nothing inside a repetition, so that a search takes one pass.
KINDS: Mapping[str, EditKind] = {
    "mask": EditKind(
        "Mask",
        "What is read or written at the edges: masks, fill values, bounds checks.",
        re.compile(
            r"\b\w{0,40}mask\w{0,40}\s?=\s?[^,\n]{1,120}|\bother\s?=\s?[^,)\n]{1,60}|\btl\.where\s?\([^\n]{1,120}"
            r"|\b(?:boundary_check|padding_option)\s?=\s?[^\n]{1,60}|\bif\s?\([^\n]{0,80}?[<>]=?[^\n<>{;)]{1,80}"
        ),
    ),
    "cast": EditKind(
        "Data type",
        "Data types and conversions between them.",
        re.compile(
            r"\b(?:tl|torch)\.(?:float|bfloat|half|double|u?int|long|short|bool)\w*|\.to\([^)\n]{1,60}\)"
            r"|\.(?:float|half|bfloat16|double|int|long|bool|type_as)\(|\bdtype\s?=\s?[\w.]{1,40}"
            r"|\b(?:static|reinterpret)_cast\s?<[^>\n]{1,40}>"
            r"|\((?:float|double|half|__half|int|unsigned|long long)\)\s?\w"
            r"|\b__\w{1,12}2(?:float|half|bfloat16|int)\w{0,10}"
            r"|\b(?:__half2?|_Float16|__bf16|half2?|hip_bfloat16|__hip_bfloat162?|__hip_fp8\w*)\b"
        ),
    ),
    "stride": EditKind(
        "Index arithmetic",
        "Addresses: strides, offsets, indices, the order of elements in memory.",
        re.compile(
            r"\b\w{0,40}(?i:stride)\w{0,40}[^,\n]{0,40}|\.contiguous\(|\btl\.(?:arange|program_id|make_block_ptr|advance)\([^)\n]{0,80}"
            r"|\b\w{0,20}(?:offs|offset|idx|index|ptrs?)\w{0,20}\s?[+*-]?=(?!=)[^\n]{1,120}"
            r"|\btl\.(?:load|store)\s?\(([^,\n]{1,120})|\[[^\]\n]{0,60}[*+%/-][^\]\n]{0,60}\]"
            r"|\b(?:threadIdx|blockIdx|blockDim)\.[xyz]"
        ),
    ),
    "launch": EditKind(
        "Launch",
        "How a kernel is launched: grid, block sizes, warps, stages, autotuning.",
        re.compile(
            r"\b\w{0,20}[gG]rid\w{0,20}\s?=(?!=)[^\n]{1,160}|\b\w{1,60}\[[^\]\n]{1,80}\]\s?(?=\()|<<<[^>\n]{1,120}>>>"
            r"|\bhipLaunchKernelGGL\([^\n]{1,160}|\bdim3\b[^\n]{1,80}|\b__launch_bounds__\([^)\n]{1,40}\)"
            r"""|\b(?:num_warps|num_stages|waves_per_eu|matrix_instr_nonkdim|kpack)["']?\s?[:=]\s?\w{1,40}"""
            r"""|\b(?i:block(?!s\b|idx|dim)|threads?|tile)\w{0,40}["']?\s?[:=]\s?(?!=|tl\.constexpr)[^,;)\n]{1,60}"""
            r"|\btriton\.(?:autotune|Config|cdiv|next_power_of_2)\b"
        ),
    ),
    "algorithm": EditKind(
        "Algorithm",
        "The structure of the computation: loops, reductions, products, shared memory, the number of kernels.",
        re.compile(
            r"\b(?:for|while)\b[^\n]{1,120}|@triton\.jit\b|\b__global__\b|\b__shared__\b[^\n]{1,80}|\b__syncthreads\b"
            r"|\btl\.(?:sum|max|min|argmax|argmin|xor_sum|reduce|cumsum|cumprod|associative_scan|dot|dot_scaled|sort|range|static_range)\b"
            r"|\b(?:tl\.)?atomic_?(?i:add|sub|max|min|and|or|xor|exch|xchg|cas)\w{0,20}|\b__(?:shfl|ballot|reduce)\w{0,30}"
            r"|\b\w{0,30}(?:mfma|wmma)\w{0,30}"
        ),
    ),
    "delegated": EditKind(
        "Delegated operator",
        "An operator of PyTorch or a library that was introduced or removed.",
        re.compile(
            r"\b(torch(?:\.|::)(?!empty|zeros|ones|full|tensor|Tensor|device|dtype|float|double|half|bfloat|u?int|long"
            r"|short|bool|is_|cuda\b|jit\b|no_grad|inference_mode|Size\b|Generator|manual_seed|nn\.Module|nn\.Parameter"
            r"|autograd\b|Kernel|k[A-Z]|TensorOptions|version)\w{1,40}(?:(?:\.|::)\w{1,40}){0,3})\s?\("
            r"|\b((?:F\.|at::|aten::|nn\.functional\.)(?!empty|zeros|ones|full|Tensor)\w{1,40})\s?\("
            r"|\b((?:hipblas|rocblas|miopen|hipfft|rocfft|hipsolver|rocsolver|cublas|cudnn)\w{1,60})\s?\("
            r"|(\.(?:matmul|mm|bmm|addmm|einsum|softmax|log_softmax|cumsum|cumprod|sort|topk|argsort))\("
        ),
    ),
    NONE: EditKind("No substantial change", "Only comments, string literals or spaces differ, or nothing does."),
    OTHER: EditKind("Other", "The code differs, and in none of these ways."),
}


def kinds_of(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Return the kinds of edit from one version's files to the next one's, in the order of KINDS.

    They are not known, and none is returned, where a file that changed is longer than what is read of it.
    """
    changed = [path for path in {*before, *after} if before.get(path) != after.get(path)]
    if any(len(files.get(path, "")) > LONGEST for path in changed for files in (before, after)):
        return ()
    return _kinds(_code(before), _code(after), is_moved=_blocks(before.items()) != _blocks(after.items()))


def kinds_of_diff(diff: str) -> tuple[str, ...]:
    """The same from a unified diff, as far as it shows."""
    sides: list[list[tuple[str, str]]] = [[], []]
    for path, *hunk in _hunks(diff):
        for found, lines in zip(sides, hunk, strict=True):
            found.append((path, "\n".join(lines)))
    old, new = ("\n".join(_code_of_part(*part) for part in found) for found in sides)
    return _kinds(old, new, is_moved=_blocks(sides[0]) != _blocks(sides[1]))


def _kinds(old: str, new: str, *, is_moved: bool) -> tuple[str, ...]:
    """`is_moved`: a line of Python lies in another block."""
    if old.split() == new.split():
        return (OTHER,) if is_moved else (NONE,)
    old, new = _evenly(old), _evenly(new)
    found = tuple(
        slug
        for slug, kind in KINDS.items()
        if kind.pattern and _pieces(kind.pattern, old) != _pieces(kind.pattern, new)
    )
    return found or (OTHER,)


def _blocks(parts: Iterable[tuple[str, str]]) -> list[int]:
    """How deep each line of Python lies, whatever the width of a step; lines inside brackets do not count."""
    found, open_at, brackets = list[int](), [0], 0
    code = "\n".join(_code_of_part(path, text) for path, text in sorted(parts) if is_python(path))
    for line in filter(str.strip, code.splitlines()):
        if not brackets:
            indent = len(line) - len(line.lstrip())
            while open_at[-1] > indent:
                open_at.pop()
            open_at += [indent] * (open_at[-1] < indent)
            found.append(len(open_at))
        brackets += sum(line.count(sign) for sign in "([{") - sum(line.count(sign) for sign in ")]}")
        brackets = max(0, brackets)
    return found


def _pieces(pattern: re.Pattern[str], code: str) -> Counter[str]:
    """What the pattern finds, and how often, without spaces."""
    return Counter(_own_part("".join(found[found.lastindex or 0].split())) for found in pattern.finditer(code))


def _own_part(piece: str) -> str:
    """The piece up to a bracket that closes what began before it: mask=m of load(p, mask=m) + 1."""
    depth = 0
    for at, character in enumerate(piece):
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            return piece[:at]
    return piece


def _evenly(code: str) -> str:
    """The code with at most one space in a row, as patterns expect it."""
    return "\n".join(" ".join(line.split()) for line in code.splitlines())


def _code(files: Mapping[str, str]) -> str:
    return "\n".join(code_of(path, text) for path, text in sorted(files.items()))


def _code_of_part(path: str, text: str) -> str:
    """The code of a part of a file. Where it holds one end of a long string, nobody knows which: all of it counts."""
    for quotes in ('"""', "'''"):
        if is_python(path) and text.count(quotes) % 2:
            text = text.replace(quotes, " ")
    return code_of(path, text)


def _hunks(diff: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each hunk's file, and the lines of its old and of its new side."""
    path = ""
    old, new = list[str](), list[str]()
    for line in diff.splitlines():
        if line.startswith(("--- a/", "+++ b/", "@@ ")):
            if old or new:
                yield path, old, new
            old, new = [], []
            path = path if line.startswith("@@ ") else line[6:]
        elif line.startswith(("-", " ")):
            old.append(line[1:])
        if line.startswith(("+", " ")) and not line.startswith("+++ b/"):
            new.append(line[1:])
    if old or new:
        yield path, old, new
