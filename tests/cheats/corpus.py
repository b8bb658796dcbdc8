"""Cheats, their twins without the cheat, and honest candidates, as data. Each file begins by saying what it is.

`# class: 16`, `# expect: wrong_output/wrote_outside`, `# gate: correctness`, `# backend: cpu|gpu|both`, and where they
apply `# also:` (gates that catch it too), `# perhaps:` (a gate that does so by chance), `# task: weighted`,
`# sandbox: plain`, `# later:` (what is still to be built to catch it), `# null:` (the kind of judge/nulls.py that it
is), `# may_alias:` (an input that the output may lie in), `# shown_at:` (with `# gate: unseen`, which no audit of seen
cases asks: a size that shows it), `# on_gpu:` (what it gets there, where that is not what it gets on a CPU),
`# gfx942: yes` (what it gets depends on the compiler for gfx942). An honest file may have `# held:` alone: why its text
cannot be read, so that the source gate holds it.
"""

from __future__ import annotations

import functools
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluator.pipeline import GateVerdict
from evaluator.records.reasons import REASONS
from evaluator.tasks.candidate import Candidate, read_candidate
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import TaskSpec

TESTS = Path(__file__).parents[1]
CATEGORIES = {"triton": "triton2triton", "hip": "hip2hip"} | {name: name for name in ("torch2hip", "torch2triton")}
BACKENDS = ("cpu", "gpu")
HEADER = re.compile(
    r"^(?:#|//) (class|expect|on_gpu|gate|also|perhaps|task|sandbox|backend|later|null|may_alias|shown_at|gfx942|held)"
    r": (.*)$",
    re.MULTILINE,
)
NO_EFFECT = "no_effect"  # in the place of a gate: what it tries is not there, so it passes and has gained nothing
TELLING = ("order_dependent", "child_left_behind")  # findings that warn readers of a number, though nothing is held


@dataclass(frozen=True, slots=True)
class Entry:
    """One file, or a folder that holds more than the source."""

    path: Path
    category: str
    header: dict[str, str]

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}-{self.path.stem}"

    @property
    def number(self) -> int:
        return int(self.header["class"])

    def expected_on(self, backend: str) -> str:
        """Of `verdict`; who does not cheat passes."""
        if self.is_twin:
            return "passed"
        if backend == "gpu" and "on_gpu" in self.header:
            return self.header["on_gpu"]
        return self.header.get("expect", "passed/hold" if "held" in self.header else "passed")

    @property
    def is_twin(self) -> bool:
        return ".twin" in self.path.name

    @property
    def ordered_gates(self) -> list[str]:
        """All that must catch it, the first one first; none for who does not cheat."""
        return [] if self.is_twin or "gate" not in self.header else [self.header["gate"], *self._also]

    @property
    def _also(self) -> list[str]:
        return [gate for gate in self.header.get("also", "").split(", ") if gate]

    @property
    def by_chance(self) -> frozenset[str]:
        """A gate that catches it on some days only, for instance where memory happens to be given out again."""
        return frozenset([self.header["perhaps"]] if "perhaps" in self.header and not self.is_twin else [])

    @property
    def is_for_unseen_cases(self) -> bool:
        """Seen cases, which audits look at, cannot show it (tests/unseen_corpus)."""
        return self.header.get("gate") == "unseen"

    @property
    def needs_gfx942(self) -> bool:
        """An honest candidate has to compile for gfx942 too."""
        return "class" not in self.header or "gfx942" in self.header

    def runs_on(self, backend: str) -> bool:
        on = self.header.get("backend", "both") in (backend, "both")
        return on and "later" not in self.header and not self.is_for_unseen_cases

    def task(self) -> TaskSpec:
        task = _task(self.category, self.header.get("task", "double"))
        if (name := self.header.get("may_alias")) is None:
            return task
        inputs = tuple(replace(item, mutable=item.name == name) for item in task.inputs)
        return replace(task, inputs=inputs, outputs=tuple(replace(item, may_alias=(name,)) for item in task.outputs))

    def candidate(self, task: TaskSpec) -> Candidate:
        if self.path.is_dir():
            return read_candidate(self.path, task)
        return Candidate({task.editable[0]: self.path.read_bytes()}, self.path.stem)


def cheats() -> list[Entry]:
    return [entry for entry in _entries(TESTS / "cheats") if not entry.is_twin]


def twins() -> list[Entry]:
    """A twin takes task and backend from its cheat."""
    found = {entry.path: entry for entry in _entries(TESTS / "cheats")}
    return [
        replace(entry, header=found[path.with_name(path.name.replace(".twin", ""))].header)
        for path, entry in found.items()
        if entry.is_twin
    ]


def honest() -> list[Entry]:
    return _entries(TESTS / "honest")


def verdict(said: Sequence[GateVerdict]) -> str:
    """What the candidate gets: status and reason, or passed and the flag that matters most."""
    for one in said:
        if one.kind == "rejection":
            return f"{REASONS[one.code][0].value}/{one.code}"
    if any(one.kind == "hold" for one in said):
        return "passed/hold"
    telling = [one.code for one in said if one.code in TELLING]
    return f"passed/{telling[0]}" if telling else "passed"


def caught_by(said: Sequence[GateVerdict]) -> frozenset[str]:
    """The gates that turned it away, held it, or warned."""
    return frozenset(one.gate for one in said if one.kind != "finding" or one.code in TELLING)


def writable_copy(task: TaskSpec, folder: Path) -> TaskSpec:
    """The task where anybody may write: what the weaker sandbox cannot prevent in general."""
    target = folder / task.folder.name
    shutil.copytree(task.folder, target)
    for path in [folder, target, *target.rglob("*")]:
        path.chmod(0o777)
    return read_task(target, task.id)


def _entries(folder: Path) -> list[Entry]:
    sources = [path for name in CATEGORIES for path in sorted((folder / name).glob("*")) if _is_source(path)]
    return [Entry(path, CATEGORIES[path.parent.name], _header(path)) for path in sources]


def _is_source(path: Path) -> bool:
    return path.suffix in (".py", ".hip") or (path.is_dir() and path.name != "__pycache__")


def _header(path: Path) -> dict[str, str]:
    source = path / "kernel.py" if path.is_dir() else path
    return {match[1]: match[2].strip() for match in HEADER.finditer(source.read_text(encoding="utf-8"))}


@functools.cache
def _task(category: str, name: str) -> TaskSpec:
    return read_task(TESTS / "tiny" / category / "tests" / name, f"{category}/tests/{name}")
