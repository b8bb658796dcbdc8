"""The commands a worker understands: the only code of ours in the process that runs the candidate."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from evaluator.inside.channel import Channel, SharedMemory

COMMANDS = ("put", "load")


class Harness:
    """It holds no seed, no expected output and no verdict. Each command is a method; its fields are the message's."""

    def __init__(self, channel: Channel, mailbox: SharedMemory, workspace: str) -> None:
        self.channel, self.mailbox, self.workspace = channel, mailbox, Path(workspace)

    def put(self, path: str, offset: int, size: int, append: bool) -> dict[str, object]:
        """Write (or append) bytes of the mailbox to a file of the workspace."""
        target = self._inside(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab" if append else "wb") as file:
            file.write(self.mailbox.view(offset, size))
        return {}

    def load(self, path: str) -> dict[str, object]:
        """Import a Python file of the workspace under its own name."""
        target = self._inside(path)
        folder = str(target.parent)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        spec = importlib.util.spec_from_file_location(target.stem, target)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[target.stem] = module
        spec.loader.exec_module(module)
        return {}

    def _inside(self, path: str) -> Path:
        if os.path.isabs(path) or ".." in Path(path).parts:
            raise ValueError(f"{path} does not lie in the workspace")
        return self.workspace / path
