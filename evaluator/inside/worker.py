"""The main loop of a worker: set up its files, folder and variables, then serve commands until the judge disconnects.

It sends one reply per command, with the command's token. The commands themselves are in harness.py.
"""

from __future__ import annotations

import faulthandler
import fcntl
import os
import random
import runpy
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import NoReturn

from evaluator.inside import command
from evaluator.inside.channel import Channel, SharedMemory
from evaluator.inside.exceptions import sentence_of
from evaluator.inside.excerpts import excerpt
from evaluator.inside.harness import Harness

MAX_KIND, MAX_TEXT, LAST_FRAMES = 200, 4000, 8
HIGH_FDS = (64, 400)
TRUSTED = ("evaluator", "torch", "triton", "builtins")  # packages whose exception classes the judge interprets
ELSEWHERE = "builtins.BaseException"  # for a class that is not defined where it claims


def run_worker(fds: list[int], mailbox_bytes: int, workspace: str, environment: Mapping[str, str]) -> NoReturn:
    """Say hello, then serve until the channel closes. `fds`: commands, replies, mailbox."""
    commands, replies, memory = fds
    mailbox = SharedMemory(memory, mailbox_bytes)
    os.close(memory)
    channel = Channel(_move(commands), _move(replies))
    faulthandler.enable()  # a crash leaves a Python traceback in the output
    _settle(workspace, environment)
    harness = Harness(channel, mailbox, workspace)
    channel.send({})
    serve(channel, {"run": run_script, **harness.handlers(), **command.handlers(mailbox, workspace)})


def serve(channel: Channel, handlers: Mapping[str, Callable[..., dict[str, object]]]) -> NoReturn:
    """Send one reply per command; exceptions of handlers, and replies that cannot be sent, are reported as replies."""
    while True:
        message = channel.receive()
        token, handler = message.pop("token"), handlers[str(message.pop("op"))]
        try:
            reply = handler(**message)
        except BaseException as error:
            reply = {"fault": _describe(error)}
        try:
            channel.send({**reply, "token": token})
        except (TypeError, ValueError) as error:  # nothing has been written yet
            channel.send({"fault": _describe(error), "token": token})


def run_script(path: str) -> dict[str, object]:
    """Run a Python file of the workspace as a script. Tests of the sandbox use this."""
    runpy.run_path(path, run_name="__main__")
    return {}


def _move(fd: int) -> int:
    """Move a descriptor to an unpredictable high number, closed on exec, since code may guess 3, 4 or 5."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, random.SystemRandom().randrange(*HIGH_FDS))
    os.close(fd)
    return moved


def _settle(workspace: str, environment: Mapping[str, str]) -> None:
    """Put home, temporary files and Triton's cache into the worker's own folder."""
    temporary = os.path.join(workspace, ".tmp")
    os.mkdir(temporary)
    tempfile.tempdir = None  # the zygote may have set it
    own = {"HOME": workspace, "PWD": workspace, "TMPDIR": temporary, "TRITON_CACHE_DIR": f"{workspace}/.triton"}
    os.environ.update(own | dict(environment))
    os.chdir(workspace)


def _describe(error: BaseException) -> dict[str, str]:
    """Return class, sentence and traceback, without the frame of `serve`. Formatting may run the candidate's code."""
    kind = _kind(type(error))
    try:
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        text = excerpt("".join(traceback.format_exception(type(error), error, trace)[-LAST_FRAMES:]), MAX_TEXT)
    except BaseException:
        text = "the exception cannot be formatted"
    try:
        sentence = sentence_of(error)
    except BaseException:
        sentence = f"{kind.rpartition('.')[2]}, whose text cannot be formatted"
    return {"kind": kind, "sentence": sentence, "text": text}


def _kind(cls: type) -> str:
    """Return the full name of the class if it is really defined there: a candidate's class may claim to be one of the
    evaluator or a library."""
    try:
        module, name = cls.__module__, cls.__qualname__
        full_name = f"{module}.{name}"[:MAX_KIND]
        if module.partition(".")[0] not in TRUSTED:
            return full_name
        return full_name if attrgetter(name)(sys.modules[module]) is cls else ELSEWHERE
    except BaseException:
        return ELSEWHERE
