"""Families of a table and templates: the table has what differs between the members, the templates what they share.

A family is a folder here. `table.yaml` has a row for each task, by its name, and under `shared` what several rows name
by their anchor. Below `templates/` lies one template for each file of a task's folder, with `.j2` behind its name. NAME
in a path stands for the task's name, and a template that renders to nothing makes no file. Templates are Jinja's: they
know the row's keys, `name`, and the filters `flow`, `sentence`, `paragraphs` and `indented` of `layout.py`. A key that
a row lacks is reported, and so is one that no template reads; what a template asks with `is defined` is optional.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import jinja2
import jinja2.meta

from evaluator.errors import TaskError
from evaluator.tasks.fields import Fields, Problems
from scripts.families.folders import Family
from scripts.families.layout import TableLoader, flow, indented, paragraphs, sentence

SHARED = "shared"
TASK_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")  # RMSProp, too
SUFFIX = ".j2"


def templated(folder: Path) -> Family:
    """The family of a folder with `table.yaml` and `templates/`."""
    return Family(folder.name, partial(_rows, folder), partial(_folder, folder))


def _rows(folder: Path, problems: Problems) -> Mapping[str, Fields]:
    own = Problems(f"{folder.name}/table.yaml")
    found = dict[str, Fields]()
    try:
        table = Fields.read((folder / "table.yaml").read_bytes(), own, TableLoader)
        keys = _keys(folder)
        rows = Fields({key: row for key, row in table.raw.items() if key != SHARED}, "", own)
        for name, row in rows.children(TASK_NAME):
            before = len(own.lines)
            row.only(keys)
            try:
                _render(folder, name, row)
            except jinja2.TemplateError as error:
                row.problem("", sorted(row.raw), f"what the templates need: {error.message}")
            if len(own.lines) == before:
                found[f"torch2triton/kernelbenchx/{name}"] = row
    except TaskError as error:
        own.lines += error.problems
    problems.lines += own.lines
    return found


def _folder(folder: Path, task_id: str, row: Fields) -> dict[str, bytes]:
    """The files of a task by path."""
    return _render(folder, task_id.rpartition("/")[2], row)


def _render(folder: Path, name: str, row: Fields) -> dict[str, bytes]:
    environment = _environment(folder)
    texts = {
        path.removesuffix(SUFFIX).replace("NAME", name): environment.get_template(path).render(row.raw, name=name)
        for path in environment.list_templates(extensions=[SUFFIX.lstrip(".")])
    }
    return {path: text.encode() for path, text in texts.items() if text.strip()}


def _keys(folder: Path) -> tuple[str, ...]:
    """The keys that templates read, which are those a row may have."""
    environment, found = _environment(folder), set[str]()
    for path in environment.list_templates():  # what they include as well
        source = (folder / "templates" / path).read_text()
        found |= jinja2.meta.find_undeclared_variables(environment.parse(source))
    return tuple(sorted(found - {"name"}))


def _environment(folder: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Python and YAML, not HTML
    )
    environment.filters |= {"flow": flow, "sentence": sentence, "paragraphs": paragraphs, "indented": indented}
    return environment
