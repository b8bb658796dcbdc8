"""Runs a command-line agent in its sandbox: its events go to a parser, its checks and its network requests to servers.

The agent and everything it started are killed when it exits, when its time is up, or when it prints too much. The files
that are then in its workspace are its candidate.
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
from evaluator.agents.interface import AgentSettings, SessionContext, SessionOutcome
from evaluator.agents.prompt import PromptRequest, prompt_of
from evaluator.agents.proxy import Proxy
from evaluator.agents.variables import secrets_from_environment
from evaluator.codec import plain_text
from evaluator.errors import HostError
from evaluator.inside import arena
from evaluator.records.sessions import Ending, TranscriptEntry, shortened
from evaluator.sandbox.agent import AgentBox, Process
from evaluator.sandbox.bubblewrap import BubblewrapTree
from evaluator.state import temporary_folder
from evaluator.tasks.candidate import read_candidate
from evaluator.tasks.workspace import make_workspace

MAX_STREAM_BYTES, MAX_LINE_BYTES = 512 << 20, 32 << 20
GRACE_S = 20.0  # between the end of its output and its exit, on a busy host
LAST_WORDS = 2000  # characters of standard error in a message
CONTRACT = "config.yaml"
Command = Callable[[str, AgentSettings, str], tuple[list[str], str]]  # program, settings, prompt: words, standard input
NewStream = Callable[[dict[str, str]], EventStream]


def run_command_agent(context: SessionContext, command: Command, new_stream: NewStream) -> SessionOutcome:
    """Run one session of an agent that is a program.

    Raises:
        HostError: the program is missing, exits before its first event, or fails before its model replied.
        UsageError: a secret is malformed.
    """
    program, readable = program_of(context.settings)
    request = PromptRequest(
        task=context.task,
        architecture=context.architecture,
        workspace=arena.WORKSPACE,
        max_iterations=context.settings.max_iterations,
        cheatsheets=context.settings.cheatsheets,
        contract_shown=context.settings.contract_shown,
    )
    prompt = prompt_of(request)
    secrets = secrets_from_environment(context.settings)
    stream = new_stream(secrets)
    words, standard_input = command(program, context.settings, prompt)
    with _agent_box(context, readable) as box:
        ended, message = _Session(context, box, stream, secrets).run(words, standard_input)
        candidate = read_candidate(box.workspace, context.task, label=context.agent, ignore_extra=True)
    transcript = (TranscriptEntry("prompt", shortened(prompt)), *stream.entries)
    return SessionOutcome(candidate, ended, message, prompt, transcript, stream.usage)


def program_of(settings: AgentSettings) -> tuple[str, tuple[str, ...]]:
    """The program's path, and the folders that its sandbox must be able to read.

    Raises:
        HostError: it is not installed, or lies in a folder that no sandbox may read.
    """
    name, folder = settings.text("program"), settings.text("installed_in")
    found = shutil.which(name, path=os.pathsep.join([*([folder] if folder else []), os.environ.get("PATH", "")]))
    if found is None:
        raise HostError(f"{name} is not installed here; `--set program=…` names another path")
    real = os.path.realpath(found)
    places = ("/usr", *([os.path.realpath(folder)] if folder else []))
    if not any(Path(real).is_relative_to(place) for place in places):
        raise HostError(f"{name} is at {real}; `--set installed_in=…` names the folder that its sandbox may read")
    return real, places[1:]


@contextmanager
def _agent_box(context: SessionContext, readable: tuple[str, ...]) -> Iterator[AgentBox]:
    with temporary_folder("agent") as folder:
        box = AgentBox(folder, context.access, readable)
        box.make()
        make_workspace(context.task, box.workspace)
        if not context.settings.contract_shown:
            (box.workspace / CONTRACT).unlink()
        yield box


class _Session:
    def __init__(self, context: SessionContext, box: AgentBox, stream: EventStream, secrets: dict[str, str]) -> None:
        self._context, self._box, self._stream, self._secrets = context, box, stream, secrets

    def run(self, words: Sequence[str], standard_input: str) -> tuple[Ending, str | None]:
        with ExitStack() as stack:
            stack.enter_context(CheckServer(self._context, self._box.sockets))
            proxy = None
            if self._context.settings.network:
                proxy = stack.enter_context(Proxy(self._context.settings.network, self._box.sockets))
            errors, prompt = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            prompt.write(standard_input.encode())
            prompt.seek(0)
            process, tree = self._box.start(words, self._secrets, prompt.fileno(), errors.fileno())
            try:
                why = self._read_events(process)
                if why is None:
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(timeout=GRACE_S)  # its exit code says whether it failed
            finally:
                _kill(process, tree)
            errors.seek(0)
            last_words = plain_text(self._stream.masked(errors.read().decode("utf-8", "replace"))[-LAST_WORDS:])
        for host, allowed in (proxy.asked if proxy else {}).items():
            self._stream.add(
                "text" if allowed else "error", f"network: {host} was {'allowed' if allowed else 'refused'}"
            )
        if unknown := self._stream.unknown:
            self._stream.add("error", f"events of unknown kinds: {', '.join(sorted(unknown))}")
        return self._ending(why, process, last_words)

    def _read_events(self, process: Process) -> str | None:
        """Feed every line to the parser until the output ends; returns why it was cut off, or None if it was not."""
        assert process.stdout is not None
        rest, total, fd = b"", 0, process.stdout.fileno()
        while True:
            if self._context.left_s <= 0 or not select.select([fd], [], [], max(0.0, self._context.left_s))[0]:
                return "the session ran out of time"
            piece = os.read(fd, 1 << 16)
            total += len(piece)
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self._feed(line)
            if not piece:
                self._feed(rest)
                return None
            if total > MAX_STREAM_BYTES or len(rest) > MAX_LINE_BYTES:
                return "it printed too much"

    def _feed(self, line: bytes) -> None:
        known = len(self._stream.entries)
        self._stream.feed(line.decode("utf-8", "replace"))
        for entry in self._stream.entries[known:]:
            self._context.on_event(entry)

    def _ending(self, why: str | None, process: Process, last_words: str) -> tuple[Ending, str | None]:
        ended, message = self._outcome(why, process, last_words)
        if ended != "finished" and not self._stream.answered:
            raise HostError(f"{self._context.agent} got no reply from its model: {message}")
        return ended, message

    def _outcome(self, why: str | None, process: Process, last_words: str) -> tuple[Ending, str | None]:
        if why is not None:
            return ("timed_out" if self._context.left_s <= 0 else "failed"), why
        if not self._stream.began:
            code = process.returncode
            raise HostError(f"{self._context.agent} exited with {code} before its first event: {last_words}")
        if self._stream.failure is not None:
            return "failed", shortened(self._stream.masked(self._stream.failure), LAST_WORDS)
        if process.returncode != 0:
            return "failed", f"the program exited with {process.returncode}: {last_words}".strip()
        return "finished", None


def _kill(process: Process, tree: BubblewrapTree) -> None:
    """Kill the agent with everything it started."""
    tree.kill()
    tree.close()
    if process.stdout is not None:
        process.stdout.close()
