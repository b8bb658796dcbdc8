"""What a person asked for and cannot be done, in sentences for that person."""

from __future__ import annotations


class RunError(Exception):
    """The request makes no sense for these rows; nothing was changed."""


class _Refused(Exception):
    """As a whole; `problems` holds every one of them."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class RegistryError(_Refused):
    """A registry file is refused."""
