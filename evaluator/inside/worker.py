"""A worker's life: arrange files, folder and variables once it is confined, then serve commands until the judge goes.

What it owes the judge is small: one reply per command, with the command's token. Everything else is the harness's.
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
from evaluator.inside.harness import Harness

MAX_KIND, MAX_TEXT, LAST_FRAMES = 200, 4000, 8
HIGH_FDS = (64, 400)
TRUSTED = ("evaluator", "torch", "triton", "builtins")  # packages whose classes mean something to the judge
ELSEWHERE = "builtins.BaseException"  # of a class that is not where it says


def run_worker(fds: list[int], mailbox_bytes: int, workspace: str, environment: Mapping[str, str]) -> NoReturn:
    """fds: commands, replies, mailbox. Says hello, then serves; ends with the channel."""
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
    """One command, one reply. What a handler raises, or returns and cannot be sent, is a reply too."""
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
    """Run a Python file of the workspace as a script: no candidate, but what tries the sandbox itself."""
    runpy.run_path(path, run_name="__main__")
    return {}


def _move(fd: int) -> int:
    """To an unpredictable high number, closed on exec: out of the way of code that guesses 3, 4, 5."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, random.SystemRandom().randrange(*HIGH_FDS))
    os.close(fd)
    return moved


def _settle(workspace: str, environment: Mapping[str, str]) -> None:
    """Home, temporary files and Triton's cache lie in the worker's own folder."""
    temporary = os.path.join(workspace, ".tmp")
    os.mkdir(temporary)
    tempfile.tempdir = None  # what the zygote may have found out
    own = {"HOME": workspace, "PWD": workspace, "TMPDIR": temporary, "TRITON_CACHE_DIR": f"{workspace}/.triton"}
    os.environ.update(own | dict(environment))
    os.chdir(workspace)


def _describe(error: BaseException) -> dict[str, str]:
    """Class and end of the traceback, without the frame of `serve`. Printing it may itself run the candidate's code."""
    kind = _kind(type(error))
    try:
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        text = "".join(traceback.format_exception(type(error), error, trace)[-LAST_FRAMES:])[-MAX_TEXT:]
    except BaseException:
        text = "its text could not be made"
    return {"kind": kind, "text": text}


def _kind(cls: type) -> str:
    """Where the class says it is, if it is there: a candidate's may claim to be ours, which say that the host lacks
    something, or a library's."""
    try:
        module, name = cls.__module__, cls.__qualname__
        told = f"{module}.{name}"[:MAX_KIND]
        if module.partition(".")[0] not in TRUSTED:
            return told
        return told if attrgetter(name)(sys.modules[module]) is cls else ELSEWHERE
    except BaseException:
        return ELSEWHERE
