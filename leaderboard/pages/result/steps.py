"""The steps of an agent's session: what it said, and each tool call with its output and the version that it led to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from evaluator.records.sessions import IterationRecord, SessionRecord, TranscriptEntry
from leaderboard.encoding import SCREEN
from leaderboard.pages.result.session import Version

PAGE_SIZE = 40  # steps
KINDS = {
    "prompt": "prompt",
    "text": "message",
    "reasoning": "reasoning",
    "tool_call": "tool call",
    "tool_result": "output",
    "check": "check",
    "error": "error",
}
# How a report of a check begins, in the output of `arena check` (there perhaps within JSON) and of `chat_loop`.
REPORT = re.compile(
    r'(?:^|")version (\d{1,4})(?: was checked\.)?(?:\n|\\n)+status: (\w+)', re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `output` is that of a tool call, None where none is recorded; `version` is the one checked in it."""

    number: int  # in the whole session, from 1
    kind: str
    tool: str | None
    text: str
    output: str | None
    failed: bool
    version: int | None
    conversation: int | None  # of the session's conversations, where it had several
    checked: Version | None = field(metadata=SCREEN)

    @property
    def title(self) -> str:
        title = " ".join(filter(None, (KINDS[self.kind], self.tool)))
        return title if self.conversation is None else f"{title}, conversation {self.conversation}"

    @property
    def place(self) -> str:
        """Its address among all steps, from any page of them."""
        return f"?page={1 + (self.number - 1) // PAGE_SIZE}#step-{self.number}"

    def has(self, words: str) -> bool:
        """Tell whether the step contains the words, in whatever case."""
        return any(words in text.casefold() for text in (self.tool or "", self.text, self.output or ""))


def steps(session: SessionRecord, versions: Sequence[Version]) -> tuple[Step, ...]:
    """Return all steps, in order, with their texts as the record has them: `public` makes one fit to be shown."""
    entries = session.transcript
    outputs = _outputs(entries)
    checked = _checked(entries, session.iterations)
    answers = set(outputs.values())
    found = list[Step]()
    for index, entry in enumerate(entries):
        if index in answers:
            continue
        answer = entries[outputs[index]] if index in outputs else None
        version = checked.get(outputs.get(index, index))
        found.append(
            Step(
                number=len(found) + 1,
                kind=entry.kind,
                tool=entry.tool,
                text=_readable(entry),
                output=answer.text if answer else None,
                failed=entry.failed or (answer is not None and answer.failed),
                version=version,
                conversation=entry.conversation,
                checked=versions[version - 1] if version else None,
            )
        )
    return tuple(found)


def public(step: Step, shown: Callable[[str], str]) -> Step:
    """Return the step with its texts as anybody may see them; `shown` takes a second for each megabyte."""
    tool, output = (None if text is None else shown(text) for text in (step.tool, step.output))
    return replace(step, tool=tool, text=shown(step.text), output=output)


def _outputs(entries: Sequence[TranscriptEntry]) -> dict[int, int]:
    """Return the place of each call's output. Entries have no ids: an output is that of the oldest call that waits.

    Where the output names its tool, it is that of the oldest call of this tool, since some tools report no output.
    """
    waiting, found = list[int](), dict[int, int]()
    for index, entry in enumerate(entries):
        if entry.kind == "tool_call":
            waiting.append(index)
        elif entry.kind == "tool_result":
            call = next((one for one in waiting if entry.tool in (None, entries[one].tool)), None)
            if call is not None:
                waiting.remove(call)
                found[call] = index
    return found


def _checked(entries: Sequence[TranscriptEntry], iterations: Sequence[IterationRecord]) -> dict[int, int]:
    """Return the number of the version that each entry reports on, by the entry's place.

    An agent may print what it likes, so a report counts only if the version got the status that it says. Checks that
    name no version, as `block_tuner` writes them, are those of all versions in order, if there are as many.
    """
    found = {}
    for index, entry in enumerate(entries):
        if entry.kind not in ("check", "tool_result"):
            continue
        for number, status in REPORT.findall(entry.text):
            if 0 < int(number) <= len(iterations) and iterations[int(number) - 1].status.value == status:
                found[index] = int(number)
    checks = [index for index, entry in enumerate(entries) if entry.kind == "check"]
    if not found and len(checks) == len(iterations):
        return {index: number for number, index in enumerate(checks, 1)}
    return found


def _readable(entry: TranscriptEntry) -> str:
    """The entry's text; the arguments of a tool call one after another, where they are a JSON object."""
    if entry.kind != "tool_call" or not entry.text.startswith("{"):
        return entry.text
    try:
        arguments = json.loads(entry.text)
    except (ValueError, RecursionError):
        return entry.text
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in arguments.items()
    )
