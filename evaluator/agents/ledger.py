"""What the conversations of one session share: the prompt, the transcript, the completions and the budget."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from evaluator.agents import reported
from evaluator.agents.budget import SessionBudget, SpendingCap, cost_usd
from evaluator.agents.completions import Completion, Endpoint
from evaluator.agents.fenced_files import FORMAT, fenced
from evaluator.agents.interface import AgentSettings, SessionContext, SessionOutcome
from evaluator.agents.prompt import PromptRequest, prompt_of
from evaluator.agents.variables import secrets_from_environment
from evaluator.errors import UsageError
from evaluator.records.sessions import Ending, TranscriptEntry, Usage, shortened
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.workspace import HIDDEN, visible_files

OPTIONS = ("temperature", "max_tokens")


class SessionLedger:
    """Any thread may write to it. Its transcript begins with the prompt."""

    def __init__(self, context: SessionContext, versions: int | None = None) -> None:
        """`versions`: how many one conversation may write, where a session has several conversations."""
        self._context, self.endpoint = context, endpoint_of(context.settings)
        self.prompt = _whole_prompt(context, versions or context.settings.max_iterations)
        self.transcript = list[TranscriptEntry]()
        self.completions = list[Completion]()
        self.budget = SessionBudget(context.settings, context.budget_usd)
        self._cut_off = 0
        self._lock = threading.Lock()
        self.add(TranscriptEntry("prompt", shortened(self.prompt)))

    def add(self, entry: TranscriptEntry) -> None:
        with self._lock:
            self.transcript.append(entry)
            self._context.on_event(entry)

    def keep(self, completion: Completion) -> None:
        with self._lock:
            self.completions.append(completion)

    def note_cut_off(self) -> None:
        """A request was ended by us: its tokens cost something, and nobody reports how many they were."""
        with self._lock:
            self._cut_off += 1

    @property
    def usage(self) -> Usage:
        """Sums over all completions; a count that any completion lacks is unknown, as is one of a request cut off."""
        with self._lock:
            completions, is_whole = list(self.completions), not self._cut_off
        taken = {
            name: _sum(getattr(completion, name) for completion in completions) if is_whole else None
            for name in ("input_tokens", "cached_input_tokens", "output_tokens")
        }
        models = [completion.model for completion in completions if completion.model]
        return Usage(
            turns=len(completions),
            **taken,
            cost_usd=cost_usd(self._context.settings, **taken),
            tool_calls=0,
            model=self.masked(models[-1]) if models else self.endpoint.model,
        )

    @property
    def output_tokens(self) -> int:
        """Output tokens of all completions so far, as far as the endpoint counts them."""
        with self._lock:
            return sum(completion.output_tokens or 0 for completion in self.completions)

    def over(self) -> tuple[Ending, str] | None:
        """How the session ends before another request, and why; None where it goes on."""
        budget = self._context.settings.number("output_token_budget")
        if self._context.left_s <= 0 and self.completions:  # without one, a request reports the host's fault
            return "timed_out", "the session ran out of time"
        if budget is not None and self.output_tokens >= budget:
            return "gave_up", f"the budget of {budget:.0f} output tokens was used up"
        return None

    def ending_after(self, error: Exception) -> tuple[Ending, str]:
        """How a conversation ends whose request failed."""
        if isinstance(error, SpendingCap):
            return "spending_cap", str(error)
        return ("timed_out" if self._context.left_s <= 0 else "failed"), str(error)

    def outcome(self, candidate: Candidate, ended: Ending, message: str | None = None) -> SessionOutcome:
        return SessionOutcome(candidate, ended, message, self.prompt, tuple(self.transcript), self.usage)

    def masked(self, text: str) -> str:
        return text.replace(self.endpoint.key, "***") if self.endpoint.key else text


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


def _whole_prompt(context: SessionContext, versions: int) -> str:
    """The eight sections of the prompt, the task's files, and the format of the answer."""
    shown, task = context.settings, context.task
    request = PromptRequest(task, context.architecture, "", versions, shown.cheatsheets, shown.contract_shown)
    left_out = {"description.md", *(() if shown.contract_shown else ("config.yaml",)), *HIDDEN}
    files = {name: data for name, data in visible_files(task).items() if name not in left_out}
    texts = [fenced(name, data) for name, data in sorted(files.items())]
    return "\n".join([prompt_of(request), "# Files\n", *texts, "# Answer\n", FORMAT.format(name=task.editable[0])])


def _sum(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else reported.total(*known)
