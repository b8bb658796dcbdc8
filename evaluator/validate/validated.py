"""tasks/validated.json: the tasks that passed every check, one line each, as they were then.

Only the validator writes it. A line holds for every file of the folder and for one version of the checks (`key_of`);
a task that changed, or that fails, has none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from evaluator.errors import TaskError
from evaluator.tasks.lines import lines_text, rewrite
from evaluator.tasks.spec import task_files
from evaluator.validate.version import VERSION

FILE = "validated.json"
REMEDY = "`git checkout tasks/validated.json` brings it back; without it `make validate` writes it anew"


@dataclass(frozen=True, slots=True)
class Validated:
    """The last validation that a task passed."""

    key: str
    seconds: int
    date: str


def key_of(folder: Path, version: int = VERSION) -> str:
    """The sha256 over the version of the checks and every file of a task, description and variants too."""
    lines = [f"{name}\0{hashlib.sha256(data).hexdigest()}\n" for name, data in sorted(task_files(folder).items())]
    return hashlib.sha256(f"{version}\n{''.join(lines)}".encode()).hexdigest()


def read_validated(root: Path) -> dict[str, Validated]:
    """The lines of `root`'s file by task id; none where there is no file.

    Raises:
        TaskError: the file is not as the validator writes it.
    """
    path = root / FILE
    if not path.is_file():
        return {}
    text = path.read_text(encoding="utf-8")
    try:
        lines = {task_id: Validated(**line) for task_id, line in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise TaskError([f"{FILE}: {error}; {REMEDY}"]) from error
    if text != _text(lines):
        raise TaskError([f"{FILE}: not one sorted line a task; {REMEDY}"])
    return lines


def without_line(ids: Iterable[str], root: Path) -> list[str]:
    """Those of the tasks that have not passed the current checks as they are now."""
    lines = read_validated(root)
    return [task_id for task_id in ids if task_id not in lines or lines[task_id].key != key_of(root / task_id)]


def write_line(task_id: str, line: Validated | None, root: Path) -> None:
    """Store the line of a task, or remove it; those of tasks that are gone go as well."""

    def text() -> str:
        lines = {**read_validated(root), task_id: line}
        return _text({name: one for name, one in lines.items() if one is not None and (root / name).is_dir()})

    rewrite(root / FILE, text)


def _text(lines: Mapping[str, Validated]) -> str:
    return lines_text({task_id: json.dumps(asdict(line)) for task_id, line in lines.items()})
