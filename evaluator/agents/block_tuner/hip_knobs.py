"""The knobs of a HIP source: constants that name sizes, literal threads per block, launch bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluator.agents.block_tuner.knobs import Knob, is_size, size_knob

MOST_THREADS = 1024  # of a block
SIZE_WORDS = "THREAD|BLOCK|TILE|LINE|WARP|WAVE|ROWS|COLS|ITEM|UNROLL|CHUNK|STEP|VEC"
COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
CONSTANT = re.compile(
    rb"(?:constexpr\s+(?:unsigned\s+)?\w+\s+(?P<name>\w+)\s*=\s*|#define\s+(?P<macro>\w+)\s+)(?P<value>\d+)\b(?!\s*[.])"
)
KERNEL = re.compile(rb"__global__(?P<between>[^;{(]*?(?:__launch_bounds__\s*\([^()]*\)[^;{(]*?)?)\b(?P<name>\w+)\s*\(")
LAUNCH = re.compile(rb"(?P<name>\w+)\s*(?:<[^;<>]*>)?\s*<<<(?P<shape>.*?)>>>", re.DOTALL)
CONSTANT_WORD = re.compile(r"[A-Z][A-Z0-9_]*|\d+")


def hip_knobs(file: str, source: bytes) -> list[Knob]:
    """All knobs of one file, in the order of its text."""
    code = COMMENT.sub(lambda found: b" " * len(found.group()), source)
    knobs = [*_constants(file, code), *_literal_threads(file, code), *_bounds(file, code)]
    return sorted(knobs, key=lambda knob: knob.places)


def _constants(file: str, code: bytes) -> Iterator[Knob]:
    for found in CONSTANT.finditer(code):
        name, value = (found["name"] or found["macro"]).decode(), int(found["value"])
        if is_size(value) and re.search(SIZE_WORDS, name.upper()):
            yield size_knob(file, name, [found.span("value")], value, most=MOST_THREADS)


def _literal_threads(file: str, code: bytes) -> Iterator[Knob]:
    """Literal block sizes: <<<grid, 256, …>>>, <<<grid, dim3(16, 16), …>>> and `dim3 block(256)` of a variable."""
    for kernel, (begin, end) in _blocks(code):
        text = code[begin:end]
        if re.fullmatch(rb"\s*\w+\s*", text) and not text.strip().isdigit():
            declared = re.search(rb"dim3\s+" + text.strip() + rb"\s*\(([^;]*?)\)\s*;", code)
            if declared is None:
                continue
            begin, text = declared.start(1), declared[1]
        for literal in re.finditer(rb"(?<![\w.])\d+(?![\w.])", text):
            if is_size(value := int(literal.group())):
                place = (begin + literal.start(), begin + literal.end())
                yield size_knob(file, f"threads of {kernel}", [place], value, most=MOST_THREADS)


def _bounds(file: str, code: bytes) -> Iterator[Knob]:
    """Launch bounds as the product of the constants in the launch, so that they stay valid when those change."""
    shapes: dict[str, set[str]] = {}
    for kernel, (begin, end) in _blocks(code):
        shapes.setdefault(kernel, set()).add(_threads(code[begin:end].decode(errors="replace")))
    for found in KERNEL.finditer(code):
        name, bounded = found["name"].decode(), b"__launch_bounds__" in found["between"]
        threads = shapes.get(name, set())
        if bounded or len(threads) != 1 or "" in threads:
            continue
        [product] = threads
        place = found.end() - len(found.group()) + len(b"__global__")
        more = [f" __launch_bounds__({product}{rest})" for rest in ("", ", 2", ", 4", ", 8")]
        yield Knob(file, f"launch bounds of {name}", ((place, place),), ("", *more), 0)


def _threads(text: str) -> str:
    """`THREADS` or `TILE * LINES` where the block consists of constants alone, otherwise an empty text."""
    inner = re.sub(r"^\s*dim3\s*[({](.*)[)}]\s*$", r"\1", text, flags=re.DOTALL)
    words = [word.strip() for word in inner.split(",")]
    return " * ".join(words) if all(CONSTANT_WORD.fullmatch(word) for word in words) else ""


def _blocks(code: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
    """The kernel's name and the byte range of the second launch argument, the block."""
    for found in LAUNCH.finditer(code):
        offset, depth, begin = found.start("shape"), 0, -1
        shape = found["shape"]
        for index, byte in enumerate(shape + b","):
            depth += (byte in b"({[") - (byte in b")}]")
            if byte == ord(",") and depth == 0:
                if begin >= 0:
                    yield found["name"].decode(), (offset + begin, offset + index)
                    break
                begin = index + 1
