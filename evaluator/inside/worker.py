"""A worker's life: arrange files, folders and variables of a confined process, then serve commands until the judge goes."""

from __future__ import annotations

import faulthandler
import fcntl
import os
import random
import tempfile
import traceback
from collections.abc import Mapping
from typing import NoReturn

from evaluator.inside.channel import Channel, SharedMemory
from evaluator.inside.harness import COMMANDS, Harness

MAX_KIND, MAX_TEXT = 200, 4000
HIGH_FDS = (64, 400)


def run_worker(fds: list[int], mailbox_bytes: int, workspace: str, environment: Mapping[str, str]) -> NoReturn:
    """fds: commands, replies, output, mailbox. Says hello, then serves; ends with the channel."""
    commands, replies, output, memory = fds
    os.dup2(output, 1)
    os.dup2(output, 2)
    mailbox = SharedMemory(memory, mailbox_bytes)
    channel = Channel(_move(commands), _move(replies))
    for fd in (output, memory):
        os.close(fd)
    faulthandler.enable()
    _settle(workspace, environment)
    harness = Harness(channel, mailbox, workspace)
    channel.send({})
    serve(channel, harness)


def serve(channel: Channel, harness: Harness) -> NoReturn:
    """One command, one reply with the command's token. What a handler raises is a reply too."""
    handlers = {name: getattr(harness, name) for name in COMMANDS}
    while True:
        message = channel.receive()
        token, handler = message.pop("token"), handlers[str(message.pop("op"))]
        try:
            reply = handler(**message)
        except BaseException as error:
            reply = {"fault": _describe(error)}
        channel.send({**reply, "token": token})


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
    os.environ.update(HOME=workspace, TMPDIR=temporary, TRITON_CACHE_DIR=os.path.join(workspace, ".triton"))
    os.environ.update(environment)
    os.chdir(workspace)


def _describe(error: BaseException) -> dict[str, str]:
    """Class and traceback of the candidate's exception; printing it may itself run the candidate's code."""
    kind = _kind(type(error))
    try:
        text = "".join(traceback.format_exception(error)[-8:])[-MAX_TEXT:]
    except BaseException:
        text = "its text could not be made"
    return {"kind": kind, "text": text}


def _kind(cls: type) -> str:
    try:
        return f"{cls.__module__}.{cls.__qualname__}"[:MAX_KIND]
    except BaseException:
        return "builtins.BaseException"
