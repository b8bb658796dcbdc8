"""Run folders of AgentKernelArena v1: workspaces with task_result.yaml and the times of both sides, and reports.

Results of the paper's era do not say how times were measured; later ones do. The second generation is recognised and
refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from evaluator.bundles import plausibility
from evaluator.bundles.agentkernelarena import cases, reports
from evaluator.bundles.parsed import DECLARABLE, ParsedBundle, ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.bundles.tasklists import tasks_of
from evaluator.records.reasons import Status

NAME = "AgentKernelArena"
MARKS = "task_result.yaml with task_name and pass_compilation"
SUITE = "arena-paper-196"
PAPER_ERA = "v1, paper era"
RESULT_FILES = ("task_result.yaml", "baseline_perf.yaml", "optimized_perf.yaml")
CHECKS = (("compile", "pass_compilation"), ("correctness", "pass_correctness"), ("performance", "pass_correctness"))
GELU_IS_RELU, HOST_CLOCK = "its reference computed ReLU in place", "its times were taken on the host's clock"
CLAIMED = (
    *("pass_compilation", "pass_correctness", "base_execution_time", "best_optimized_execution_time", "speedup_ratio"),
    *("benchmark_method_consistent", "valid_baseline_cases", "valid_optimized_cases", "score"),
)
ENDED = re.compile(r"STDERR:\nCommand timed out after \d+ seconds\s*\Z")
WITHOUT_COMMAND = re.compile(r"No (?:compile|correctness)_command specified")
_RUN = re.compile(r"workspace_([^/_]+)_([^/]+)/run_([^/]+)")
_STAMP = re.compile(r"_\d{8}_\d{6}$")


def recognises(reading: Reading) -> bool:
    return (
        is_second_generation(reading) or any(True for _ in _results(reading)) or any(reading.named(*RESULT_FILES[1:]))
    )


def translate(reading: Reading) -> ParsedBundle | None:
    if is_second_generation(reading):
        refuse_second_generation(reading)
        return None
    results = dict(_results(reading))
    claims, seen = list[ParsedClaim](), set[str]()
    for folder in sorted({*results, *(_folder(path) for path in reading.named(*RESULT_FILES[1:]))}):
        claim = _claim(reading, folder, results.get(folder))
        if claim.task in seen:
            reading.find("duplicate_task", folder or claim.task, claim.task, claim.task)
        else:
            claims.append(claim)
        seen.add(claim.task)
    reported = reports.reported_tasks(reading)
    claims += reports.claims_of_reports(reading, reported, claims, is_known)
    if _generation(results) == PAPER_ERA:
        _note_faulty(reading, claims)
    reading.find("matched_by_name", NAME, "state the benchmark's commit", None)
    declared = reading.declared(_from_folder(reading))
    return ParsedBundle(
        format=NAME,
        generation=_generation(results),
        digest=reading.digest,
        suite=SUITE,
        suite_tasks=tuple(tasks_of(SUITE)),
        declared=declared,
        asked=tuple(key for key in DECLARABLE if key not in {*declared, "level", "golden_machine", "precision"}),
        claims=tuple(claims),
        totals=reports.totals(reading, reported, claims),
        findings=(),
    )


def is_known(task: str) -> bool:
    return task in tasks_of(SUITE)


def is_second_generation(reading: Reading) -> bool:
    """Whether the bundle is of the second generation, which has task sessions and a schema version."""
    if any(".task-sessions" in PurePosixPath(path).parts for path in reading.files):
        return True
    ended = (reading.mapping(path) for path in reading.named("completion.json"))
    if any("task_id" in raw and "result_sha256" in raw for raw in ended):
        return True
    return any("task_schema_version" in reading.mapping(path) for path in _result_paths(reading))


def refuse_second_generation(reading: Reading) -> None:
    hint = "Runs of the first generation (task_result.yaml without task_schema_version) can be imported"
    reading.problem(NAME, "the second generation (sessions, task_schema_version)", "the first generation", hint)


def _result_paths(reading: Reading) -> Iterator[str]:
    return (path for path in sorted(reading.files) if path.endswith("task_result.yaml") and "heldout" not in path)


def _results(reading: Reading) -> Iterator[tuple[str, tuple[str, Mapping[str, Any]]]]:
    """Each folder with the path and content of its result."""
    for path in _result_paths(reading):
        raw = reading.mapping(path)
        if "task_name" in raw and "pass_compilation" in raw:
            yield _folder(path), (path, raw)


def _generation(results: Mapping[str, tuple[str, Mapping[str, Any]]]) -> str:
    if not results:
        return "v1"
    is_later = any("baseline_benchmark_methods" in raw for _, raw in results.values())
    return "v1, later fields" if is_later else PAPER_ERA


def _note_faulty(reading: Reading, claims: list[ParsedClaim]) -> None:
    """Note tasks that are faulty at the paper's commit and were fixed later."""
    for claim in claims:
        if claim.task.startswith("triton2triton/rocmbench/"):
            reading.find("known_task_fault", claim.task, f"{claim.task}: {HOST_CLOCK}", claim.task)
        elif claim.task.endswith("GELU") and "/gpumode/" in claim.task:
            reading.find("known_task_fault", claim.task, f"{claim.task}: {GELU_IS_RELU}", claim.task)


