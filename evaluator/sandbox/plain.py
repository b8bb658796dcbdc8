"""A sandbox without namespaces: the visibly weaker form, for development and for hosts that lack bubblewrap."""

from __future__ import annotations

import os
import subprocess
import tempfile

from evaluator.errors import SandboxError
from evaluator.inside import folders, processes


def make_workspace() -> str:
    """A folder that workers of another user may pass through, but not list."""
    folder = tempfile.mkdtemp(prefix="arena-")
    os.chmod(folder, 0o711)
    return folder


class PlainTree:
    """All processes below one zygote, which adopts orphans."""

    def __init__(self, process: subprocess.Popen[bytes], workspace: str) -> None:
        self._process, self._workspace = process, workspace

    def kill(self) -> None:
        """Returns when the last process has gone."""
        gone = processes.kill_below(self._process.pid)
        self._process.kill()
        self._process.wait()
        if not gone:
            raise SandboxError("its processes do not die")

    def close(self) -> None:
        if not folders.empty([self._workspace]):
            raise SandboxError(f"{self._workspace} could not be emptied")
        os.rmdir(self._workspace)
