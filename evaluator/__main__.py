"""The evaluator's command line: python -m evaluator COMMAND.

Exit codes: 0 done, or evaluated with whatever status; 1 a task or bundle is invalid, or a result of the demo is not as
expected, or an activity trace disagrees; 2 wrong usage or a malformed task; 3 this host, or the site that a bundle is
submitted to, failed; 4 this host has no device trace to audit with; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.cli.arguments import parser
from evaluator.errors import EvaluatorError, HostError, TaskError, UsageError

if TYPE_CHECKING:
    from evaluator.backends import Backend
    from evaluator.health.checks import HealthCheck
    from evaluator.pipeline import Evaluator
    from evaluator.records.record import Record
    from evaluator.tasks.candidate import Candidate
    from evaluator.tasks.spec import TaskSpec

OK, NOT_AS_EXPECTED, BAD_USAGE, HOST_CANNOT, NO_TRACE, INTERRUPTED = 0, 1, 2, 3, 4, 130


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    try:
        return COMMANDS[options.command](options)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except (UsageError, TaskError) as error:
        sys.stderr.write(f"{error}\n")
        return BAD_USAGE
    except BrokenPipeError:  # as of `doctor | head`. SIGPIPE stays ignored, or a dying worker would kill this process
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (HostError, OSError) as error:
        sys.stderr.write(f"failed: {error}\n")
        return HOST_CANNOT
    except EvaluatorError as error:
        sys.stderr.write(f"the evaluation failed: {error}\n")
        return HOST_CANNOT


def _tasks(options: argparse.Namespace) -> int:
    from evaluator.tasks.reader import load_task, task_ids

    if options.tasks:
        from evaluator.mounted.commands import list_tasks

        list_tasks(options.tasks)
        return OK
    if options.freeze:
        from evaluator.cli.freeze import freeze_suite

        sys.stdout.write(f"{freeze_suite(options.freeze)}\n")
        return OK
    if options.prove:
        from evaluator.cli.freeze import prove
        from evaluator.tasks.spec import tasks_folder
        from evaluator.validate.validated import without_line

        prove([load_task(task_id) for task_id in without_line(task_ids(), tasks_folder())])
    for task in map(load_task, task_ids()):
        small = sum(case.profile == "small" for case in task.cases)
        cases = f"{small} small, {len(task.cases) - small} full cases"
        sys.stdout.write(f"{task.id:45} {task.digest[:12]}  {cases}{'  plain' if task.is_plain else ''}\n")
    return OK


def _validate(options: argparse.Namespace) -> int:
    from contextlib import nullcontext

    from evaluator.backends import get_backend
    from evaluator.cli.demo import ProgressBar
    from evaluator.cli.unused import refuse_unused
    from evaluator.pipeline import Evaluator
    from evaluator.tasks.spec import tasks_folder
    from evaluator.validate.checks import as_json, table, validate_all
    from evaluator.validate.choice import chosen_ids
    from evaluator.validate.validated import without_line
    from evaluator.wording import counted

    if options.merge:
        return _merge(options)
    if options.task != "all":
        refuse_unused(options, "without `all`")
    if options.without_runs:
        refuse_unused(options, "with --without-runs")
    ids = chosen_ids(options.task, options.only, options.part)
    backend = None if options.without_runs else get_backend(options.backend)
    if backend is not None and backend.has_clock:
        return _measure(options, ids, backend)
    refuse_unused(options, "on a CPU")
    if options.json:
        _check_writable(options.json, "--json")
    if options.task == "all" and not options.again and not options.without_runs:
        ids = without_line(known := ids, tasks_folder())
        sys.stderr.write(f"{len(known) - len(ids)} of {counted(len(known), 'task')} passed as they are: left out\n")
    bar, validations = ProgressBar(len(ids)), []
    with Evaluator(backend, options.sandbox) if backend and ids else nullcontext() as evaluator:
        for validation in validate_all(ids, evaluator, lambda task_id: bar.show(task_id, None)):
            bar.show(validation.task, validation.summary)
            validations.append(validation)
    bar.end()
    sys.stdout.write(f"{table(validations)}\n")
    if options.json:
        options.json.write_text(as_json(validations), encoding="utf-8")
    return OK if all(validation.is_valid for validation in validations) else NOT_AS_EXPECTED


def _merge(options: argparse.Namespace) -> int:
    """Merge findings of another host into a file."""
    from evaluator.cli.unused import refuse_unused
    from evaluator.tasks.measured import add_measured, measured_file, read_measured
    from evaluator.wording import counted

    source, target = options.merge, options.out or measured_file()
    if options.task != "all":
        raise UsageError(f"--merge merges what was found of every task: seen {options.task!r}; expected `all`")
    refuse_unused(options, "with --merge")
    if not source.is_file():
        raise UsageError(f"--merge {source} is no file")
    _check_writable(target)
    add_measured(found := read_measured(source), target)
    sys.stdout.write(f"{counted(len(found), 'line')} merged into {target}\n")
    return OK


def _measure(options: argparse.Namespace, ids: list[str], backend: Backend) -> int:
    """Measure tasks on a device, and merge the findings into a file."""
    from evaluator.cli.unused import refuse_unused
    from evaluator.pipeline import Evaluator
    from evaluator.tasks.measured import measured_file, read_measured
    from evaluator.tasks.reader import load_task
    from evaluator.validate.closing import closing_table
    from evaluator.validate.measure import measure_all

    refuse_unused(options, "on a GPU")
    path = options.out or measured_file()
    _check_writable(path)

    def progress(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    with Evaluator(backend, options.sandbox) as evaluator:
        all_right = measure_all(ids, evaluator, path, options.sessions, progress, skip=options.skip_measured)
    tasks = [load_task(task_id) for task_id in ids]
    sys.stdout.write(f"{closing_table(tasks, read_measured(path), backend.device_class)}\n")
    return OK if all_right else NOT_AS_EXPECTED


def _new_task(options: argparse.Namespace) -> int:
    from evaluator.tasks.spec import tasks_folder
    from evaluator.validate.skeleton import write_skeleton

    folder = write_skeleton(options.category, options.name, tasks_folder(), is_plain=options.plain)
    sys.stdout.write(
        f"{folder}\nrun `python -m evaluator validate {folder.relative_to(tasks_folder())}` for what to do next\n"
    )
    return OK


def _evaluate(options: argparse.Namespace) -> int:
    from evaluator.mounted.commands import evaluate_mounted
    from evaluator.records.reasons import Status
    from evaluator.records.record import why_private, write_record

    _check_writable(options.out)
    if options.tasks and options.round:
        raise UsageError("--round cannot be used with --tasks: unseen cases need a contract, which mounted tasks lack")
    if options.quick and (options.tasks or options.round):
        raise UsageError(
            f"--quick cannot be used with --{'tasks' if options.tasks else 'round'}; leave one of them out"
        )
    if options.held_out and not options.tasks:
        raise UsageError("--held-out needs mounted tasks (--tasks DIR); for a native task use --round")
    record = evaluate_mounted(options) if options.tasks else _evaluate_native(options)
    write_record(record, options.out)
    findings = "".join(f"{finding.code}: {finding.text}\n" for finding in record.findings)
    verdict = f"{record.status.value}: {record.message or 'every gate passed'}"
    parts = ", ".join(f"{name} {spent:.1f}" for name, spent in record.parts.items() if spent >= 0.05)
    seconds = f"seconds: {record.seconds.get('total', 0.0):.1f} in total: {parts}"
    private = f"{why}\n" if (why := why_private(record)) else ""
    sys.stdout.write(f"{verdict}\n{findings}{seconds}\n{private}record: {options.out}\n")
    return HOST_CANNOT if record.status is Status.ERRORED else OK


def _evaluate_native(options: argparse.Namespace) -> Record:
    from evaluator.backends import get_backend
    from evaluator.pipeline import Evaluator
    from evaluator.tasks.candidate import baseline, read_candidate
    from evaluator.tasks.reader import load_task

    task = load_task(options.task)
    if options.baseline:
        if task.starts_from_torch:
            raise UsageError(f"{task.id} starts from a PyTorch module; it has no kernel to evaluate as a baseline")
        candidate = baseline(task)
    else:
        candidate = read_candidate(options.candidate, task, ignore_extra=options.ignore_extra)
    backend = get_backend(options.backend)
    with Evaluator(backend, options.sandbox, order_seed=options.order_seed) as evaluator:
        record = evaluator.evaluate(task, candidate, uploaded=options.uploaded, quick=options.quick)
        if options.round:
            _evaluate_round(options, evaluator, task, candidate)
    return record


def _evaluate_round(options: argparse.Namespace, evaluator: Evaluator, task: TaskSpec, candidate: Candidate) -> None:
    """Evaluate the unseen cases of a round and write their record beside the one of the seen cases."""
    from evaluator.cli.board import unseen_cases_text, unseen_text
    from evaluator.cli.runfolder import evaluate_round
    from evaluator.unseen.record import write_unseen
    from evaluator.unseen.rounds import read_round

    path = options.out.with_suffix(".unseen.json")
    record = evaluate_round(evaluator, task, candidate, read_round(options.round), uploaded=options.uploaded)
    write_unseen(record, path)
    sys.stdout.write(f"{unseen_cases_text(record)}\n\n{unseen_text([record])}\nunseen record: {path}\n\n")


def _check_writable(path: Path, option: str = "--out") -> None:
    """Refuse a file that cannot be written before minutes of work, not after them."""
    if path.is_dir():
        raise UsageError(f"{option} {path} is a folder; expected a file")
    probe = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UsageError(f"{option} {path} cannot be written: {error.strerror}") from error


def _check_folder(path: Path) -> None:
    """Create the folder, or refuse it before minutes of work."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {path} cannot be a folder: {error.strerror}") from error


