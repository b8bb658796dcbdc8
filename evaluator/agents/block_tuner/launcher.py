"""Changes one knob after another, keeps every version that is correct and better, and stops after a round without gain.

The same task, device and repeat give the same search: repeat n begins with the n-th knob.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evaluator.agents.block_tuner.goal import Score, score_of
from evaluator.agents.block_tuner.hip_knobs import hip_knobs
from evaluator.agents.block_tuner.knobs import Knob, apply_choices
from evaluator.agents.block_tuner.triton_knobs import triton_knobs
from evaluator.agents.interface import SessionContext, SessionOutcome
from evaluator.agents.scoring import speedup_of
from evaluator.records.sessions import NOTHING_SPENT, Ending, TranscriptEntry, Usage
from evaluator.tasks.candidate import Candidate
from evaluator.wording import counted

FINDERS = {".py": triton_knobs, ".hip": hip_knobs, ".cu": hip_knobs}


def launch(context: SessionContext) -> SessionOutcome:
    task = context.task
    return Search(context, {name: (task.folder / name).read_bytes() for name in task.editable}).run()


class Search:
    """Coordinate descent over the knobs of one task's sources."""

    def __init__(self, context: SessionContext, sources: Mapping[str, bytes]) -> None:
        self._context, self._sources = context, sources
        self._margin = context.settings.number("margin") or 0.0
        self._transcript: list[TranscriptEntry] = []
        self._seen: dict[str, Score | None] = {}
        self._slowest_s = 0.0

    def run(self) -> SessionOutcome:
        knobs = _rotated(knobs_of(self._sources), self._context.repeat)
        self._say(f"{len(knobs)} knobs: {'; '.join(knob.name for knob in knobs)}")
        best: dict[Knob, int] = {}
        score = self._try(best, "the task's own source")
        if score is None:
            return self._work(best, "gave_up", "the task's own source does not pass here, or cannot be scored")
        gained = True
        while gained and not self._over():
            gained = False
            for knob in knobs:
                found = self._best_of(knob, best, score)
                gained, (best, score) = gained or found[1] is not score, found
        return self._work(best, *self._why_over())

    def _best_of(self, knob: Knob, best: dict[Knob, int], score: Score) -> tuple[dict[Knob, int], Score]:
        """Try larger, then smaller values of a knob for as long as each improves the score."""
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
        before = self._context.left_s
        checked = self._context.check(candidate)
        self._slowest_s = max(self._slowest_s, before - self._context.left_s)
        record = checked.record
        score = score_of(record, speedup_of(record), self._context.architecture, self._margin)
        self._seen[candidate.digest] = score
        outcome = score.text if score else record.message or "passed, but cannot be scored"
        self._say(f"{what}: {outcome}", "check", failed=score is None)
        return score

    def _over(self) -> bool:
        return self._why_over()[1] is not None

    def _why_over(self) -> tuple[Ending, str | None]:
        if len(self._seen) >= self._context.settings.max_iterations:
            checked = counted(len(self._seen), "version was", "versions were")
            return "finished", f"{checked} checked, the most allowed"
        if self._context.left_s < self._slowest_s:
            return "timed_out", "no time was left for another check"
        return "finished", None

    def _candidate(self, setting: Mapping[Knob, int]) -> Candidate:
        return Candidate(apply_choices(self._sources, setting), self._context.agent)

    def _say(self, text: str, kind: str = "text", *, failed: bool = False) -> None:
        self._transcript.append(TranscriptEntry("check" if kind == "check" else "text", text, failed=failed))
        self._context.on_event(self._transcript[-1])

    def _work(self, best: Mapping[Knob, int], ended: Ending, message: str | None) -> SessionOutcome:
        transcript, usage = tuple(self._transcript), usage_of(len(self._seen))
        return SessionOutcome(self._candidate(best), ended, message, transcript=transcript, usage=usage)


def usage_of(checks: int) -> Usage:
    """The usage of a search: one turn a check, no tokens, no tool calls and no cost."""
    return replace(NOTHING_SPENT, turns=checks)


def knobs_of(sources: Mapping[str, bytes]) -> list[Knob]:
    """The knobs of every source file in a known language."""
    known = ((name, FINDERS.get(f".{name.rsplit('.', 1)[-1]}")) for name in sorted(sources))
    return [knob for name, find in known if find for knob in find(name, sources[name])]


def _rotated(knobs: list[Knob], repeat: int) -> list[Knob]:
    first = repeat % len(knobs) if knobs else 0
    return knobs[first:] + knobs[:first]
