"""Shell commands in a worker's folder for tasks with scripts of their own, and access to the files they leave.

The worker itself imports nothing from the task. Processes that it starts cannot read its memory, although they have the
same user. Files are opened relative to their folder's descriptor and never through a link.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import select
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluator.inside import processes
from evaluator.inside.channel import SharedMemory
from evaluator.inside.confine import become_zygote

START = Path(__file__).parent / "start"  # its sitecustomize emulates a GPU
OBSERVER = Path(__file__).parent / "asked"  # its sitecustomize notes what a candidate is asked
PACKAGES = Path(__file__).parents[2]
NOTES = ".tmp/asked.jsonl"  # one line for each call
IMPORTED = (".py", ".pyc", ".so", ".pth", ".ini", ".cfg", ".toml")  # Python or pytest may load them automatically
MAX_STRANGERS = 20


def handlers(mailbox: SharedMemory, workspace: str) -> dict[str, Callable[..., dict[str, object]]]:
    """Return the commands that the worker serves to the judge's mounted/side.py, by name."""
    commands = Commands(mailbox, workspace)
    names = ("command", "remove", "inspect", "collect")
    return {name: getattr(commands, name) for name in names}


class Commands:
    """The commands; each is a method that takes the message's fields."""

    def __init__(self, mailbox: SharedMemory, workspace: str) -> None:
        self.mailbox, self.workspace = mailbox, workspace

    def command(
        self, text: str, mark: str, pretend: bool, once: bool, limit_s: float, observed: list[str], contents: bool
    ) -> dict[str, object]:
        """Run a shell command until it ends or its time is up, then kill all processes that it left.

        `mark` is printed first. What is asked of the `observed` files is noted in NOTES, with `contents` or without.
        The reply's `code` is None after a timeout, negative for a signal.
        """
        become_zygote()  # adopt its orphans, and deny it access to this process's memory and files
        os.write(1, f"{mark}\n$ {text}\n".encode())
        begin = time.monotonic()
        shell = subprocess.Popen(
            ["/bin/sh", "-c", text],
            cwd=self.workspace,
            env=_environment(pretend, once, self._observer(observed, contents) if observed else {}),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        ended = _ends(shell.pid, limit_s)
        seconds = time.monotonic() - begin
        left = [pid for pid in processes.living_below(os.getpid()) if pid != shell.pid]
        codes = processes.end_all()
        if codes is None:
            raise TimeoutError("some processes cannot be killed")
        shell.returncode = codes[shell.pid]
        return {"code": codes[shell.pid] if ended else None, "seconds": seconds, "leftovers": len(left)}

    def _observer(self, observed: list[str], contents: bool) -> dict[str, str]:
        files = "\n".join(f"{self.workspace}/{file}" for file in observed)
        found = {"ASKED_NOTES": f"{self.workspace}/{NOTES}", "ASKED_OF": files}
        return found | ({"ASKED_CONTENTS": "1"} if contents else {})

    def remove(self, paths: list[str]) -> dict[str, object]:
        """Delete those of the files or links that exist."""
        for path in paths:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError), self._folder_of(path) as (folder, name):
                os.unlink(name, dir_fd=folder)
        return {}

    def inspect(self, paths: list[str], passed_over: list[str]) -> dict[str, object]:
        """Return the sha256 of each file, None if it is not a plain file, and other files that could be imported.

        Folders in `passed_over` are skipped: scripts may write anything there.
        """
        digests = {path: self._digest(path) for path in paths}
        return {
            "digests": digests,
            "strangers": sorted(self._importable_files(set(paths), passed_over))[:MAX_STRANGERS],
        }

    def collect(self, path: str) -> dict[str, object]:
        """Copy a file into the mailbox; return its `size`, None if it does not exist."""
        data = self._read(path, self.mailbox.size + 1)
        if data is not None and len(data) <= self.mailbox.size:
            self.mailbox.view(0, len(data))[:] = data
        return {"size": None if data is None else len(data)}

    def _digest(self, path: str) -> str | None:
        data = self._read(path, -1)
        return None if data is None else hashlib.sha256(data).hexdigest()

    def _read(self, path: str, limit: int) -> bytes | None:
        with contextlib.suppress(OSError), self._folder_of(path) as (folder, name):
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            with open(fd, "rb") as file:
                return file.read(limit) if stat.S_ISREG(os.fstat(fd).st_mode) else None
        return None

    @contextmanager
    def _folder_of(self, path: str) -> Iterator[tuple[int, str]]:
        """Yield a descriptor of the file's folder, and the file's name in it."""
        *folders, name = Path(path).parts
        folder = os.open(self.workspace, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in folders:
                below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                os.close(folder)
                folder = below
            yield folder, name
        finally:
            os.close(folder)

    def _importable_files(self, known: set[str], passed_over: list[str]) -> Iterator[str]:
        """Yield unknown files that Python or pytest may load automatically, and links."""
        for folder, names, files in os.walk(self.workspace):
            below = os.path.relpath(folder, self.workspace)
            names[:] = [name for name in names if os.path.normpath(f"{below}/{name}") not in passed_over]
            for name in [*names, *files]:
                path = os.path.normpath(f"{below}/{name}")
                is_link = os.path.islink(f"{folder}/{name}")
                if path not in known and (is_link or (name in files and name.endswith(IMPORTED))):
                    yield path


def _environment(pretend: bool, once: bool, observed: dict[str, str]) -> dict[str, str]:
    """Return the worker's environment; the evaluator is on Python's search path only to emulate a GPU."""
    path = f"{START}:{PACKAGES}" if pretend else str(OBSERVER) if observed else ""
    added = {"PYTHONPATH": path, "PYTHONNOUSERSITE": "1", **observed}
    return os.environ | added | ({"ARENA_REPEATS": "once"} if once else {})


def _ends(pid: int, limit_s: float) -> bool:
    """Return whether the child ends within the time; it is not reaped."""
    handle = os.pidfd_open(pid)
    try:
        poller = select.poll()
        poller.register(handle, select.POLLIN)
        return bool(poller.poll(limit_s * 1000))
    finally:
        os.close(handle)
