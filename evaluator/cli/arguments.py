"""The words of the command line: commands, their options, one line of help each."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path


def parser() -> argparse.ArgumentParser:
    """`command` of what it parses names one of `__main__.COMMANDS`."""
    top = argparse.ArgumentParser(prog="python -m evaluator", description="Evaluate kernels for ArenaBoard's tasks.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _task_commands(commands)
    evaluate = commands.add_parser("evaluate", help="evaluate one candidate folder for one task")
    evaluate.add_argument("task")
    what = evaluate.add_mutually_exclusive_group(required=True)
    what.add_argument("--candidate", type=Path, metavar="DIR")
    what.add_argument("--baseline", action="store_true", help="the task's own source, as a candidate")
    _mounted(evaluate)
    evaluate.add_argument(
        "--held-out", type=Path, metavar="FILE", help="with --tasks: other shapes, put into its scripts"
    )
    evaluate.add_argument("--out", type=Path, required=True, metavar="result.json")
    evaluate.add_argument("--uploaded", action="store_true", help="it comes from outside: only in the strong sandbox")
    _round(evaluate)
    evaluate.add_argument("--ignore-extra", action="store_true", help="pass over files of neither task nor kernel")
    _device(evaluate)
    evaluate.set_defaults(command="evaluate")
    run = commands.add_parser("run", help="run an agent over a suite; continues where it stopped")
    run.add_argument("--suite", required=True)
    run.add_argument("--agent", required=True, metavar="NAME", help="a folder of evaluator/agents")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="other than agent.yaml says")
    run.add_argument("--out", type=Path, required=True, metavar="DIR")
    run.add_argument("--repeat", type=_whole(0), default=0, help="number of the repeat, from 0")
    run.add_argument(
        "--sessions", type=_whole(1), default=3, help="of the device clock, a case; more where it stays wide"
    )
    _round(run)
    _device(run)
    run.set_defaults(command="run")
    demo = commands.add_parser("demo", help="the smoke suite with all reference agents")
    demo.add_argument("--suite", default="smoke")
    demo.add_argument("--out", type=Path, metavar="DIR", help="default: a new folder below the state folder")
    _device(demo)
    demo.set_defaults(command="demo")
    doctor = commands.add_parser("doctor", help="try what this host can do")
    doctor.add_argument("--health", action="store_true", help="run known kernels and, on a GPU, calibrate it")
    doctor.add_argument("--suite", help="with --health on a GPU: whose baselines are timed, too")
    doctor.add_argument("--sessions", type=_whole(2), default=20, help="with --health: A/A sessions of fresh workers")
    _device(doctor)
    doctor.set_defaults(command="doctor")
    workspace = commands.add_parser("workspace", help="write what an agent starts from")
    workspace.add_argument("task")
    workspace.add_argument("--out", type=Path, required=True, metavar="DIR")
    workspace.set_defaults(command="workspace")
    _bundle_commands(commands)
    return top


def _task_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    tasks = commands.add_parser("tasks", help="list the tasks, or freeze a suite's manifest")
    tasks.add_argument("--freeze", metavar="SUITE", help="write tasks/suites/SUITE.yaml from its tasks, or all")
    tasks.add_argument("--prove", action="store_true", help="is there one that a candidate without any work passes?")
    _mounted(tasks)
    tasks.set_defaults(command="tasks")
    validate = commands.add_parser("validate", help="check task folders: files, references, runs of their candidates")
    validate.add_argument("task", metavar="TASK", help="a task's id, or all")
    validate.add_argument("--json", type=Path, metavar="FILE", help="write the report there too")
    validate.add_argument("--without-runs", action="store_true", help="leave out what runs a candidate")
    _device(validate)
    validate.set_defaults(command="validate")
    unseen = commands.add_parser("unseen", help="list the unseen cases of a task, or check cases that somebody wrote")
    unseen.add_argument("task")
    what = unseen.add_mutually_exclusive_group(required=True)
    what.add_argument("--secret", type=_text, help="of a round")
    what.add_argument("--round", metavar="NAME", help="a revealed round (tasks/rounds)")
    what.add_argument("--cases", type=Path, metavar="FILE", help="imported ones, held against the task's contract")
    unseen.add_argument("--profile", choices=("small", "full"), default="small", help="of a round's cases")
    unseen.add_argument("--json", action="store_true")
    unseen.set_defaults(command="unseen")
    new_task = commands.add_parser("new-task", help="write the skeleton of a task; `validate` says what is left to do")
    new_task.add_argument("category")
    new_task.add_argument("name")
    new_task.set_defaults(command="new_task")


def _bundle_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    bundle = commands.add_parser("bundle", help="look a bundle of results over, or hand it in")
    actions = bundle.add_subparsers(required=True, metavar="ACTION")
    check = actions.add_parser("check", help="tell every problem and finding at once, offline")
    check.add_argument("path", type=Path, metavar="PATH", help="a folder, zip, tar (.gz, .zst), JSON or YAML file")
    check.add_argument("--json", action="store_true", help="everything that was understood, for programs")
    check.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="what it does not say itself")
    check.set_defaults(command="bundle", action="check")
    submit = actions.add_parser("submit", help="check it, then send it to a site")
    submit.add_argument("path", type=Path, metavar="PATH")
    submit.add_argument("--url", required=True, help="of the site")
    submit.add_argument("--token", metavar="TOKEN", help="default: $ARENABOARD_TOKEN, in no process list")
    submit.add_argument(
        "--licence", type=_text, required=True, help="of sources and results, such as CC-BY-4.0 or Apache-2.0"
    )
    submit.add_argument("--consent", action="store_true", help="you may publish them, and agree that they are shown")
    submit.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="as the site's form asks")
    submit.set_defaults(command="bundle", action="submit")


def _whole(least: int) -> Callable[[str], int]:
    """Of an option that quadrant_counts."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"seen {text!r}; expected a whole number from {least}")
        return int(text)

    return read


def _text(text: str) -> str:
    """Of an option that must not be empty, as a variable that is not set makes it."""
    if not text.strip():
        raise argparse.ArgumentTypeError("seen nothing; expected text")
    return text


def _mounted(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tasks", type=Path, metavar="DIR", help="tasks of a checkout of AgentKernelArena (v1)")


def _round(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--round", metavar="NAME", help="the unseen cases of a revealed round, too (tasks/rounds)")


def _device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--backend", default="cpu", help="cpu, cuda, rocm, or auto: the best that is here")
    parser.add_argument("--sandbox", choices=("auto", "bubblewrap", "plain"), default="auto")
