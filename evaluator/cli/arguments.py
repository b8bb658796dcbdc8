"""The arguments of the command line: commands and options, each with a line of help."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from evaluator.tasks.spec import CATEGORIES
from evaluator.thresholds import SESSIONS


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; its result has the command's key in `__main__.COMMANDS` as `command`."""
    top = argparse.ArgumentParser(prog="python -m evaluator", description="Evaluate GPU kernels on ArenaBoard's tasks.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _task_commands(commands)
    _evaluation_commands(commands)
    doctor = commands.add_parser("doctor", help="check what this host can do")
    doctor.add_argument("--health", action="store_true", help="run known kernels and, on a GPU, calibrate it")
    doctor.add_argument("--suite", metavar="NAME", help="with --health on a GPU: also time the baselines of this suite")
    doctor.add_argument(
        "--sessions", type=_whole_from(2), default=20, help="with --health: number of A/A sessions (default 20)"
    )
    _device(doctor)
    doctor.set_defaults(command="doctor")
    workspace = commands.add_parser("workspace", help="write the files that an agent starts from")
    workspace.add_argument("task", metavar="TASK", help="the id of a task, as `tasks` lists it")
    workspace.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    workspace.set_defaults(command="workspace")
    _bundle_commands(commands)
    return top


def _task_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    tasks = commands.add_parser("tasks", help="list the tasks, or freeze a suite")
    tasks.add_argument(
        "--freeze",
        metavar="SUITE",
        help="write tasks/suites/SUITE.yaml with current digests; a new suite has all tasks",
    )
    tasks.add_argument(
        "--prove",
        action="store_true",
        help="fail if a candidate that does no work (zeros, a copied input) passes a task that never passed `validate`",
    )
    _mounted(tasks)
    tasks.set_defaults(command="tasks")
    validate = commands.add_parser("validate", help="check task folders: files, references, runs of their candidates")
    validate.add_argument(
        "task",
        metavar="TASK",
        help="the id of a task, or `all`: those without a current line in tasks/validated.json",
    )
    validate.add_argument("--again", action="store_true", help="with `all`: also those that have one")
    validate.add_argument(
        "--part", type=_part, default=(1, 1), metavar="K/N", help="with `all`: the K-th of N processes side by side"
    )
    validate.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help="with `all`: only these: suites, ids, or beginnings of ids",
    )
    validate.add_argument("--json", type=Path, metavar="FILE", help="also write the report to this JSON file")
    validate.add_argument("--without-runs", action="store_true", help="skip the checks that run candidates")
    _measuring(validate)
    _device(validate)
    validate.set_defaults(command="validate")
    unseen = commands.add_parser("unseen", help="list the unseen cases of a task, or check a file of cases")
    unseen.add_argument("task", metavar="TASK", help="the id of a task, as `tasks` lists it")
    what = unseen.add_mutually_exclusive_group(required=True)
    what.add_argument("--secret", type=_text, metavar="TEXT", help="list the cases of this round secret")
    what.add_argument("--round", metavar="NAME", help="list the cases of a revealed round (tasks/rounds)")
    what.add_argument("--cases", type=Path, metavar="FILE", help="check and list the cases of a YAML file")
    unseen.add_argument(
        "--profile", choices=("small", "full"), default="small", help="profile of a round's cases (default small)"
    )
    unseen.add_argument("--json", action="store_true", help="print JSON")
    unseen.set_defaults(command="unseen")
    new_task = commands.add_parser("new-task", help="write the skeleton of a new task")
    new_task.add_argument("category", metavar="CATEGORY", help=", ".join(CATEGORIES))
    new_task.add_argument("name", metavar="NAME", help="the name of its folder: letters, digits and underscores")
    new_task.add_argument("--plain", action="store_true", help="without an expert, and with a wrong variant alone")
    new_task.set_defaults(command="new_task")


def _measuring(validate: argparse.ArgumentParser) -> None:
    """Add what holds on a GPU host, where tasks are measured instead of checked."""
    gpu = validate.add_argument_group("on a GPU, where baseline and right candidate are checked and timed instead")
    gpu.add_argument("--sessions", type=_whole_from(1), default=1, help="timed sessions of new workers (default 1)")
    gpu.add_argument(
        "--skip-measured",
        nargs="?",
        const="class",
        choices=("class", "card"),
        help="leave out what a card of this class has measured with this version; `card`: what this very card has",
    )
    gpu.add_argument(
        "--out", type=Path, metavar="FILE", help="merge the findings into this file (default tasks/measured.json)"
    )
    gpu.add_argument(
        "--merge",
        type=Path,
        metavar="FILE",
        help="with `all`, on any host: only merge these findings into --out",
    )


