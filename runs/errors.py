"""Errors whose texts are written for the person who asked for something that cannot be done."""

from __future__ import annotations


class RunError(Exception):
    """The request does not fit the rows as they are; nothing was changed."""


class QuotaError(RunError):
    """A submitter already has as much here as one may have at a time."""


class _Refused(Exception):
    """An input is refused as a whole; `problems` lists everything that is wrong with it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class RegistryError(_Refused):
    """A registry file is refused."""
