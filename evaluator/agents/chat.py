"""One session's conversation with a model: its messages, the transcript and the usage."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic

from evaluator.agents import reported
from evaluator.agents.budget import SessionBudget, cost_usd
from evaluator.agents.completions import Completion, Endpoint, EndpointUnavailable, RequestRefused, complete
from evaluator.agents.fenced_files import FORMAT, files_of
from evaluator.agents.interface import AgentSettings, SessionContext
from evaluator.agents.prompt import PromptRequest, prompt_of
from evaluator.agents.variables import secrets_from_environment
from evaluator.errors import HostError, UsageError
from evaluator.records.sessions import TranscriptEntry, Usage, shortened
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.workspace import HIDDEN, visible_files

OPTIONS = ("temperature", "max_tokens")


class Chat:
    """A conversation with an endpoint; each turn adds a request and a completion."""

    def __init__(self, context: SessionContext) -> None:
        self._context, self._endpoint = context, endpoint_of(context.settings)
        self.prompt = _whole_prompt(context)
        self.transcript = list[TranscriptEntry]()
        self._add(TranscriptEntry("prompt", shortened(self.prompt)))
        self.completions: list[Completion] = []
        self._budget = SessionBudget(context.settings, context.budget_usd)
        self._messages = [{"role": "user", "content": self.prompt}]
        self._files: dict[str, bytes] = {
            name: (context.task.folder / name).read_bytes()
            for name in context.task.editable
            if (context.task.folder / name).is_file()
        }

    def ask(self) -> tuple[Candidate | None, str | None]:
        """One turn: the candidate the model wrote, or what is wrong with its completion.

        Raises:
            RequestRefused, EndpointUnavailable: as `complete`, after a first completion.
            SpendingCap: the next completion could cost more than the session may.
            HostError: there was no completion at all, so that nothing can be blamed on the model.
        """
        self._budget.check_affordable(self._messages)
        begin = monotonic()
        try:
            completion = complete(self._endpoint, self._messages, self._context.deadline, self._note)
        except (RequestRefused, EndpointUnavailable) as error:
            if self.completions:
                raise
            waited = f"{monotonic() - begin:.1f} s"
            silent = f"{self._endpoint.base_url} gave {self._context.agent} no completion within {waited}"
            raise HostError(f"{silent}: {error}") from error
        self._budget.charge(self._messages, completion)
        self.completions.append(completion)
        self._messages.append({"role": "assistant", "content": completion.text.encode("utf-8", "replace").decode()})
        self._add(TranscriptEntry("text", shortened(self._masked(completion.text))))
        files, problem = files_of(completion.text, self._context.task.editable)
        if completion.finish == "length":
            return None, "the answer was cut off at the maximum length; write less around the files"
        self._files |= files
        return (None, problem) if problem else (Candidate(dict(self._files), self._context.agent), None)

    def say(self, text: str, *, failed: bool = False) -> None:
        """Add a message to the next request."""
        self._messages.append({"role": "user", "content": text})
        self._add(TranscriptEntry("check", shortened(text), failed=failed))

    @property
    def last_text(self) -> str:
        return self.completions[-1].text if self.completions else ""

    @property
    def usage(self) -> Usage:
        """Sums over all completions; a count that any completion lacks is unknown."""
        taken = {
            name: _sum(getattr(completion, name) for completion in self.completions)
            for name in ("input_tokens", "cached_input_tokens", "output_tokens")
        }
        models = [completion.model for completion in self.completions if completion.model]
        return Usage(
            turns=len(self.completions),
            **taken,
            cost_usd=cost_usd(self._context.settings, **taken),
            tool_calls=0,
            model=self._masked(models[-1]) if models else self._endpoint.model,
        )

    def _masked(self, text: str) -> str:
        return text.replace(self._endpoint.key, "***") if self._endpoint.key else text

    def _note(self, text: str) -> None:
        self._add(TranscriptEntry("error", shortened(text), failed=True))

    def _add(self, entry: TranscriptEntry) -> None:
        self.transcript.append(entry)
        self._context.on_event(entry)


def endpoint_of(settings: AgentSettings) -> Endpoint:
    """The endpoint of a configuration; its key is the first of the named secrets that is set, if any is.

    Where a site allows the endpoint, only secrets that are bound to it are sent.

    Raises:
        UsageError: base_url or model is not set, or a secret is malformed.
    """
    for name in ("base_url", "model"):
        if not settings.text(name):
            raise UsageError(f"set {name}: `run --set {name}=…`")
    secrets, allowed = secrets_from_environment(settings), settings.endpoint
    bound = [value for name, value in secrets.items() if allowed is None or name in allowed.secrets]
    return Endpoint(
        base_url=settings.text("base_url"),
        model=settings.text("model"),
        key=next(iter(bound), ""),
        stream=bool(settings.own["stream"]),
        retries=int(settings.number("retries") or 0),
        options={name: value for name in OPTIONS if (value := settings.own[name]) is not None},  # type: ignore[misc]
        allowed=allowed,
    )


def empty_candidate(context: SessionContext) -> Candidate:
    """The candidate of a session that wrote no version."""
    return Candidate({}, context.agent, tuple(("not_written", name) for name in context.task.editable))


def _whole_prompt(context: SessionContext) -> str:
    """The eight sections of the prompt, the task's files, and the format of the answer."""
    shown, task = context.settings, context.task
    request = PromptRequest(
        task, context.architecture, "", shown.max_iterations, shown.cheatsheets, shown.contract_shown
    )
    left_out = {"description.md", *(() if shown.contract_shown else ("config.yaml",)), *HIDDEN}
    files = {name: data for name, data in visible_files(task).items() if name not in left_out}
    texts = [f"{name}\n```\n{data.decode('utf-8', 'replace').rstrip()}\n```\n" for name, data in sorted(files.items())]
    return "\n".join([prompt_of(request), "# Files\n", *texts, "# Answer\n", FORMAT.format(name=task.editable[0])])


def _sum(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else reported.total(*known)
