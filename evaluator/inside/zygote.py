"""Fork server: imports torch and triton once, then forks one fresh, confined worker per request.

It never runs candidate code, never sees a candidate's source and never touches a device (a device context does not survive
a fork). One worker at a time: after its end all that is left of it, processes and files, is removed before the next one.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import random
import socket
import subprocess
import sys
import time
from typing import NoReturn

import torch
import triton.language  # noqa: F401  (a candidate finds it loaded)

from evaluator.inside import processes, strength
from evaluator.inside.confine import Settings, become_zygote, confine
from evaluator.inside.limits import Limits
from evaluator.inside.worker import run_worker

USERS = range(61184, 65520)  # systemd's range of dynamic users: nobody else's
WORKER_BROKE = 71
MAX_MESSAGE = 1 << 16


def main() -> NoReturn:
    """Arguments: the number of the control socket's file, and the settings."""
    control = socket.socket(fileno=int(sys.argv[1]))
    fields = json.loads(sys.argv[2])
    settings = Settings(**{**fields, "limits": Limits(**fields["limits"])})
    torch.set_num_threads(1)
    become_zygote()
    gc.collect()
    gc.freeze()
    Zygote(control, settings).serve()
    processes.kill_below(os.getpid())
    os._exit(0)


class Zygote:
    """Serves spawn and end until the judge goes. Each operation takes the files and fields of its message."""

    def __init__(self, control: socket.socket, settings: Settings) -> None:
        self._control, self._settings = control, settings
        self._own_user = os.geteuid() == 0 and (settings.kind == "bubblewrap" or _readable_by_others())
        self._spawned, self._worker, self._workspace = 0, 0, ""

    def serve(self) -> None:
        self._control.send(json.dumps({"strength": self._strength(), "at": time.monotonic()}).encode())
        while True:
            data, fds, _, _ = socket.recv_fds(self._control, MAX_MESSAGE, 8)
            if not data:
                return
            request = json.loads(data)
            reply = self.spawn(fds, **request["spawn"]) if "spawn" in request else self.end(**request["end"])
            self._control.send(json.dumps(reply).encode())

    def spawn(self, fds: list[int], mailbox_bytes: int, environment: dict[str, str]) -> dict[str, object]:
        """Fork a worker. fds: commands, replies, output, mailbox."""
        self._spawned += 1
        user = self._user()
        self._workspace = os.path.join(self._settings.workspace, f"w{self._spawned}")
        os.mkdir(self._workspace, 0o700)
        if user is not None:
            os.chown(self._workspace, user, user)
        self._worker = os.fork()
        if self._worker == 0:
            self._become_worker(fds, user, mailbox_bytes, environment)
        for fd in fds:
            os.close(fd)
        return {"pid": self._worker}

    def end(self, grace_s: float) -> dict[str, object]:
        """Kill the worker, unless it ends by itself within the grace, and all that it left; empty its folders."""
        exited = processes.has_exited(self._worker, grace_s)
        leftovers = [pid for pid in processes.living_below(os.getpid()) if pid != self._worker]
        gone = processes.kill_below(os.getpid())
        code = processes.reap_all()[self._worker] if gone else 0
        return {"code": code, "killed": not exited, "leftovers": len(leftovers), "clean": gone and self._sweep()}

    def _become_worker(
        self, fds: list[int], user: int | None, mailbox_bytes: int, environment: dict[str, str]
    ) -> NoReturn:
        try:
            self._control.close()
            confine(self._settings, user)
            run_worker(fds, mailbox_bytes, self._workspace, environment)
        except BaseException as error:  # the judge reads it as a lost worker, with this text in its output
            with contextlib.suppress(OSError):
                os.write(2, f"worker: {error!r}\n".encode())
        finally:
            os._exit(WORKER_BROKE)

    def _strength(self) -> list[str]:
        """A confined child tries what a candidate could try."""
        readable, writable = os.pipe()
        user = self._user()
        child = os.fork()
        if child == 0:
            try:
                confine(self._settings, user)
                os.write(writable, json.dumps(strength.observe(self._settings, user is not None)).encode())
                os._exit(0)
            finally:
                os._exit(1)
        os.close(writable)
        with open(readable, "rb") as file:
            seen: list[str] = json.loads(file.read())
        os.waitpid(child, 0)
        return seen

    def _user(self) -> int | None:
        """Another one for each worker: the kernel counts processes by user, over all sandboxes of the host."""
        return random.SystemRandom().choice(USERS) if self._own_user else None

    def _sweep(self) -> bool:
        """find, since a tree may be deeper than Python's recursion and a path longer than the kernel takes."""
        command = ["find", *self._settings.swept, "-xdev", "-mindepth", "1", "-delete"]
        return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 0


def _readable_by_others() -> bool:
    """Could a user who owns nothing here still import Python's modules?"""
    for path in {sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), os.path.dirname(__file__)}:
        path = os.path.realpath(path)
        while path != "/":
            if not os.stat(path).st_mode & 0o001:
                return False
            path = os.path.dirname(path)
    return True


if __name__ == "__main__":
    main()
