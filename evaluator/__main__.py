"""The evaluator's door from a shell: python -m evaluator COMMAND.

Exit codes: 0 evaluated (whatever the status) or done, 1 the demo's own expectations were not met or a task is not
valid, 2 usage or a bad task, 3 this host cannot do it.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from evaluator.errors import EvaluatorError, HostError, TaskError, UsageError

OK, NOT_AS_EXPECTED, BAD_USAGE, HOST_CANNOT, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: list[str] | None = None) -> int:
    """Parse, run one command, translate our own faults into exit codes."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `doctor | head` ends quietly
    try:
        return int(options.command(options))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except (UsageError, TaskError) as error:
        sys.stderr.write(f"{error}\n")
        return BAD_USAGE
    except (HostError, OSError) as error:
        sys.stderr.write(f"this host cannot do it: {error}\n")
        return HOST_CANNOT
    except EvaluatorError as error:
        sys.stderr.write(f"the evaluation failed: {error}\n")
        return HOST_CANNOT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluator", description="Evaluate kernels for ArenaBoard's tasks.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _task_commands(commands)
    evaluate = commands.add_parser("evaluate", help="evaluate one candidate folder for one task")
    evaluate.add_argument("task")
    evaluate.add_argument("--candidate", type=Path, required=True, metavar="DIR")
    evaluate.add_argument("--out", type=Path, required=True, metavar="result.json")
    evaluate.add_argument("--uploaded", action="store_true", help="it comes from outside: only in the strong sandbox")
    evaluate.add_argument(
        "--ignore-extra", action="store_true", help="pass over files that are neither task nor kernel"
    )
    _device(evaluate)
    evaluate.set_defaults(command=_evaluate)
    run = commands.add_parser("run", help="run a built-in agent over a suite; continues where it stopped")
    run.add_argument("--suite", required=True)
    run.add_argument("--agent", required=True)
    run.add_argument("--out", type=Path, required=True, metavar="DIR")
    run.add_argument("--repeat", type=int, default=0, help="number of the repeat, from 0")
    _device(run)
    run.set_defaults(command=_run)
    demo = commands.add_parser("demo", help="the smoke suite with all built-in agents")
    demo.add_argument("--suite", default="smoke")
    demo.add_argument("--out", type=Path, metavar="DIR", help="default: a new folder below the state folder")
    _device(demo)
    demo.set_defaults(command=_demo)
    doctor = commands.add_parser("doctor", help="try what this host can do")
    _device(doctor)
    doctor.set_defaults(command=_doctor)
    workspace = commands.add_parser("workspace", help="write what an agent starts from")
    workspace.add_argument("task")
    workspace.add_argument("--out", type=Path, required=True, metavar="DIR")
    workspace.set_defaults(command=_workspace)
    return parser


def _task_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    tasks = commands.add_parser("tasks", help="list the tasks, or freeze a suite's manifest")
    tasks.add_argument(
        "--freeze", metavar="SUITE", help="write tasks/suites/SUITE.yaml from the tasks it names, or all"
    )
    tasks.set_defaults(command=_tasks)
    validate = commands.add_parser(
        "validate", help="check task folders: files, references, runs of their own candidates"
    )
    validate.add_argument("task", metavar="TASK", help="a task's id, or all")
    validate.add_argument("--json", type=Path, metavar="FILE", help="write the report there too")
    validate.add_argument("--without-runs", action="store_true", help="leave out what runs a candidate")
    _device(validate)
    validate.set_defaults(command=_validate)
    new_task = commands.add_parser("new-task", help="write the skeleton of a task; `validate` says what is left to do")
    new_task.add_argument("category")
    new_task.add_argument("name")
    new_task.set_defaults(command=_new_task)


def _device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--sandbox", choices=("auto", "bubblewrap", "plain"), default="auto")


def _tasks(options: argparse.Namespace) -> int:
    from evaluator.taskreader import load_task, task_ids

    if options.freeze:
        from evaluator.freeze import freeze_suite

        sys.stdout.write(f"{freeze_suite(options.freeze)}\n")
        return OK
    for task in map(load_task, task_ids()):
        small = sum(case.profile == "small" for case in task.cases)
        sys.stdout.write(f"{task.id:45} {task.digest[:12]}  {small} small, {len(task.cases) - small} full cases\n")
    return OK