def _audit(options: argparse.Namespace) -> int:
    from evaluator.activity.command import audit, has_trace, read_audited

    if options.out:
        _check_writable(options.out)
    audited = read_audited(options.record, options.candidate, options.backend)
    if not has_trace(audited, options.recorded):
        sys.stderr.write(f"{audited.no_trace}\n")
        return NO_TRACE
    report = audit(audited, options.recorded, options.sandbox, options.out)
    return OK if report.verdict == "agree" else NOT_AS_EXPECTED


def _run(options: argparse.Namespace) -> int:
    from evaluator.agents.catalog import parse_settings, read_agent
    from evaluator.agents.readiness import missing_settings
    from evaluator.agents.variables import secrets_from_environment
    from evaluator.backends import get_backend
    from evaluator.backends.cards import cards_of, chosen
    from evaluator.cli.board import board_text, unseen_text
    from evaluator.cli.cards import run_on_cards
    from evaluator.cli.demo import ProgressBar
    from evaluator.cli.runfolder import SuiteRun
    from evaluator.pipeline import Evaluator
    from evaluator.tasks.suites import load_suite
    from evaluator.unseen.rounds import read_round

    agent = read_agent(options.agent, parse_settings(options.set))
    if missing := missing_settings(agent):
        raise UsageError(f"{agent.name} is {missing} (`--set NAME=VALUE`)")
    secrets_from_environment(agent.settings)  # refuses a malformed one before any work
    if options.evaluations > 1 and not options.devices:
        raise UsageError("--evaluations does nothing without --devices; leave it out, or name the cards")
    cards = options.evaluations * chosen(options.devices, cards_of(options.backend)) if options.devices else []
    suite, revealed = load_suite(options.suite), read_round(options.round) if options.round else None
    _check_folder(options.out)
    bar = ProgressBar(len(suite.tasks))
    progress = bar.progress_of(options.agent)
    run = SuiteRun(suite, agent, options.out, options.repeat, options.sessions, revealed)
    if cards:
        outcomes = run_on_cards(run, cards, options.backend, options.sandbox, progress)
    else:
        with Evaluator(get_backend(options.backend), options.sandbox) as evaluator:
            outcomes = run.on_one(evaluator, progress)
    bar.end()
    records = {options.agent: [outcome.record for outcome in outcomes]}
    sys.stdout.write(board_text(records, f"{suite.label} on {outcomes[0].record.host.device_class}") + "\n")
    if unseen := [outcome.unseen for outcome in outcomes if outcome.unseen]:
        sys.stdout.write(f"\n{unseen_text(unseen)}\n")
    sys.stdout.write(f"\nbundle: {options.out}.zip (`python -m evaluator bundle submit` sends it to a site)\n")
    return OK


