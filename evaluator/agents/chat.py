"""One conversation with a model: its messages, and the versions that the model writes."""

from __future__ import annotations

from time import monotonic

from evaluator.agents.completions import (
    Completion,
    CompletionCutOff,
    EndpointUnavailable,
    RequestRefused,
    RequestStopped,
    complete,
)
from evaluator.agents.fenced_files import files_of
from evaluator.agents.interface import SessionContext
from evaluator.agents.ledger import SessionLedger
from evaluator.agents.transport import Stop
from evaluator.errors import HostError
from evaluator.records.sessions import EntryKind, TranscriptEntry, shortened
from evaluator.tasks.candidate import Candidate


class Chat:
    """A conversation with an endpoint; each turn adds a request and a completion."""

    def __init__(
        self,
        context: SessionContext,
        ledger: SessionLedger | None = None,
        *,
        shown: str = "",
        conversation: int | None = None,
        stop: Stop | None = None,
    ) -> None:
        """`shown` follows the prompt. `conversation` is its number, where a session has several that share a ledger."""
        self._context, self.ledger = context, ledger or SessionLedger(context)
        self._conversation, self._stop = conversation, stop
        self.completions: list[Completion] = []
        if shown:
            self._add("prompt", shown)
        self._messages = [{"role": "user", "content": "\n".join(filter(None, (self.ledger.prompt, shown)))}]
        self._files: dict[str, bytes] = {
            name: (context.task.folder / name).read_bytes()
            for name in context.task.editable
            if (context.task.folder / name).is_file()
        }

    def ask(self) -> tuple[Candidate | None, str | None]:
        """One turn: the candidate the model wrote, or what is wrong with its completion.

        Raises:
            RequestRefused, EndpointUnavailable: as `complete`, after a first completion of the session.
            RequestStopped: another thread ended it.
            SpendingCap: the next completion could cost more than the session may.
            HostError: there was no completion at all, so that nothing can be blamed on the model.
        """
        with self.ledger.budget.setting_aside(self._messages):
            completion = self._completion()
            self.ledger.budget.charge(self._messages, completion)
        self.completions.append(completion)
        self.ledger.keep(completion)
        self._messages.append({"role": "assistant", "content": completion.text.encode("utf-8", "replace").decode()})
        self._add("text", completion.text)
        files, problem = files_of(completion.text, self._context.task.editable)
        if completion.finish == "length":
            return None, "the answer was cut off at the maximum length; write less around the files"
        self._files |= files
        return (None, problem) if problem else (Candidate(dict(self._files), self._context.agent), None)

    def say(self, text: str, *, failed: bool = False) -> None:
        """Add a message to the next request."""
        self._messages.append({"role": "user", "content": text})
        self._add("check", text, failed=failed)

    @property
    def last_text(self) -> str:
        return self.completions[-1].text if self.completions else ""

    def _completion(self) -> Completion:
        if self._stop is not None and self._stop.is_set:
            raise RequestStopped
        endpoint, begin = self.ledger.endpoint, monotonic()
        try:
            return complete(endpoint, self._messages, self._context.deadline, self._note, self._stop)
        except RequestStopped:
            self.ledger.note_cut_off()
            raise
        except (RequestRefused, EndpointUnavailable) as error:
            if isinstance(error, CompletionCutOff):
                self.ledger.note_cut_off()
            if self.ledger.completions:
                raise
            waited = f"{monotonic() - begin:.1f} s"
            silent = f"{endpoint.base_url} gave {self._context.agent} no completion within {waited}"
            raise HostError(f"{silent}: {error}") from error

    def _note(self, text: str) -> None:
        self._add("error", text, failed=True)

    def _add(self, kind: EntryKind, text: str, *, failed: bool = False) -> None:
        shown = shortened(self.ledger.masked(text))
        self.ledger.add(TranscriptEntry(kind, shown, failed=failed, conversation=self._conversation))


def empty_candidate(context: SessionContext) -> Candidate:
    """The candidate of a session that wrote no version."""
    return Candidate({}, context.agent, tuple(("not_written", name) for name in context.task.editable))
