"""The corpora's outcome as text: class × gate × backend, then caught, passed and rejected of how many."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.judge.nulls import NULLS
from evaluator.pipeline import GateVerdict
from tests.cheats.corpus import BACKENDS, Entry, cheats, honest, verdict
from tests.cheats.ledger import Ledger

CLASSES = (  # 1 to 45 are those of measurement.md §4.3
    *(
        "constant output",
        "alias or copy of an input",
        "previous output",
        "memory that nobody wrote",
        "last block missing",
    ),
    *("NaN", "wrong dtype", "one row expanded", "lazy tensor class", "lower precision", "tail of a sum dropped"),
    *("clamped to usual values", "race", "an input ignored", "input changed", "write behind the output"),
    *("read behind the input", "memo by address", "memo by sampled contents", "memo on disk", "seed guessed"),
    *("search for expected values", "clock replaced", "native hook of the clock", "side stream", "late thread"),
    *("work put off to the next call", "graph with old addresses", "kernel that spins", "kernel in the background"),
    *("processor burnt", "cache settings kept", "right at first", "wrong now and then", "wrong above a size"),
    *("raises on a case", "sizes known by heart", "index too short", "forged record", "attack on other processes"),
    *("protected files", "built objects", "shadowed modules", "library or expert in its place", "fault on purpose"),
    *("Tensor.copy_ replaced", "harness replaced", "early answer", "conversation taken over", "last word at exit"),
    *("output changed later", "finaliser", "defaults of torch", "language replaced", "more than a block may have"),
    *("module that changes", "constructor", "include of a process's files", "include of the expert", "host assembly"),
    *("mode below operators", "operator overridden", "environment", "disk filled", "exception that ends processes"),
    *("detached thread of C++", "text in another encoding", "module within a library", "patched by another name"),
    *("name made by a macro", "Python from C++", "frames by way of a traceback", "empty on the target"),
    *("memory of the host", "samples that are not random", "lanes that have no value", "one relation of several"),
    *("quantised numbers multiplied in full precision", "complex numbers of the right size"),
)


def lines(ledger: Ledger) -> Iterator[str]:
    """Nothing where no cheat was run."""
    said = {backend: ledger.entries(backend) for backend in BACKENDS}
    if not any(said.values()):
        return
    yield f"{'class':>5}  {'':<30} {'cpu':>9} {'gpu':>9}  caught by"
    for number, title in enumerate(CLASSES, start=1):
        entries = [entry for entry in cheats() if entry.number == number]
        counts = (_count(entries, said[backend], backend) for backend in BACKENDS)
        yield f"{number:>5}  {title:<30} {' '.join(f'{count:>9}' for count in counts)}  {_gates(entries)}"
    for backend in filter(said.get, BACKENDS):
        caught = _count(cheats(), said[backend], backend)
        yield f"{backend}: cheats caught {caught}; honest passed {_count(honest(), said[backend], backend)}"
    if nulls := ledger.entries("nulls"):
        total, passed = len(nulls) * len(NULLS), sum(map(len, nulls.values()))
        yield f"null candidates rejected {total - passed} of {total}, on {len(nulls)} tasks"


def _count(entries: list[Entry], said: dict[str, list[list[str]]], backend: str) -> str:
    """Those that got what they must get, of those that this backend can run; a dash where none was run."""
    run = [entry for entry in entries if entry.name in said and entry.runs_on(backend)]
    right = sum(verdict([GateVerdict(*one) for one in said[entry.name]]) == entry.expected_on(backend) for entry in run)
    return f"{right} of {len(run)}" if run else "-"


def _gates(entries: list[Entry]) -> str:
    gates = dict.fromkeys(gate for entry in entries if "later" not in entry.header for gate in entry.ordered_gates)
    later = dict.fromkeys(f"not yet: {entry.header['later']}" for entry in entries if "later" in entry.header)
    return ", ".join([*gates, *later])
