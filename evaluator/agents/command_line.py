"""Runs a command-line agent in its sandbox and listens: events to a parser, checks to the judge, requests to the proxy.

The agent is ended with everything it started when it ends, when its time is over, and when it prints without end.
What its workspace holds then is its candidate.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from evaluator.agents.check_server import CheckServer
from evaluator.agents.events import EventStream
from evaluator.agents.interface import AgentSettings, Desk, Work
from evaluator.agents.prompt import PromptRequest, prompt_of
from evaluator.agents.proxy import Proxy
from evaluator.agents.variables import secrets_here
from evaluator.codec import plain_text
from evaluator.errors import HostError
from evaluator.inside import arena
from evaluator.records.sessions import Ending, TranscriptEntry, shortened
from evaluator.sandbox.agent import AgentBox, Process
from evaluator.sandbox.bubblewrap import BubblewrapTree
from evaluator.tasks.candidate import read_candidate
from evaluator.tasks.workspace import make_workspace

MAX_STREAM_BYTES, MAX_LINE_BYTES = 512 << 20, 32 << 20
GRACE_S = 20.0  # between the end of its output and its own end: a busy host takes its time
LAST_WORDS = 2000  # characters of standard error in a message
CONTRACT = "config.yaml"
Command = Callable[[str, AgentSettings, str], tuple[list[str], str]]  # program, settings, prompt: words, standard input
NewStream = Callable[[dict[str, str]], EventStream]


def work_by_command(desk: Desk, command: Command, new_stream: NewStream) -> Work:
    """One session of an agent that is a program.

    Raises:
        HostError: the program is not there, ends before its first event, or fails without a word of its model.
        UsageError: a secret is none.
    """
    program, readable = program_of(desk.settings)
    question = PromptRequest(
        task=desk.task,
        architecture=desk.architecture,
        workspace=arena.WORKSPACE,
        max_iterations=desk.settings.max_iterations,
        cheatsheets=desk.settings.cheatsheets,
        contract_shown=desk.settings.contract_shown,
    )
    prompt = prompt_of(question)
    secrets = secrets_here(desk.settings)
    stream = new_stream(secrets)
    words, told = command(program, desk.settings, prompt)
    with _box(desk, readable) as box:
        ended, message = _Session(desk, box, stream, secrets).run(words, told)
        candidate = read_candidate(box.workspace, desk.task, label=desk.agent, ignore_extra=True)
    transcript = (TranscriptEntry("prompt", shortened(prompt)), *stream.entries)
    return Work(candidate, ended, message, prompt, transcript, stream.usage)


def program_of(settings: AgentSettings) -> tuple[str, tuple[str, ...]]:
    """Where the program lies, and what of the host must be seen for it.

    Raises:
        HostError: it is not installed, or lies where no sandbox sees it.
    """
    name, folder = settings.text("program"), settings.text("installed_in")
    found = shutil.which(name, path=os.pathsep.join([*([folder] if folder else []), os.environ.get("PATH", "")]))
    if found is None:
        raise HostError(f"{name} is not installed here; `--set program=…` names another path")
    real = os.path.realpath(found)
    places = ("/usr", *([os.path.realpath(folder)] if folder else []))
    if not any(Path(real).is_relative_to(place) for place in places):
        raise HostError(f"{name} lies in {real}; `--set installed_in=…` names the folder that its sandbox may read")
    return real, places[1:]


@contextmanager
def _box(desk: Desk, readable: tuple[str, ...]) -> Iterator[AgentBox]:
    folder = Path(tempfile.mkdtemp(prefix="arena-agent-"))
    try:
        box = AgentBox(folder, desk.access, readable)
        box.make()
        make_workspace(desk.task, box.workspace)
        if not desk.settings.contract_shown:
            (box.workspace / CONTRACT).unlink()
        yield box
    finally:
        shutil.rmtree(folder)


class _Session:
    def __init__(self, desk: Desk, box: AgentBox, stream: EventStream, secrets: dict[str, str]) -> None:
        self._desk, self._box, self._stream, self._secrets = desk, box, stream, secrets

    def run(self, words: Sequence[str], told: str) -> tuple[Ending, str | None]:
        with ExitStack() as stack:
            stack.enter_context(CheckServer(self._desk, self._box.sockets))
            proxy = None
            if self._desk.settings.network:
                proxy = stack.enter_context(Proxy(self._desk.settings.network, self._box.sockets))
            errors, prompt = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            prompt.write(told.encode())
            prompt.seek(0)
            process, tree = self._box.start(words, self._secrets, prompt.fileno(), errors.fileno())
            try:
                why = self._listen(process)
                if why is None:
                    _await_end(process)
            finally:
                _end(process, tree)
            errors.seek(0)
            said = plain_text(self._stream.veiled(errors.read().decode("utf-8", "replace"))[-LAST_WORDS:])
        for host, allowed in (proxy.asked if proxy else {}).items():
            self._stream.add(
                "text" if allowed else "error", f"network: {host} was {'' if allowed else 'not '}let through"
            )
        if unknown := self._stream.unknown:
            self._stream.add("error", f"events of no known kind: {', '.join(sorted(unknown))}")
        return self._ending(why, process, said)

    def _listen(self, process: Process) -> str | None:
        """Every line to the stream, until it ends; None then, else why it was ended."""
        assert process.stdout is not None
        rest, total, fd = b"", 0, process.stdout.fileno()
        while True:
            if self._desk.left_s <= 0 or not select.select([fd], [], [], max(0.0, self._desk.left_s))[0]:
                return "the session's time was over"
            piece = os.read(fd, 1 << 16)
            total += len(piece)
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self._feed(line)
            if not piece:
                self._feed(rest)
                return None
            if total > MAX_STREAM_BYTES or len(rest) > MAX_LINE_BYTES:
                return "it printed without end"

    def _feed(self, line: bytes) -> None:
        known = len(self._stream.entries)
        self._stream.feed(line.decode("utf-8", "replace"))
        for entry in self._stream.entries[known:]:
            self._desk.hear(entry)

    def _ending(self, why: str | None, process: Process, said: str) -> tuple[Ending, str | None]:
        ended, message = self._outcome(why, process, said)
        if ended != "finished" and not self._stream.answered:
            raise HostError(f"{self._desk.agent} heard nothing of its model: {message}")
        return ended, message

    def _outcome(self, why: str | None, process: Process, said: str) -> tuple[Ending, str | None]:
        if why is not None:
            return ("timed_out" if self._desk.left_s <= 0 else "failed"), why
        if not self._stream.began:
            raise HostError(f"{self._desk.agent} ends with {process.returncode} before its first event: {said}")
        if self._stream.failure is not None:
            return "failed", shortened(self._stream.veiled(self._stream.failure), LAST_WORDS)
        if process.returncode != 0:
            return "failed", f"the program ended with {process.returncode}: {said}".strip()
        return "finished", None


def _await_end(process: Process) -> None:
    """By itself, if it is about to: what it ends with tells whether it failed."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=GRACE_S)


def _end(process: Process, tree: BubblewrapTree) -> None:
    """With everything that is left of it."""
    tree.kill()
    tree.close()
    if process.stdout is not None:
        process.stdout.close()
