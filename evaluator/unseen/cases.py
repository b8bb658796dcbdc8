"""Unseen cases as values: a case, its config category and its origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from evaluator.tasks.spec import Case

ConfigCategory = Literal["edge", "scale_up", "scale_down", "alignment", "asymmetric", "production"]
CONFIG_CATEGORIES: tuple[ConfigCategory, ...] = get_args(ConfigCategory)
Origin = Literal["generated", "written_by_hand", "written_by_model"]


@dataclass(frozen=True, slots=True)
class UnseenCase:
    """One configuration that agents do not see, identified by its case."""

    case: Case
    category: ConfigCategory
    origin: Origin = "generated"
