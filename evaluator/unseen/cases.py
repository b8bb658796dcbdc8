"""What an unseen case is: a case, the kind of change it makes, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from evaluator.tasks.spec import Case

ConfigCategory = Literal["edge", "scale_up", "scale_down", "alignment", "asymmetric", "production"]
CONFIG_CATEGORIES: tuple[ConfigCategory, ...] = get_args(ConfigCategory)
Origin = Literal["generated", "written_by_hand", "written_by_model"]


@dataclass(frozen=True, slots=True)
class UnseenCase:
    """One configuration that the agent did not see. Its identity is that of its case."""

    case: Case
    category: ConfigCategory
    origin: Origin = "generated"
