"""Exceptions as people read them: the class and the line that helps come first."""

from __future__ import annotations

from triton.compiler.errors import CompilationError

from evaluator.inside.excerpts import MAX_SENTENCE, cut, first_line


def sentence_of(error: BaseException) -> str:
    """Return the class of an exception and the line of its text that helps, at most MAX_SENTENCE characters."""
    said = _of_compiler(error) if isinstance(error, CompilationError) else first_line(str(error))
    name = type(error).__name__
    return cut(f"{name}: {said}" if said else name, MAX_SENTENCE)


def _of_compiler(error: CompilationError) -> str:
    """Return what Triton's compiler objects to, and where: its own text begins with the place and the whole source.

    The error of a function that a kernel calls is only in the exception that the caller's was raised from.
    """
    while not error.error_message and isinstance(error.__cause__, CompilationError):
        error = error.__cause__
    line = getattr(error.node, "lineno", None)
    place = f"line {line} of the function" if line else ""
    said = first_line(error.error_message or "")
    return f"{said} ({place})" if said and place else said or place
