"""Turns one knob after the other, keeps what is right and better, and ends when a whole round gains nothing.

The same task, device and repeat give the same search: repeat n begins with the n-th knob. torch2hip brings no source in
which a knob could stand, so there it hands in nothing and says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.agents.block_tuner.goal import Score, score_of
from evaluator.agents.block_tuner.hip_knobs import hip_knobs
from evaluator.agents.block_tuner.knobs import Knob, turned
from evaluator.agents.block_tuner.triton_knobs import triton_knobs
from evaluator.agents.interface import Desk, Work
from evaluator.agents.scoring import speedup_of
from evaluator.records.sessions import Ending, TranscriptEntry, Usage
from evaluator.tasks.candidate import Candidate
from evaluator.wording import counted

FINDERS = {".py": triton_knobs, ".hip": hip_knobs, ".cu": hip_knobs}


def launch(desk: Desk) -> Work:
    task = desk.task
    sources = {name: (task.folder / name).read_bytes() for name in task.editable if (task.folder / name).is_file()}
    if missing := [name for name in task.editable if name not in sources]:
        problems = tuple(("not_written", name) for name in missing)
        message = f"the task brings no {', '.join(missing)} in which something could be tuned"
        return Work(Candidate({}, desk.agent, problems), "gave_up", message, usage=usage_of(0))
    return Search(desk, sources).run()


class Search:
    """Coordinate descent over the knobs of one task's sources."""

    def __init__(self, desk: Desk, sources: Mapping[str, bytes]) -> None:
        self._desk, self._sources = desk, sources
        self._margin = desk.settings.number("margin") or 0.0
        self._transcript: list[TranscriptEntry] = []
        self._seen: dict[str, Score | None] = {}
        self._slowest_s = 0.0

    def run(self) -> Work:
        knobs = _rotated(knobs_of(self._sources), self._desk.repeat)
        self._say(f"{len(knobs)} knobs: {'; '.join(knob.name for knob in knobs)}")
        best: dict[Knob, int] = {}
        score = self._try(best, "the task's own source")
        if score is None:
            return self._work(
                best, "gave_up", "the task's own source does not pass here, or nothing says how good it is"
            )
        gained = True
        while gained and not self._over():
            gained = False
            for knob in knobs:
                found = self._best_of(knob, best, score)
                gained, (best, score) = gained or found[1] is not score, found
        return self._work(best, *self._why_over())

    def _best_of(self, knob: Knob, best: dict[Knob, int], score: Score) -> tuple[dict[Knob, int], Score]:
        """Walk up, then down from where it stands, as long as it gains."""
        for step in (1, -1):
            index = best.get(knob, knob.start) + step
            while 0 <= index < len(knob.choices) and not self._over():
                setting = {**best, knob: index}
                was, now = (knob.choices[one].strip(" ,") or "nothing" for one in (best.get(knob, knob.start), index))
                found = self._try(setting, f"{knob.name}: {was} → {now}")
                if found is None or not found.beats(score):
                    break
                best, score, index = setting, found, index + step
        return best, score

    def _try(self, setting: Mapping[Knob, int], what: str) -> Score | None:
        candidate = self._candidate(setting)
        if candidate.digest in self._seen:
            return self._seen[candidate.digest]
        before = self._desk.left_s
        checked = self._desk.check(candidate)
        self._slowest_s = max(self._slowest_s, before - self._desk.left_s)
        record = checked.record
        score = score_of(record, speedup_of(record), self._desk.architecture, self._margin)
        self._seen[candidate.digest] = score
        outcome = score.text if score else record.message or "passed, but nothing says how good it is"
        self._say(f"{what}: {outcome}", "check", failed=score is None)
        return score

    def _over(self) -> bool:
        return self._why_over()[1] is not None

    def _why_over(self) -> tuple[Ending, str | None]:
        if len(self._seen) >= self._desk.settings.max_iterations:
            checked = counted(len(self._seen), "version was", "versions were")
            return "finished", f"{checked} checked, as many as were allowed"
        if self._desk.left_s < self._slowest_s:
            return "timed_out", "no time was left for another check"
        return "finished", None

    def _candidate(self, setting: Mapping[Knob, int]) -> Candidate:
        return Candidate(turned(self._sources, setting), self._desk.agent)

    def _say(self, text: str, kind: str = "text", *, failed: bool = False) -> None:
        self._transcript.append(TranscriptEntry("check" if kind == "check" else "text", text, failed=failed))
        self._desk.hear(self._transcript[-1])

    def _work(self, best: Mapping[Knob, int], ended: Ending, message: str | None) -> Work:
        transcript, usage = tuple(self._transcript), usage_of(len(self._seen))
        return Work(self._candidate(best), ended, message, transcript=transcript, usage=usage)


def usage_of(checks: int) -> Usage:
    """A check is a turn; it asks no model and calls no tool, which costs nothing."""
    return Usage(checks, input_tokens=0, cached_input_tokens=0, output_tokens=0, cost_usd=0.0, tool_calls=0)


def knobs_of(sources: Mapping[str, bytes]) -> list[Knob]:
    """Of every file whose language is known."""
    known = ((name, FINDERS.get(f".{name.rsplit('.', 1)[-1]}")) for name in sorted(sources))
    return [knob for name, find in known if find for knob in find(name, sources[name])]


def _rotated(knobs: list[Knob], repeat: int) -> list[Knob]:
    first = repeat % len(knobs) if knobs else 0
    return knobs[first:] + knobs[:first]
