"""Whether to trust a number: the words that pages, files, mails and the admin have for it, and no others.

A run is claimed, run here or reproduced. A result may besides be held, suspect or hacked.
"""

from __future__ import annotations

from enum import StrEnum


class Trust(StrEnum):
    CLAIMED = "claimed"
    RUN_HERE = "run_here"
    REPRODUCED = "reproduced"
    HELD = "held"
    SUSPECT = "suspect"
    HACKED = "hacked"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ")


OF_RUNS = (Trust.CLAIMED, Trust.RUN_HERE, Trust.REPRODUCED)  # the least trusted first
DOUBTS = (Trust.HACKED, Trust.SUSPECT, Trust.HELD)  # about results, the worst first


def trust_text(trust: str, reproduced: int | None, compared: int | None) -> str:
    """Return the word for a run, with the counts of tasks where some were reproduced: reproduced 5 of 6."""
    word = Trust(trust).label
    return f"{word} {reproduced} of {compared}" if trust == Trust.REPRODUCED else word


def doubt(audit: str, is_held: bool | None) -> Trust | None:
    """Return the doubt about a result; None if there is none."""
    if audit in (Trust.HACKED, Trust.SUSPECT):
        return Trust(audit)
    return Trust.HELD if is_held else None
