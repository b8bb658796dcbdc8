"""What a reader finds in a source, and which rules put a result on hold."""

from __future__ import annotations

from typing import NamedTuple

UNREADABLE = "unreadable_source"
STREAMS = "streams"

# Rules that hold nothing by themselves: they tell a person what a source does, and honest sources do it too. Every
# other rule holds, one that nobody has listed here included.
LABELS = frozenset(
    {
        "library_operator",  # the library does a part of the work: `x.sum()`, `torch.softmax`
        "keeps_state",  # something outlives the call: caches, counters, plans
        "reads_on_the_host",  # the host waits for a value: `x.item()`
        "device_assembly",
        "sets_switches",  # of the library: TF32
        "depends_on_the_compiler",  # code that only one of the compilers sees
    }
)


class SourceFinding(NamedTuple):
    """One use of something that is on no list, or that a reader should know: `rule` is a code, `name` what was used."""

    line: int
    rule: str
    name: str

    def holds(self, *, streams_are_covered: bool) -> bool:
        """Whether it puts the result on hold. Streams do unless the clock waits for the work of all of them."""
        return self.rule not in LABELS and not (self.rule == STREAMS and streams_are_covered)
