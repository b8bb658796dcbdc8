"""A conversation with an endpoint on behalf of one session: the question, the transcript, what it used."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic

from evaluator.agents import reported
from evaluator.agents.budget import Purse, cost_usd
from evaluator.agents.completions import Completion, Endpoint, OutOfReach, RequestRefused, complete
from evaluator.agents.fenced_files import FORMAT, files_of
from evaluator.agents.interface import AgentSettings, Desk
from evaluator.agents.prompt import PromptRequest, prompt_of
from evaluator.agents.variables import secrets_here
from evaluator.errors import HostError, UsageError
from evaluator.records.sessions import TranscriptEntry, Usage, shortened
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.workspace import HIDDEN, visible_files

OPTIONS = ("temperature", "max_tokens")


class Chat:
    """Grows by one question and one answer a turn."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._endpoint = desk, endpoint_of(desk.settings)
        self.prompt = _whole_prompt(desk)
        self.transcript = list[TranscriptEntry]()
        self._add(TranscriptEntry("prompt", shortened(self.prompt)))
        self.answers: list[Completion] = []
        self._purse = Purse(desk.settings, desk.budget_usd)
        self._messages = [{"role": "user", "content": self.prompt}]
        self._files: dict[str, bytes] = {
            name: (desk.task.folder / name).read_bytes()
            for name in desk.task.editable
            if (desk.task.folder / name).is_file()
        }

    def ask(self) -> tuple[Candidate | None, str | None]:
        """One turn: a version, or what is wrong with the answer.

        Raises:
            Refused, OutOfReach: as `complete`, after a first answer.
            SpendingCap: one more answer could cost more than the session may.
            HostError: the same before it, at the deadline too, where nothing can be blamed on the model.
        """
        self._purse.refuse_to_overspend(self._messages)
        begin = monotonic()
        try:
            answer = complete(self._endpoint, self._messages, self._desk.deadline, self._note)
        except (RequestRefused, OutOfReach) as error:
            if self.answers:
                raise
            silent = f"{self._endpoint.base_url} gave {self._desk.agent} no answer in {monotonic() - begin:.1f} s"
            raise HostError(f"{silent}: {error}") from error
        self._purse.pay(self._messages, answer)
        self.answers.append(answer)
        self._messages.append({"role": "assistant", "content": answer.text.encode("utf-8", "replace").decode()})
        self._add(TranscriptEntry("text", shortened(self._veiled(answer.text))))
        files, problem = files_of(answer.text, self._desk.task.editable)
        if answer.finish == "length":
            return None, "the answer was cut at the longest length that is allowed; write less around the files"
        self._files |= files
        return (None, problem) if problem else (Candidate(dict(self._files), self._desk.agent), None)

    def say(self, text: str, *, failed: bool = False) -> None:
        """What the next question adds."""
        self._messages.append({"role": "user", "content": text})
        self._add(TranscriptEntry("check", shortened(text), failed=failed))

    @property
    def last_text(self) -> str:
        return self.answers[-1].text if self.answers else ""

    @property
    def usage(self) -> Usage:
        """Sums where every answer said so; one that says nothing makes the sum unknown."""
        taken = {
            name: _sum(getattr(answer, name) for answer in self.answers)
            for name in ("input_tokens", "cached_input_tokens", "output_tokens")
        }
        models = [answer.model for answer in self.answers if answer.model]
        return Usage(
            turns=len(self.answers),
            **taken,
            cost_usd=cost_usd(self._desk.settings, **taken),
            tool_calls=0,
            model=self._veiled(models[-1]) if models else self._endpoint.model,
        )

    def _veiled(self, text: str) -> str:
        return text.replace(self._endpoint.key, "***") if self._endpoint.key else text

    def _note(self, text: str) -> None:
        self._add(TranscriptEntry("error", shortened(text), failed=True))

    def _add(self, entry: TranscriptEntry) -> None:
        self.transcript.append(entry)
        self._desk.hear(entry)


def endpoint_of(settings: AgentSettings) -> Endpoint:
    """The key is the value of the first named variable that is set; an endpoint of one's own needs none.

    Raises:
        UsageError: base_url or model was not set, or the key is none.
    """
    for name in ("base_url", "model"):
        if not settings.text(name):
            raise UsageError(f"set {name}: `run --set {name}=…`")
    return Endpoint(
        base_url=settings.text("base_url"),
        model=settings.text("model"),
        key=next(iter(secrets_here(settings).values()), ""),
        stream=bool(settings.own["stream"]),
        retries=int(settings.number("retries") or 0),
        options={name: value for name in OPTIONS if (value := settings.own[name]) is not None},  # type: ignore[misc]
    )


def nothing(desk: Desk) -> Candidate:
    """What is handed in when no version came."""
    return Candidate({}, desk.agent, tuple(("not_written", name) for name in desk.task.editable))


def _whole_prompt(desk: Desk) -> str:
    """The eight sections, the files, and how to answer."""
    shown, task = desk.settings, desk.task
    question = PromptRequest(task, desk.architecture, "", shown.max_iterations, shown.cheatsheets, shown.contract_shown)
    left_out = {"description.md", *(() if shown.contract_shown else ("config.yaml",)), *HIDDEN}
    files = {name: data for name, data in visible_files(task).items() if name not in left_out}
    texts = [f"{name}\n```\n{data.decode('utf-8', 'replace').rstrip()}\n```\n" for name, data in sorted(files.items())]
    return "\n".join([prompt_of(question), "# Files\n", *texts, "# Answer\n", FORMAT.format(name=task.editable[0])])


def _sum(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else reported.total(*known)
