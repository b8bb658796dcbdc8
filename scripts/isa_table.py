"""Tabulate what the kernels of tasks become on gfx942 and gfx950: registers, spills, LDS and more, on any host.

For the baseline of each task, unless it is PyTorch, and its own right candidate; HIP tasks first. FILE gets the rows of
a side as soon as it is compiled, so the command may be interrupted: sides whose task it has with the current digest are
not compiled again. HIP is compiled as for the ISA report; Triton's launches are those of every small case on one draw.

usage: python -m scripts.isa_table [--out FILE] [NAME …]    names as for `validate all --only`
exit codes: 0, 1 a side is not compiled, 2 usage
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any

from evaluator.backends.cpu import CpuBackend
from evaluator.errors import EvaluatorError, UsageError
from evaluator.gates import compile as compile_gate
from evaluator.gates.isa import first_error, note_launches
from evaluator.inside.hip_cpu.gate import gate_targets
from evaluator.inside.isa.targets import TARGETS
from evaluator.judge.rejection import rejection_of
from evaluator.pipeline import Evaluator
from evaluator.records.record import ISA_NUMBERS, IsaReport
from evaluator.sandbox import WorkerError
from evaluator.state import replacing, temporary_folder
from evaluator.tasks.candidate import Candidate, baseline, overlay
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import CATEGORIES, TaskSpec
from evaluator.validate.choice import chosen_ids
from evaluator.wording import counted

OUT = "isa_table.csv"
COLUMNS = ("task", "digest", "side", "target", "kernel", "configuration", *ISA_NUMBERS, "problem", "seconds")
SPILLS = ("vgpr_spills", "sgpr_spills", "scratch_bytes")
Row = dict[str, str]  # by column; one without a kernel says why it has none


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="isa_table", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", type=Path, default=Path(OUT), metavar="FILE")
    options = parser.parse_args(arguments)
    try:
        tasks = [load_task(task_id) for task_id in chosen_ids("all", options.names)]
        tasks.sort(key=lambda task: CATEGORIES[task.category].language != "hip")
        rows = list(tabulated(tasks, options.out))
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.writelines(f"{line}\n" for line in summary(rows))
    return 1 if any(not row["kernel"] for row in rows) else 0


def tabulated(tasks: Sequence[TaskSpec], out: Path) -> Iterator[Row]:
    """Yield the rows of each side, those of `out` that are current first compiled; print a line a side."""
    known = read(out)
    with Compilers() as compilers:
        for task in tasks:
            for side, candidate in sides(task):
                key = (task.id, task.digest, side)
                if key not in known:
                    known[key] = compilers.rows(task, side, candidate)
                    write(out, known)
                    sys.stdout.write(f"{line_of(known[key])}\n")
                    sys.stdout.flush()
                yield from known[key]


def sides(task: TaskSpec) -> Iterator[tuple[str, Candidate]]:
    """The task's own sources that have kernels: PyTorch baselines have none."""
    if not task.starts_from_torch:
        yield "baseline", baseline(task)
    if task.solution is not None:
        yield task.solution, overlay(task, task.solution, task.solution)


class LaunchCompiler(Evaluator):
    """An evaluator that also compiles what a task's own Triton source launches, without running it."""

    def launches(self, task: TaskSpec, candidate: Candidate) -> list[IsaReport] | None:
        """Compile the launches of each case, on one draw, for AMD's targets.

        None where host code reads what kernels compute, which do not run here: `evaluate` then shows the launches.

        Raises:
            UsageError: the source cannot be loaded, or a kernel does not compile.
        """
        with self._context(task, candidate, trusted=True) as context:
            try:
                rejection = compile_gate.load(context, cross_compile=True)
                if rejection is None and compile_gate.compile_cases(context):
                    return None
                rejection = rejection or note_launches(context)
            except WorkerError as error:
                rejection = rejection_of(error)
            if rejection:
                raise UsageError(f"{task.id}: {rejection.sentence}")
            return context.isa


