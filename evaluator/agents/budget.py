"""The spending cap of one session: checked before each request, charged after each completion.

What requests under way could cost is set aside, so that several at a time cannot spend the same money. Where nothing
is known of how long a completion may be, there is one at a time.

Tokens are the server's own count, otherwise characters divided by `CHARACTERS_PER_TOKEN`. A configuration without
prices has no cost, so its cap never refuses a request.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite

from evaluator.agents.completions import Completion
from evaluator.agents.interface import AgentSettings

PER_MILLION = 1e-6
CHARACTERS_PER_TOKEN = 3  # of code; prose has more, so its tokens are overestimated, never underestimated


class SpendingCap(Exception):
    """The next completion could cost more than is left of the session's budget."""


class SessionBudget:
    """The money one session has spent, and what it may still spend. Any thread may ask."""

    def __init__(self, settings: AgentSettings, budget_usd: float) -> None:
        self._settings, self._budget_usd = settings, budget_usd
        self._spent_usd, self._set_aside_usd, self._longest = 0.0, 0.0, 0
        self._under_way = 0
        self._lock = threading.Condition()

    @contextmanager
    def setting_aside(self, messages: Sequence[Mapping[str, str]]) -> Iterator[None]:
        """Set aside what a completion of `messages` could cost, for as long as the block runs: charge it in there.

        The completion is assumed to have `max_tokens`, or where that is not set, the length of the longest one so far.

        Raises:
            SpendingCap: it could cost more than is left.
        """
        with self._lock:
            self._lock.wait_for(self._is_free)
            longest = self._settings.number("max_tokens") or self._longest
            next_usd = cost_usd(self._settings, tokens_of(messages), 0, int(longest)) or 0.0
            if self._spent_usd + self._set_aside_usd + next_usd > self._budget_usd:
                spent = f"{self._spent_usd:.4g} USD are spent, and the next completion could cost {next_usd:.4g}"
                others = f", those under way {self._set_aside_usd:.4g}" if self._set_aside_usd else ""
                raise SpendingCap(f"{spent}{others}: the session may cost {self._budget_usd:.4g} USD")
            self._set_aside_usd += next_usd
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._set_aside_usd -= next_usd
                self._under_way -= 1
                self._lock.notify_all()

    def _is_free(self) -> bool:
        is_capped = isfinite(self._budget_usd) and bool(self._settings.number("output_price"))
        return not (is_capped and self._under_way) or bool(self._settings.number("max_tokens") or self._longest)

    def charge(self, messages: Sequence[Mapping[str, str]], completion: Completion) -> None:
        """Add the cost of a completion of `messages`."""
        asked = tokens_of(messages) if completion.input_tokens is None else completion.input_tokens
        written = (
            tokens_of([{"content": completion.text}]) if completion.output_tokens is None else completion.output_tokens
        )
        cost = cost_usd(self._settings, asked, completion.cached_input_tokens, written) or 0.0
        with self._lock:
            self._longest = max(self._longest, written)
            self._spent_usd += max(cost, 0.0)  # a completion never gives money back


def cost_usd(
    settings: AgentSettings, input_tokens: int | None, cached_input_tokens: int | None, output_tokens: int | None
) -> float | None:
    """The cost in US dollars by the configuration's prices per million tokens; None if a price or count is unknown."""
    price_in, price_out = settings.number("input_price"), settings.number("output_price")
    if price_in is None or price_out is None or input_tokens is None or output_tokens is None:
        return None
    price_cached = settings.number("cached_input_price")
    cached = min(cached_input_tokens or 0, input_tokens) if price_cached is not None else 0
    paid = (input_tokens - cached) * price_in + cached * (price_cached or 0.0) + output_tokens * price_out
    return round(paid * PER_MILLION, 6)


def tokens_of(messages: Sequence[Mapping[str, str]]) -> int:
    return -(-sum(len(message["content"]) for message in messages) // CHARACTERS_PER_TOKEN)