def _from_folder(reading: Reading) -> dict[str, str]:
    """Device, agent and start from a folder named workspace_<GPU>_<agent>/run_<time>; empty without such a folder."""
    for path in sorted(reading.files):
        if match := _RUN.search(path):
            reading.find("named_by_folder", path, f"workspace_{match[1]}_{match[2]}")
            return {"device": match[1], "agent": match[2], "started_at": match[3]}
    return {}


def _claim(reading: Reading, folder: str, result: tuple[str, Mapping[str, Any]] | None) -> ParsedClaim:
    if result is None:
        return _claim_without_result(reading, folder)
    path, raw = result
    task = str(raw["task_name"])
    if not is_known(task):
        reading.find("unknown_task", path, task, task)
    timed = cases.timed(reading, folder, task, raw)
    status, reason = _status(raw, timed.fault)
    speedup = timed.speedup if status is Status.PASSED else None
    cases.compare(reading, path, task, raw, timed)
    _compare_reports(reading, folder, task, raw)
    messages = ("compilation_error_message", "correctness_error_message", "speedup_calculation_error_message")
    texts = [reading.text(raw.get(name), f"{path}: {name}", task) for name in messages]
    claim = ParsedClaim(
        task=task,
        is_known=is_known(task),
        attempt="",
        status=status,
        reason=reason,
        message=next(filter(None, texts), None),
        claimed=reading.claimed(raw, CLAIMED),
        claimed_speedup=reading.number(raw.get("speedup_ratio"), f"{path}: speedup_ratio", task),
        recomputed_speedup=speedup,
        cases=timed.cases,
        files=_sources(reading, folder, task),
    )
    plausibility.note(reading, path, claim)
    return claim


def _claim_without_result(reading: Reading, folder: str) -> ParsedClaim:
    """A claim for a workspace without a result, whose task is known only if one task of the suite fits the folder."""
    name = _STAMP.sub("", PurePosixPath(folder).name)
    fitting = [task for task in tasks_of(SUITE) if task.replace("/", "_") == name]
    task = fitting[0] if len(fitting) == 1 else name
    reading.find("vanished_task", folder, task, task)
    if not is_known(task):
        reading.find("unknown_task", folder, task, task)
    timed = cases.timed(reading, folder, task, None)
    known, files = is_known(task), _sources(reading, folder, task)
    message = "The run left no result."
    return ParsedClaim(task, known, "", Status.NOT_JUDGED, None, message, {}, None, None, timed.cases, files)


def _status(raw: Mapping[str, Any], fault: str | None) -> tuple[Status, str | None]:
    """Status and reason of a result. Only `true` is a pass, not 1, "yes" or null."""
    if raw.get("pass_compilation") is not True:
        return _failed(raw.get("compilation_error_message"), "build_time") or (Status.BUILD_FAILED, "compiler_error")
    if raw.get("pass_correctness") is not True:
        return _failed(raw.get("correctness_error_message"), "total_time") or (Status.WRONG_OUTPUT, "check_failed")
    return (Status.IMPLAUSIBLE, fault) if fault else (Status.PASSED, None)


def _failed(text: object, time: str) -> tuple[Status, str | None] | None:
    """The outcome of a command that the benchmark itself ended, or never had; None if the command failed."""
    if not isinstance(text, str):
        return None
    if ENDED.search(text):
        return Status.TIMED_OUT, time
    return (Status.NOT_JUDGED, None) if WITHOUT_COMMAND.fullmatch(text) else None


def _compare_reports(reading: Reading, folder: str, task: str, raw: Mapping[str, Any]) -> None:
    for stage, field in CHECKS:
        path = f"{folder}/build/{stage}_report.json".lstrip("/")
        report = reading.evidence(path, task) if path in reading.files else None
        status = report.get("status") if isinstance(report, dict) else None
        if raw.get(field) is True and status in ("fail", "error", "partial"):
            reading.find("report_contradicts", path, f"status {status}, while {field} is true", task)


def _sources(reading: Reading, folder: str, task: str) -> dict[str, bytes]:
    """The candidate's sources: the file that the task asks for, otherwise the files that it lists as sources."""
    path = f"{folder}/config.yaml".lstrip("/")
    config = reading.mapping(path) if path in reading.files else {}
    named = config.get("target_file_path") or config.get("source_file_path") or []
    names = [name for name in (named if isinstance(named, list) else [named]) if isinstance(name, str)]
    places = {name: f"{folder}/{name}".lstrip("/") for name in names}
    there = {name: place for name, place in places.items() if place in reading.files}
    return {name: reading.source(reading.content(place), place, task) for name, place in there.items()}


def _folder(path: str) -> str:
    parent = str(PurePosixPath(path).parent)
    return "" if parent == "." else parent
