"""A sandbox without namespaces: the visibly weaker form, for development and for hosts that lack bubblewrap."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile

from evaluator.inside import processes


def make_workspace() -> str:
    """A folder that workers of another user may pass through, but not list."""
    folder = tempfile.mkdtemp(prefix="arena-")
    os.chmod(folder, 0o711)
    return folder


class Tree:
    """All processes below one zygote, which adopts orphans."""

    def __init__(self, process: subprocess.Popen[bytes], workspace: str) -> None:
        self._process, self._workspace = process, workspace

    def kill(self) -> None:
        """Returns when the last process has gone."""
        processes.kill_below(self._process.pid)
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        shutil.rmtree(self._workspace, ignore_errors=True)
