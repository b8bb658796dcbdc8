"""Adds the timing helpers that AgentKernelArena puts into a workspace before it runs a task, from the same checkout.

There are three: a marked region of scripts/task_runner.py, performance_utils_pytest.py, and _aka_benchmark.py beside
every script that imports it. No copy of them is part of this repository.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from evaluator.tasks.fields import Problems

PLACES = (Path("src/tools/perf"), Path("tools/perf"))  # since June 2026, and before
RUNNER, BLOCK = "scripts/task_runner.py", "vllm_cuda_graph_block.py"
REGION = re.compile(r"^# >>> AKA-GENERATED[^\n]*\n(.*?)^# <<< AKA-GENERATED <<<", re.DOTALL | re.MULTILINE)
BLOCK_BEGIN = "def _measure_cuda_event_fallback("
STUB = "not materialized"
PYTEST_HELPER, PYTEST_STUB = "performance_utils_pytest.py", "generated stub"
MODULE, MODULE_SOURCE = "_aka_benchmark.py", "aka_benchmark.py"
SCRIPT_FOLDERS = ("", "scripts", "eval_tools")


def with_helpers(files: Mapping[str, bytes], checkout: Path, problems: Problems) -> dict[str, bytes]:
    """The task's files with the helpers that its scripts need; a missing helper is a problem."""
    made = dict(files)
    if RUNNER in made and (region := REGION.search(_text(made[RUNNER]))):
        block = _helper(checkout, BLOCK)
        if block is not None:
            text, begin = _text(made[RUNNER]), max(block.find(BLOCK_BEGIN), 0)
            made[RUNNER] = (text[: region.start(1)] + block[begin:] + text[region.end(1) :]).encode()
        elif STUB in region.group(1):
            problems.add(RUNNER, "a stub", f"{PLACES[0]}/{BLOCK} in the checkout")
    _add_pytest_helper(made, checkout, problems)
    _add_module(made, checkout, problems)
    return made


def _add_pytest_helper(made: dict[str, bytes], checkout: Path, problems: Problems) -> None:
    used = PYTEST_HELPER in made or any("performance_utils_pytest" in _text(made[name]) for name in _scripts(made, ""))
    if not used:
        return
    helper = _helper(checkout, PYTEST_HELPER)
    if helper is not None:
        made[PYTEST_HELPER] = helper.encode()
    elif PYTEST_STUB in _text(made.get(PYTEST_HELPER, PYTEST_STUB.encode())):
        problems.add(PYTEST_HELPER, "a stub or nothing", f"{PLACES[0]}/{PYTEST_HELPER} in the checkout")


def _add_module(made: dict[str, bytes], checkout: Path, problems: Problems) -> None:
    for folder in SCRIPT_FOLDERS:
        name = f"{folder}/{MODULE}".lstrip("/")
        if name in made or not any("_aka_benchmark" in _text(made[script]) for script in _scripts(made, folder)):
            continue
        helper = _helper(checkout, MODULE_SOURCE)
        if helper is None:
            problems.add(name, "nothing", f"{PLACES[0]}/{MODULE_SOURCE} in the checkout")
        else:
            made[name] = helper.encode()


def _scripts(made: Mapping[str, bytes], folder: str) -> list[str]:
    return [name for name in made if name.endswith(".py") and name.rpartition("/")[0] == folder]


def _helper(checkout: Path, name: str) -> str | None:
    found = [checkout / place / name for place in PLACES if (checkout / place / name).is_file()]
    return found[0].read_text(encoding="utf-8") if found else None


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