class Compilers:
    """An evaluator for Triton and a toolchain for HIP, each made when it is first needed."""

    def __enter__(self) -> Compilers:
        self._evaluator: LaunchCompiler | None = None
        return self

    def __exit__(self, *error: object) -> None:
        if self._evaluator is not None:
            self._evaluator.__exit__(None, None, None)

    def rows(self, task: TaskSpec, side: str, candidate: Candidate) -> list[Row]:
        begin = monotonic()
        try:
            compiled = self._of_hip if CATEGORIES[task.category].language == "hip" else self._of_triton
            found = compiled(task, candidate)
        except EvaluatorError as error:
            found = [{"target": target.arch, "problem": str(error).splitlines()[0]} for target in TARGETS]
        head = {"task": task.id, "digest": task.digest, "side": side, "seconds": f"{monotonic() - begin:.1f}"}
        return [dict.fromkeys(COLUMNS, "") | one | head for one in found]

    def _of_hip(self, task: TaskSpec, candidate: Candidate) -> list[Row]:
        name = task.editable[0]
        with temporary_folder("isa") as folder:
            source = folder / Path(name).name
            source.write_bytes(candidate.files[name])
            made = gate_targets(source, folder, self._toolchain, task.limits.build_s)
        problems = {
            "gfx942": made.gfx942.get("reason") or first_error(made.gfx942["log"]),
            "gfx950": made.gfx950.get("reason"),
        }
        rows = []
        for target, report in made._asdict().items():
            kernels = [{"kernel": one["name"], **_texts(one)} for one in report["kernels"]]
            rows += [{"target": target, **one} for one in kernels or [{"problem": problems[target] or "no kernel"}]]
        return rows

    def _of_triton(self, task: TaskSpec, candidate: Candidate) -> list[Row]:
        if self._evaluator is None:
            self._evaluator = LaunchCompiler(CpuBackend())
        found = self._evaluator.launches(task, candidate)
        if found is None:
            found = [one for one in self._evaluator.evaluate(task, candidate).isa if one.side == "candidate"]
        return [_row(one) for one in found] or [{"target": of.arch, "problem": "no kernel"} for of in TARGETS]

    @cached_property
    def _toolchain(self) -> dict[str, Any]:
        return CpuBackend().toolchain.as_dict()


def _row(report: IsaReport) -> Row:
    head = {"target": report.target, "kernel": report.kernel, "configuration": report.configuration}
    return {**head, "problem": report.error or "", **_texts(report.numbers)}


def _texts(numbers: Any) -> Row:
    return {name: str(numbers[name]) for name in ISA_NUMBERS if numbers.get(name) is not None}


def read(path: Path) -> dict[tuple[str, str, str], list[Row]]:
    """The rows of each (task, digest, side) in a table; none if there is no file.

    Raises:
        UsageError: it is another table.
    """
    if not path.exists():
        return {}
    reader = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise UsageError(f"{path}: expected the columns {', '.join(COLUMNS)}")
    known: dict[tuple[str, str, str], list[Row]] = {}
    for row in reader:
        known.setdefault((row["task"], row["digest"], row["side"]), []).append(row)
    return known


def write(path: Path, known: dict[tuple[str, str, str], list[Row]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row for rows in known.values() for row in rows)
    with replacing(path.resolve()) as file:
        file.write(text.getvalue().encode())


def line_of(rows: Sequence[Row]) -> str:
    """What a side's kernels need at most, on each target."""
    head = f"{rows[0]['task']} {rows[0]['side']}, {rows[0]['seconds']} s"
    return "; ".join([head, *(_on(target.arch, rows) for target in TARGETS)])


def _on(target: str, rows: Sequence[Row]) -> str:
    ours = [row for row in rows if row["target"] == target]
    kernels = [row for row in ours if row["kernel"]]
    if not kernels:
        return f"{target} {ours[0]['problem'] if ours else 'not reached'}"
    most = " ".join(f"{name} {max(int(row[name] or 0) for row in kernels)}" for name in ("vgpr", "lds_bytes"))
    refused = f", {counted(count, 'kernel')} refused" if (count := sum(bool(row["problem"]) for row in kernels)) else ""
    spilling = sum(map(spills, kernels))
    return f"{target} {counted(len(kernels), 'kernel')}, at most {most}, {spilling} with spills{refused}"


def spills(row: Row) -> bool:
    return any(int(row[name] or 0) for name in SPILLS)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """A line a category and target, and one of all: tasks, kernels (each in each configuration), and spills."""
    for category in [*CATEGORIES, None]:
        of = [row for row in rows if category is None or row["task"].startswith(f"{category}/")]
        for target in TARGETS if of else ():
            yield f"{category or 'all'} on {_counts(target.arch, [row for row in of if row['target'] == target.arch])}"


def _counts(target: str, rows: Sequence[Row]) -> str:
    kernels = [row for row in rows if row["kernel"]]
    spilling = [row for row in kernels if spills(row)]
    parts = [
        f"{target}: {counted(_tasks(rows), 'task')}",
        f"{counted(len(kernels), 'kernel')}",
        f"spills in {len(spilling)} of {counted(_tasks(spilling), 'task')}",
        f"{sum(bool(row['kernel'] and row['problem']) for row in rows)} refused",
        f"not compiled: {_tasks(row for row in rows if not row['kernel'])}",
    ]
    return ", ".join(parts)


def _tasks(rows: Iterable[Row]) -> int:
    return len({row["task"] for row in rows})


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
