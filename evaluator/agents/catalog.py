"""Finds agents by their folders, reads their settings, loads their launchers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import yaml

from evaluator.agents.interface import SHARED, AgentSettings, CheckedVersion, Desk, Launcher, Produced
from evaluator.agents.settings import own_settings
from evaluator.errors import UsageError
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.spec import TaskSpec

FOLDER = Path(__file__).parent
FILE = "agent.yaml"
Kind = Literal["reference", "program", "model"]
KEYS = ("title", "kind", *SHARED, "needs", "own")
LONGEST_S = 7 * 24 * 3600.0
LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
HOST = re.compile(rf"(?=.{{1,253}}$){LABEL}(\.{LABEL})*")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class AgentFolder:
    name: str
    title: str
    kind: Kind  # reference: known lines of a board, made in no time, without a session
    settings: AgentSettings
    needs: tuple[str, ...] = ()  # what has no default: settings of its own, `program`, `secrets` (one of them is set)


def agent_names() -> tuple[str, ...]:
    """Every folder beside this file that holds an agent.yaml."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob(f"*/{FILE}")))


def read_agent(name: str, changes: Mapping[str, object] | None = None) -> AgentFolder:
    """An agent with its settings; `changes` of a run's configuration go over those of agent.yaml.

    Raises:
        UsageError: there is no such agent.
        TaskError: with everything that is no setting of its, does not fit, or breaks the file's format.
    """
    if name not in agent_names():
        raise UsageError(f"no agent is named {name!r}; there are {', '.join(agent_names())}")
    problems = Problems(f"{name}/{FILE}" if not changes else f"{name}/{FILE} with {', '.join(changes)} as set")
    written = Fields.read((FOLDER / name / FILE).read_bytes(), problems)
    own, set_otherwise = written.mapping("own", optional=True), changes or {}
    known = sorted({*SHARED, *map(str, own.raw)})
    problems.lines += [
        f"{name} has no setting {key!r}; there are {', '.join(known)}" for key in set_otherwise if key not in known
    ]
    fields = Fields(
        {**written.raw, **{key: set_otherwise[key] for key in SHARED if key in set_otherwise}}, "", problems
    )
    fields.only(KEYS)
    agent = AgentFolder(
        name=name,
        title=fields.string("title", None),
        kind=cast("Kind", fields.choice("kind", ("reference", "program", "model"))),
        settings=AgentSettings(
            timeout_s=float(fields.number("timeout_s", 3600, low=1, high=LONGEST_S)),
            max_iterations=fields.whole("max_iterations", 3, low=1, high=10_000),
            cheatsheets=fields.boolean("cheatsheets", True),
            contract_shown=fields.boolean("contract_shown", True),
            network=_names(fields, "network", HOST),
            secrets=_names(fields, "secrets", VARIABLE),
            own=own_settings(own, set_otherwise),
        ),
        needs=fields.strings("needs", ()),
    )
    problems.raise_if_any()
    return agent


def settings_of(words: Iterable[str]) -> dict[str, object]:
    """NAME=VALUE by name, values read as YAML.

    Raises:
        UsageError: it is not of that form.
    """
    found = dict[str, object]()
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"{word!r} is no setting; NAME=VALUE is expected")
        try:
            found[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise UsageError(f"{word!r}: not a value that YAML knows: {error}") from error
    return found


def settings_text(agent: AgentFolder) -> dict[str, str]:
    """Each setting as YAML writes it on one line."""
    values = agent.settings.as_dict()
    flow = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
    return {
        key: yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("...\n").strip()
        for key, value in flow.items()
    }


def launcher_of(name: str) -> Launcher:
    """Its `launch`, loaded when first needed: a launcher may bring what others do without."""
    module = importlib.import_module(f"{__package__}.{name}.launcher")
    return cast("Launcher", module.launch)


def produce(name: str, task: TaskSpec, repeat: int = 0) -> Produced:
    """Let a reference agent write its candidate for a task.

    Raises:
        UsageError: there is no such agent, or it works only in a session.
    """
    agent = read_agent(name)
    if agent.kind != "reference":
        raise UsageError(f"{name} works in sessions: `run --agent {name}` or a bundle brings its candidates")
    work = launcher_of(name)(Desk(task, agent.settings, repeat, "", check=_never, agent=name))
    return Produced(work.candidate, work.expected)


def _names(fields: Fields, key: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    values = fields.strings(key, ())
    for index, value in enumerate(values):
        if not pattern.fullmatch(value):
            fields.problem(f"{key}.{index}", value, "a host's name" if key == "network" else "a variable's name")
    return values


def _never(candidate: Candidate) -> CheckedVersion:
    raise AssertionError("a reference agent checks nothing")


REFERENCE_AGENTS = tuple(name for name in agent_names() if read_agent(name).kind == "reference")