def _validate(options: argparse.Namespace) -> int:
    from contextlib import nullcontext

    from evaluator.backends.cpu import get_backend
    from evaluator.pipeline import Evaluator
    from evaluator.taskreader import task_ids
    from evaluator.taskspec import tasks_folder
    from evaluator.validate.checks import as_json, table, validate

    if options.task != "all" and options.task not in task_ids():
        raise UsageError(f"no task is named {options.task!r}; `python -m evaluator tasks` lists them")
    if options.json:
        _check_writable(options.json)
    wanted = task_ids() if options.task == "all" else [options.task]
    runs = nullcontext() if options.without_runs else Evaluator(get_backend(options.backend), options.sandbox)
    with runs as evaluator:
        validations = [validate(task_id, tasks_folder(), evaluator) for task_id in wanted]
    sys.stdout.write(f"{table(validations)}\n")
    if options.json:
        options.json.write_text(as_json(validations), encoding="utf-8")
    return OK if all(validation.is_valid for validation in validations) else NOT_AS_EXPECTED


def _new_task(options: argparse.Namespace) -> int:
    from evaluator.taskspec import tasks_folder
    from evaluator.validate.skeleton import write_skeleton

    folder = write_skeleton(options.category, options.name, tasks_folder())
    sys.stdout.write(
        f"{folder}\nwhat is left to do: python -m evaluator validate {options.category}/arena/{options.name}\n"
    )
    return OK


def _evaluate(options: argparse.Namespace) -> int:
    from evaluator.backends.cpu import get_backend
    from evaluator.candidate import read_candidate
    from evaluator.pipeline import Evaluator
    from evaluator.records import Status, write_record
    from evaluator.taskreader import load_task

    task = load_task(options.task)
    _check_writable(options.out)
    candidate = read_candidate(options.candidate, task, ignore_extra=options.ignore_extra)
    with Evaluator(get_backend(options.backend), options.sandbox) as evaluator:
        record = evaluator.evaluate(task, candidate, uploaded=options.uploaded)
    write_record(record, options.out)
    sys.stdout.write(f"{record.status.value}: {record.message or 'every gate passed'}\nrecord: {options.out}\n")
    return HOST_CANNOT if record.status is Status.ERRORED else OK


def _check_writable(path: Path) -> None:
    """Before minutes of work, not after."""
    if path.is_dir():
        raise UsageError(f"--out {path} is a folder; a file to write the record to is expected")
    probe = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UsageError(f"--out {path} cannot be written: {error}") from error


def _run(options: argparse.Namespace) -> int:
    from evaluator.backends.cpu import get_backend
    from evaluator.board import board_text
    from evaluator.demo import ProgressBar
    from evaluator.pipeline import Evaluator
    from evaluator.runfolder import run_suite
    from evaluator.suites import load_suite

    suite, backend = load_suite(options.suite), get_backend(options.backend)
    bar = ProgressBar(len(suite.tasks))
    with Evaluator(backend, options.sandbox) as evaluator:
        outcomes = run_suite(
            suite, options.agent, evaluator, options.out, repeat=options.repeat, progress=bar.of(options.agent)
        )
    bar.end()
    records = {options.agent: [outcome.record for outcome in outcomes]}
    sys.stdout.write(board_text(records, f"{suite.label} on {backend.device_class}") + "\n")
    sys.stdout.write(f"\nbundle: {options.out}.zip\n")
    return OK


def _demo(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from evaluator.backends.cpu import get_backend
    from evaluator.demo import run_demo
    from evaluator.pipeline import Evaluator
    from evaluator.state import state_folder
    from evaluator.suites import load_suite

    suite, backend = load_suite(options.suite), get_backend(options.backend)
    folder = options.out or state_folder() / "demo" / datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    with Evaluator(backend, options.sandbox) as evaluator:
        good = run_demo(suite, evaluator, folder, lambda text: sys.stdout.write(f"{text}\n"))
    return OK if good else NOT_AS_EXPECTED


def _doctor(options: argparse.Namespace) -> int:
    from evaluator.backends.cpu import get_backend
    from evaluator.doctor import checks

    missing = False
    for check in checks(get_backend(options.backend)):
        word = "ok" if check.good else "MISSING" if check.needed else "absent"
        sys.stdout.write(f"{word:8} {check.name:20} {check.text}\n")
        sys.stdout.flush()
        missing |= check.needed and not check.good
    return HOST_CANNOT if missing else OK


def _workspace(options: argparse.Namespace) -> int:
    from evaluator.taskreader import load_task
    from evaluator.workspace import make_workspace

    for name in make_workspace(load_task(options.task), options.out):
        sys.stdout.write(f"{options.out / name}\n")
    return OK


if __name__ == "__main__":
    sys.exit(main())
