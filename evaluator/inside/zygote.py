"""Fork server: imports torch and triton once, then forks one new, confined worker per request.

It never runs candidate code, never reads a candidate's source and never uses a device, whose context would not survive
a fork. One worker runs at a time; when it ends, its remaining processes and files are removed.
"""

from __future__ import annotations

import gc
import json
import os
import random
import secrets
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import NoReturn

import torch
import triton.language  # noqa: F401  (a candidate finds it loaded)

from evaluator.inside import folders, processes, strength
from evaluator.inside.channel import MAX_DATAGRAM_BYTES
from evaluator.inside.confine import Confinement, become_zygote, confine
from evaluator.inside.devices import preheat
from evaluator.inside.limits import Limits
from evaluator.inside.worker import run_worker

USERS = range(61184, 65520)  # systemd's range of dynamic users, which nobody else uses
CHILD_BROKE = 71


def main() -> NoReturn:
    """Run the zygote. Arguments: the file descriptor of the control socket, and the settings as JSON."""
    control = socket.socket(fileno=int(sys.argv[1]))
    fields = json.loads(sys.argv[2])
    settings = Confinement(**{**fields, "limits": Limits(**fields["limits"])})
    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # an init only gets those signals from inside that it handles
    preheat(settings.device)
    become_zygote()
    gc.collect()
    gc.freeze()  # objects so far are not collected, so that workers share their pages
    Zygote(control, settings).serve()
    processes.end_all()
    if settings.kind == "plain":  # a judge that ends normally kills this process and removes the folder itself
        folders.empty([settings.workspace])
        os.rmdir(settings.workspace)
    os._exit(0)


class Zygote:
    """Serves spawn, end, freeze and thaw until the judge disconnects."""

    def __init__(self, control: socket.socket, settings: Confinement) -> None:
        self._control, self._settings = control, settings
        self._own_user = os.geteuid() == 0 and (settings.kind == "bubblewrap" or _open_to_others(settings.workspace))
        self._kept = folders.content(settings.swept)  # paths bound from the host may lie below /tmp
        self._spawned, self._worker = 0, 0

    def serve(self) -> None:
        self._reply({"strength": self._strength(), "at": time.monotonic()})
        while True:
            data, fds, _, _ = socket.recv_fds(self._control, MAX_DATAGRAM_BYTES, 8)
            if not data:
                return
            [(op, fields)] = json.loads(data).items()
            handlers: dict[str, Callable[..., dict[str, object]]]
            handlers = {"spawn": partial(self.spawn, fds), "end": self.end, "freeze": self.freeze, "thaw": self.thaw}
            self._reply(handlers[op](**fields))

    def spawn(self, fds: list[int], mailbox_bytes: int, environment: dict[str, str]) -> dict[str, object]:
        """Fork a worker. fds: commands, replies, mailbox, output."""
        user = self._user()
        self._spawned += 1
        workspace = os.path.join(self._settings.workspace, secrets.token_hex(8))
        os.mkdir(workspace, 0o700)
        if user is not None:
            os.chown(workspace, user, user)

        def become_worker() -> None:
            self._control.close()
            output = fds.pop()
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.close(output)
            confine(self._settings, user)
            run_worker(fds, mailbox_bytes, workspace, environment)

        self._worker = _fork(become_worker)
        for fd in fds:
            os.close(fd)
        return {"pid": self._worker}

    def end(self, grace_s: float) -> dict[str, object]:
        """End the worker, after a grace period by SIGKILL; kill all that it left and empty its folders."""
        exited = processes.has_exited(self._worker, grace_s)
        leftovers = [pid for pid in processes.living_below(os.getpid()) if pid != self._worker]
        codes = processes.end_all()
        if codes is None:
            raise TimeoutError("some processes cannot be killed")
        clean = folders.empty(self._settings.swept, self._kept)
        return {"code": codes[self._worker], "killed": not exited, "leftovers": len(leftovers), "clean": clean}

    def freeze(self) -> dict[str, object]:
        """Stop the worker and all its processes, so that the other side is timed on an idle host."""
        return {"stopped": processes.stop_below(os.getpid())}

    def thaw(self) -> dict[str, object]:
        processes.continue_below(os.getpid())
        return {}

    def _strength(self) -> list[str]:
        """Return the guarantees that hold, tested in a confined child."""
        readable, writable = os.pipe()
        user = self._user()

        def try_everything() -> None:
            confine(self._settings, user)
            os.write(writable, json.dumps(strength.observe(self._settings, user is not None)).encode())

        child = _fork(try_everything)
        os.close(writable)
        with open(readable, "rb") as file:
            seen: list[str] = json.loads(file.read())
        os.waitpid(child, 0)
        return seen

    def _user(self) -> int | None:
        """Return a new user for each worker: the kernel counts processes by user, over all sandboxes of the host."""
        return random.SystemRandom().choice(USERS) if self._own_user else None

    def _reply(self, message: dict[str, object]) -> None:
        self._control.send(json.dumps(message).encode())


def _fork(child: Callable[[], None]) -> int:
    """Fork a child that runs the function and exits; exceptions are printed to its standard error."""
    pid = os.fork()
    if pid:
        return pid
    try:
        child()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(CHILD_BROKE)


def _open_to_others(workspace: str) -> bool:
    """Return whether any user could import Python's modules and reach the workspace."""
    for path in {sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), os.path.dirname(__file__), workspace}:
        path = os.path.realpath(path)
        while path != "/":
            if not os.stat(path).st_mode & 0o001:
                return False
            path = os.path.dirname(path)
    return True


if __name__ == "__main__":
    main()
