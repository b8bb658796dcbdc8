"""What one session of a paid model may cost: asked before each request, paid after each answer.

Tokens are the server's where it counts them, else characters over `CHARACTERS_PER_TOKEN`. Without prices nothing can be
counted, and nothing is refused: whoever starts such a session knows that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.agents.completions import Completion
from evaluator.agents.interface import AgentSettings

PER_MILLION = 1e-6
CHARACTERS_PER_TOKEN = 3  # of code; of prose there are more, so that too many tokens are counted rather than too few


class SpendingCap(Exception):
    """One more answer could cost more than is left."""


class Purse:
    """Grows emptier by each answer."""

    def __init__(self, settings: AgentSettings, budget_usd: float) -> None:
        self._settings, self._budget_usd = settings, budget_usd
        self._spent_usd, self._longest = 0.0, 0

    def refuse_to_overspend(self, messages: Sequence[Mapping[str, str]]) -> None:
        """An answer is as long as `max_tokens` lets it be; where that is not set, as the longest so far.

        Raises:
            SpendingCap: it could cost more than is left.
        """
        longest = self._settings.number("max_tokens") or self._longest
        next_usd = cost_usd(self._settings, tokens_of(messages), 0, int(longest)) or 0.0
        if self._spent_usd + next_usd > self._budget_usd:
            said = f"{self._spent_usd:.4g} USD are spent, and one more answer could cost {next_usd:.4g}"
            raise SpendingCap(f"{said}: the session may cost {self._budget_usd:.4g} USD")

    def pay(self, messages: Sequence[Mapping[str, str]], answer: Completion) -> None:
        """`messages`: what the answer was given to."""
        asked = tokens_of(messages) if answer.input_tokens is None else answer.input_tokens
        written = tokens_of([{"content": answer.text}]) if answer.output_tokens is None else answer.output_tokens
        self._longest = max(self._longest, written)
        cost = cost_usd(self._settings, asked, answer.cached_input_tokens, written) or 0.0
        self._spent_usd += max(cost, 0.0)  # no answer fills it again


def cost_usd(
    settings: AgentSettings, input_tokens: int | None, cached_input_tokens: int | None, output_tokens: int | None
) -> float | None:
    """By the prices of the configuration, in US dollars per million tokens; None where price or count is unknown."""
    price_in, price_out = settings.number("input_price"), settings.number("output_price")
    if price_in is None or price_out is None or input_tokens is None or output_tokens is None:
        return None
    price_cached = settings.number("cached_input_price")
    cached = min(cached_input_tokens or 0, input_tokens) if price_cached is not None else 0
    paid = (input_tokens - cached) * price_in + cached * (price_cached or 0.0) + output_tokens * price_out
    return round(paid * PER_MILLION, 6)


def tokens_of(messages: Sequence[Mapping[str, str]]) -> int:
    return -(-sum(len(message["content"]) for message in messages) // CHARACTERS_PER_TOKEN)
