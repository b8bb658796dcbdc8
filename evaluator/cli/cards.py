"""A run on several cards: a process for each, which evaluates one task at a time; tasks go out in the suite's order.

Each process sees its card alone and keeps to its share of the cores; a card may have several, of which one is timed
while the others build. Records go to the one run folder, so an interrupted run continues on any number of cards.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from evaluator.backends import get_backend
from evaluator.backends.cards import Card, shares
from evaluator.bundles.archives.packing import zip_folder
from evaluator.cli.runfolder import DeviceFacts, Progress, SuiteRun, TaskOutcome, facts_of
from evaluator.errors import EvaluatorError, HostError
from evaluator.pipeline import Evaluator, SandboxKind

processes = multiprocessing.get_context("spawn")  # a forked process cannot use a card that its parent has looked at
END_S = 30.0  # that a process has to close its sandboxes after an interruption


class Hand(NamedTuple):
    """A process for one card: it says what device it has, then answers each task's number by the outcome."""

    card: str
    connection: Connection
    process: BaseProcess


def run_on_cards(
    run: SuiteRun, cards: Sequence[Card], backend: str, sandbox: SandboxKind, progress: Progress
) -> list[TaskOutcome]:
    """Run on all cards at once, with a process each time that one is listed; return outcomes in the suite's order.

    Raises:
        UsageError: the folder holds another run.
        HostError: a card's process failed. What the others were doing is finished first.
    """
    hands = list[Hand]()
    try:
        for card, cores in zip(cards, shares(cards, os.sched_getaffinity(0)), strict=True):
            hands.append(_started(run, card, cores, backend, sandbox))
        return hand_out(run, hands, progress)
    except BaseException:  # an interruption, too
        for hand in hands:
            hand.process.terminate()
        for hand in hands:
            hand.process.join(END_S)
            hand.process.kill()
        raise
    finally:
        for hand in hands:
            hand.connection.close()
            hand.process.join()


def hand_out(run: SuiteRun, hands: Sequence[Hand], progress: Progress) -> list[TaskOutcome]:
    """Give each hand that is free the next task, until all are done; write the zip at the end."""
    tasks, busy = run.suite.tasks, {hand.connection: hand for hand in hands}
    waiting, at, outcomes, failed = deque(range(len(tasks))), dict[Connection, int](), dict[int, TaskOutcome](), ""
    while busy:
        for connection in wait(list(busy)):
            assert isinstance(connection, Connection)
            said = _said(connection)
            match said:
                case DeviceFacts():
                    run.open(said)
                case TaskOutcome():
                    outcomes[at[connection]] = said
                    progress(said.record.task.id, said)
                case _:
                    failed = failed or f"card {busy[connection].card}: {said}"
            if failed or not waiting:
                busy.pop(connection)
                connection.close()
                continue
            at[connection] = waiting.popleft()
            progress(tasks[at[connection]].id, None)
            with suppress(OSError):  # its process has ended, as the next look finds
                connection.send(at[connection])
    if failed:
        raise HostError(failed)
    zip_folder(run.folder)
    return [outcomes[index] for index in range(len(tasks))]


def serve(connection: Connection, run: SuiteRun, evaluator: Evaluator) -> None:
    """Evaluate one task after another until the connection ends, as it does with the process at its other end."""
    backend = evaluator.backend
    connection.send(facts_of(backend))
    while True:
        try:
            task = run.suite.tasks[connection.recv()]
        except (EOFError, ConnectionError):
            return
        run.keep_calibration(backend)
        outcome = run.outcome(task, evaluator)
        with suppress(ConnectionError):  # the run has ended, as the next look finds
            connection.send(outcome)


def _said(connection: Connection) -> object:
    try:
        return connection.recv()
    except (EOFError, ConnectionError):
        return "its process has ended"


def _started(run: SuiteRun, card: Card, cores: set[int], backend: str, sandbox: SandboxKind) -> Hand:
    ours, theirs = processes.Pipe()
    process = processes.Process(target=_work, args=(theirs, run, backend, sandbox), name=card.name)
    with closing(theirs), as_for(card, cores):
        process.start()
    return Hand(card.name, ours, process)


@contextmanager
def as_for(card: Card, cores: set[int]) -> Iterator[None]:
    """Have the environment and the cores of a card's process, which inherits them: torch reads both as it is loaded."""
    variables, allowed = dict(os.environ), os.sched_getaffinity(0)
    for name, value in card.variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
        os.environ.clear()
        os.environ.update(variables)


def _work(connection: Connection, run: SuiteRun, backend: str, sandbox: SandboxKind) -> None:
    """Work for one card. Ctrl-C reaches the whole group of processes, but it is the parent that ends this one."""
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Evaluator(get_backend(backend), sandbox) as evaluator:
            serve(connection, run, evaluator)
    except EvaluatorError as error:
        connection.send(str(error))
    except KeyboardInterrupt:
        sys.exit(1)
