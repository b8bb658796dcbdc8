"""The type of a tensor descriptor as a text, which Triton makes at a launch and reads again when it compiles.

The text ends with the descriptor's layout, if it has one, and Triton reads that with Python's `eval`. The sizes of
blocks stand before it as their `repr`, and a candidate may put anything into their list: so without this, a source
that has no name but listed ones could run any text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import triton.language as tl


def install() -> None:
    """Make Triton read nothing but layouts there, for the rest of the process; a global name comes before a builtin."""
    tl.eval = layout_of


def layout_of(text: str, layouts: Mapping[str, Callable[..., Any]]) -> Any:
    """Return the layout that a text like "Layout(width=128, bases=[])" names.

    Raises:
        ValueError, SyntaxError: it is anything else.
    """
    match ast.parse(text, mode="eval").body:
        case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords) if name in layouts:
            return layouts[name](**{str(one.arg): ast.literal_eval(one.value) for one in keywords})
    raise ValueError("the type of a tensor descriptor has no layout that Triton knows")
