"""The folder of a KernelBench run: what its configuration says, its kernels, and the level that follows from both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from evaluator.bundles.parsed import DECLARABLE
from evaluator.bundles.reading import Reading
from evaluator.bundles.tasklists import KERNELBENCH_LEVELS

CONFIGURATION = "generation_config.yaml"
KERNEL = re.compile(r"level_(\d{1,2})_problem_(\d{1,4})_sample_(\d{1,6})_kernel\.\w{1,6}")
MODELS = ("model_name", "model")  # the key of the public program, and of others
SETTINGS = ("server_type", "temperature", "max_tokens", "reasoning_effort", "backend", "prompt_option", "num_samples")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One file of results with what belongs to it. `levels` are all that its files name."""

    path: str
    configuration: Mapping[str, Any]
    kernels: Mapping[tuple[str, ...], Sequence[str]]  # level, problem and sample → paths
    levels: tuple[str, ...]

    def level(self, declared: str) -> str:
        """The level of the results; "" if it is unknown. What is declared decides where the files do not."""
        if len(self.levels) == 1:
            return self.levels[0]
        return declared if declared in (self.levels or KERNELBENCH_LEVELS) else ""


def run_folders(reading: Reading, paths: Sequence[str]) -> list[RunFolder]:
    """A run for each file of results, with what its folder holds; a lone file also has what stands elsewhere.

    What lies in the folder of another run further down is that run's.
    """
    every, found = sorted(reading.files), list[RunFolder]()
    folders = {PurePosixPath(path).parent for path in paths}
    owners = {one: next((each for each in PurePosixPath(one).parents if each in folders), None) for one in every}
    for path in paths:
        run = _run(reading, path, [one for one in every if owners[one] == PurePosixPath(path).parent])
        found.append(run if run.levels or len(paths) > 1 else _run(reading, path, every))
    return found


def check_levels(reading: Reading, runs: Sequence[RunFolder], declared: str) -> None:
    """Add a problem for each run whose files name another level than the submitter, and for two runs of one level."""
    met = dict[str, str]()
    if declared and declared not in KERNELBENCH_LEVELS:
        reading.problem("level", declared, f"one of {', '.join(KERNELBENCH_LEVELS)}")
        return
    for run in runs:
        if declared and run.levels and declared not in run.levels:
            expected = f"level {' or '.join(run.levels)}, as {CONFIGURATION} and the kernels' names say"
            reading.problem(run.path, f"the declared level {declared}", expected, "Leave the level out")
        level = run.level(declared)
        if level in met:
            hint = "Submit each run as its own bundle" if level else f"Add the {CONFIGURATION} of each"
            seen = f"results of {f'level {level}' if level else 'no stated level'}, as in {met[level]}"
            reading.problem(run.path, seen, "one file of results for each level", hint)
        met.setdefault(level, run.path)
        if len(run.levels) > 1:
            reading.find("several_levels", run.path, f"{', '.join(run.levels)}; taken for {level or 'none of them'}")


def facts(reading: Reading, runs: Sequence[RunFolder], hardware: Sequence[str]) -> dict[str, str]:
    """Facts of the configurations by keys of DECLARABLE; a problem if the runs are of several models."""
    models = _distinct(next(filter(None, map(run.configuration.get, MODELS)), None) for run in runs)
    if len(models) > 1:
        hint = "Submit the runs of each model on their own"
        reading.problem(CONFIGURATION, ", ".join(models), "one model", hint)
    levels = _distinct(run.levels[0] for run in runs if len(run.levels) == 1)
    set_to = ((name, run.configuration.get(name)) for run in runs for name in SETTINGS)
    settings = (f"{name} {value}" for name, value in set_to if value is not None)
    named = {"model": models, "precision": _distinct(run.configuration.get("precision") for run in runs)}
    named |= {"level": levels, "settings": _distinct(settings), "device": list(hardware)}
    assert named.keys() <= DECLARABLE.keys()
    return {name: ", ".join(values) for name, values in named.items() if values}


def _run(reading: Reading, path: str, files: Sequence[str]) -> RunFolder:
    """The run of a file of results. What lies beside it goes before what lies further down or elsewhere."""
    folder = PurePosixPath(path).parent
    beside = [one for one in files if PurePosixPath(one).parent == folder]
    others = [one for one in files if PurePosixPath(one).parent != folder]
    configured = next((one for one in (*beside, *others) if PurePosixPath(one).name == CONFIGURATION), None)
    configuration = reading.mapping(configured) if configured else {}
    kernels = {**_kernels(others), **_kernels(beside)}
    stated = {str(configuration.get("level", ""))} & {*KERNELBENCH_LEVELS}
    return RunFolder(path, configuration, kernels, tuple(sorted(stated | {level for level, _, _ in kernels})))


def _kernels(files: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    found = dict[tuple[str, ...], list[str]]()
    for path in files:
        if match := KERNEL.fullmatch(PurePosixPath(path).name):
            found.setdefault(match.groups(), []).append(path)
    return found


def _distinct(values: Iterator[Any]) -> list[str]:
    return list(dict.fromkeys(str(value) for value in values if value is not None))
