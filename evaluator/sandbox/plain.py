"""A sandbox without namespaces, which is weaker: for development and for hosts without bubblewrap."""

from __future__ import annotations

import os
import subprocess
import tempfile

from evaluator.errors import SandboxError
from evaluator.host_paths import WORKSPACE_PREFIX
from evaluator.inside import folders, processes


def make_workspace() -> str:
    """Make a folder that other users may enter but not list."""
    folder = tempfile.mkdtemp(prefix=f"{WORKSPACE_PREFIX}{os.getpid()}_")
    os.chmod(folder, 0o711)
    return folder


class PlainTree:
    """The processes below a zygote, which adopts orphans."""

    def __init__(self, process: subprocess.Popen[bytes], workspace: str) -> None:
        self._process, self._workspace = process, workspace
        self.zygote = process.pid

    def kill(self) -> None:
        """Kill all processes; return when the last has ended."""
        gone = processes.kill_below(self._process.pid)
        self._process.kill()
        self._process.wait()
        if not gone:
            raise SandboxError("its processes cannot be killed")

    def close(self) -> None:
        if not folders.empty([self._workspace]):
            raise SandboxError(f"{self._workspace} cannot be emptied")
        os.rmdir(self._workspace)