def _demo(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from evaluator.backends import get_backend
    from evaluator.cli.demo import run_demo
    from evaluator.pipeline import Evaluator
    from evaluator.state import state_folder
    from evaluator.tasks.suites import load_suite

    suite, backend = load_suite(options.suite), get_backend(options.backend)
    folder = options.out or state_folder() / "demo" / datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    _check_folder(folder)
    with Evaluator(backend, options.sandbox) as evaluator:
        good = run_demo(suite, evaluator, folder, lambda text: sys.stdout.write(f"{text}\n"))
    return OK if good else NOT_AS_EXPECTED


def _doctor(options: argparse.Namespace) -> int:
    from evaluator.backends import get_backend
    from evaluator.cli.doctor import checks

    if options.suite and not options.health:
        raise UsageError("--suite names the suite whose baselines `doctor --health` times; it needs --health")
    backend, missing = get_backend(options.backend), False
    found = _health(options, backend) if options.health else checks(backend, options.sandbox)
    for check in found:
        word = "ok" if check.good else "MISSING" if check.needed else "absent"
        sys.stdout.write(f"{word:8} {check.name:20} {check.text}\n")
        sys.stdout.flush()
        missing |= check.needed and not check.good
    return HOST_CANNOT if missing else OK


def _health(options: argparse.Namespace, backend: Backend) -> Iterator[HealthCheck]:
    from evaluator.health.checks import health_checks
    from evaluator.pipeline import Evaluator
    from evaluator.tasks.suites import load_suite

    tasks = load_suite(options.suite).tasks if options.suite else ()
    with Evaluator(backend, options.sandbox) as evaluator:
        yield from health_checks(evaluator, tasks, options.sessions, lambda text: sys.stderr.write(f"{text}\n"))


def _workspace(options: argparse.Namespace) -> int:
    from evaluator.tasks.reader import load_task
    from evaluator.tasks.workspace import make_workspace

    task = load_task(options.task)
    _check_folder(options.out)
    for name in make_workspace(task, options.out):
        sys.stdout.write(f"{options.out / name}\n")
    return OK


def _unseen(options: argparse.Namespace) -> int:
    from evaluator.tasks.reader import load_task
    from evaluator.unseen.listing import listing

    known = {"secret": options.secret, "revealed": options.round, "file": options.cases}
    sys.stdout.write(listing(load_task(options.task), options.profile, **known, as_json=options.json) + "\n")
    return OK


def _bundle(options: argparse.Namespace) -> int:
    from evaluator.bundles.commands import run

    return run(options)


COMMANDS = {
    "evaluate": _evaluate,
    "audit": _audit,
    "run": _run,
    "demo": _demo,
    "doctor": _doctor,
    "workspace": _workspace,
    "tasks": _tasks,
    "validate": _validate,
    "new_task": _new_task,
    "unseen": _unseen,
    "bundle": _bundle,
}


if __name__ == "__main__":
    sys.exit(main())