def _evaluation_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    evaluate = commands.add_parser("evaluate", help="evaluate one candidate for one task")
    evaluate.add_argument("task", metavar="TASK", help="the id of a task, as `tasks` lists it")
    what = evaluate.add_mutually_exclusive_group(required=True)
    what.add_argument("--candidate", type=Path, metavar="DIR", help="a folder with the candidate's source files")
    what.add_argument("--baseline", action="store_true", help="evaluate the task's own source")
    _mounted(evaluate)
    evaluate.add_argument(
        "--held-out",
        type=Path,
        metavar="FILE",
        help="with --tasks: also evaluate on the shapes of a held_out_shapes.yaml",
    )
    evaluate.add_argument("--out", type=Path, required=True, metavar="FILE", help="write the record to this JSON file")
    evaluate.add_argument(
        "--uploaded",
        action="store_true",
        help="the candidate is untrusted: refuse to run it without the strong sandbox",
    )
    _round(evaluate)
    evaluate.add_argument(
        "--quick",
        action="store_true",
        help="check with the first draws, one session and no clock but T_dev; the record is never published",
    )
    evaluate.add_argument(
        "--ignore-extra", action="store_true", help="ignore files that are neither the task's nor editable"
    )
    evaluate.add_argument(
        "--order-seed",
        type=_whole_from(0),
        metavar="N",
        help="on a CPU host: run programs and lanes in the orders of an earlier record's order_seed",
    )
    _device(evaluate)
    evaluate.set_defaults(command="evaluate")
    _audit_command(commands)
    _run_command(commands)
    demo = commands.add_parser("demo", help="run all reference agents on the smoke suite")
    demo.add_argument("--suite", default="smoke", metavar="NAME", help="another suite than smoke")
    demo.add_argument(
        "--out", type=Path, metavar="DIR", help="the folder for results (default: below the state folder)"
    )
    _device(demo)
    demo.set_defaults(command="demo")


def _run_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser("run", help="run an agent on a suite; an interrupted run continues")
    run.add_argument("--suite", required=True, metavar="NAME", help="the name of a suite (tasks/suites)")
    run.add_argument("--agent", required=True, metavar="NAME", help="the name of an agent (evaluator/agents)")
    run.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="override a setting of agent.yaml; repeatable"
    )
    run.add_argument("--out", type=Path, required=True, metavar="DIR", help="the run folder; DIR.zip is its bundle")
    run.add_argument("--repeat", type=_whole_from(0), default=0, help="number of the repeat, from 0 (default 0)")
    run.add_argument(
        "--sessions",
        type=_whole_from(1),
        default=SESSIONS,
        help=f"timing sessions for each case (default {SESSIONS}); more are added while its interval is wide",
    )
    run.add_argument(
        "--devices",
        metavar="LIST",
        help="on a GPU: run on several cards at once, `all` or numbers and UUIDs separated by commas",
    )
    run.add_argument(
        "--evaluations",
        type=_whole_from(1),
        default=1,
        metavar="N",
        help="with --devices: at once on each card, of which one is timed while others build (default 1)",
    )
    _round(run)
    _device(run)
    run.set_defaults(command="run")


def _audit_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    audit = commands.add_parser("audit", help="run a recorded result under the profiler and compare it with T_dev")
    audit.add_argument("record", type=Path, metavar="RECORD", help="a record's JSON file")
    audit.add_argument(
        "--candidate", type=Path, metavar="DIR", help="its source files (default: beside the record in a run folder)"
    )
    audit.add_argument(
        "--recorded", type=Path, metavar="DIR", help="read the CSV files of rocprofv3 there, and run nothing"
    )
    audit.add_argument("--out", type=Path, metavar="FILE", help="also write the report to this JSON file")
    _device(audit)
    audit.set_defaults(command="audit", backend=None)


def _bundle_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    bundle = commands.add_parser("bundle", help="check a bundle of results, or submit it to a site")
    actions = bundle.add_subparsers(required=True, metavar="ACTION")
    check = actions.add_parser("check", help="report every problem and finding of a bundle, offline")
    check.add_argument("path", type=Path, metavar="PATH", help="a folder, zip, tar (.gz, .zst), JSON or YAML file")
    check.add_argument("--json", action="store_true", help="print everything that was parsed as JSON")
    check.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="declare a fact that the bundle lacks; repeatable",
    )
    check.set_defaults(command="bundle", action="check")
    submit = actions.add_parser("submit", help="check a bundle, then submit it to a site")
    submit.add_argument("path", type=Path, metavar="PATH", help="a folder, zip, tar (.gz, .zst), JSON or YAML file")
    submit.add_argument("--url", required=True, help="the site's address, such as https://arena.example")
    submit.add_argument(
        "--token", metavar="TOKEN", help="your token (default: $ARENABOARD_TOKEN, which no process list shows)"
    )
    submit.add_argument(
        "--licence",
        type=_text,
        required=True,
        help="the licence of the sources and results, such as CC-BY-4.0 or Apache-2.0",
    )
    submit.add_argument(
        "--consent", action="store_true", help="confirm that you may publish the bundle and agree to its publication"
    )
    submit.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a field of the site's form; repeatable"
    )
    submit.set_defaults(command="bundle", action="submit")


def _whole_from(least: int) -> Callable[[str], int]:
    """The type of an option that is a whole number, at least `least`."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"seen {text!r}; expected a whole number from {least}")
        return int(text)

    return read


def _part(text: str) -> tuple[int, int]:
    """The type of an option such as 2/4."""
    part, _, parts = text.partition("/")
    if not (part.isascii() and part.isdigit() and parts.isascii() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"seen {text!r}; expected K/N with K from 1 to N, such as 2/4")
    return int(part), int(parts)


def _text(text: str) -> str:
    """The type of an option that must not be empty, as an unset shell variable would make it."""
    if not text.strip():
        raise argparse.ArgumentTypeError("seen nothing; expected text")
    return text


def _mounted(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tasks", type=Path, metavar="DIR", help="use the tasks of an AgentKernelArena checkout (v1)")


def _round(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--round", metavar="NAME", help="also evaluate on the unseen cases of a revealed round")


def _device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--backend", default="cpu", help="cpu (default), cuda, rocm, or auto for the best one available"
    )
    parser.add_argument(
        "--sandbox", choices=("auto", "bubblewrap", "plain"), default="auto", help="kind of sandbox (default auto)"
    )
