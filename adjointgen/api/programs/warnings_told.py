"""What is said of a program whose derivative leaves something out: a warning, and its docstring."""

from __future__ import annotations

import ast
import warnings
from linecache import checkcache, getlines
from typing import Final

from adjointgen.analysis.differentiation.decision_only import Found, decided
from adjointgen.analysis.differentiation.inputs import chosen, floats
from adjointgen.analysis.differentiation.parameter_dependence import dependence
from adjointgen.errors import DecidedWarning
from adjointgen.ir.nodes import LOOPS, Function, walk

ALONE: Final = "decided by tests alone"
STARTED: Final = "moved by tests alone"


def told(function: Function, wrt: tuple[str, ...]) -> str:
    """The sentence of the docstring, after a warning (AG303); empty where there is nothing to say.

    Programs without loops decide nothing that is not written as a choice.
    """
    bodies = (function.body, *(f.body for f in function.callees))
    if not any(isinstance(s, LOOPS) for body in bodies for s in walk(body)):
        return ""
    inputs = floats(function, chosen(function, wrt))
    found = decided(function, inputs, dependence(function.callees))
    text = ""
    for rows, what, value in (
        (found.alone, ALONE, "derivative zero"),
        (found.started, STARTED, "the derivative of where the loop starts"),
    ):
        if rows:
            _warn(function, rows, f"{what}, with {value}")
            text += f"\n\n{what.capitalize()}, with {value}: {', '.join(rows)}."
    return text


def _warn(function: Function, found: Found, what: str) -> None:
    span = next(iter(found.values()))
    warnings.warn(
        DecidedWarning(
            f"{function.name}: {', '.join(found)}: {what}",
            code="AG303",
            span=span,
            source=text_of(span.file) if span is not None else "",
            label="the arguments reach what this loop finds through its tests",
            help="state what holds there: @adjointgen.custom(residual=...)",
        ),
        stacklevel=3,
    )


def text_of(file: str) -> str:
    """The text of a file as it is now; empty where there is none."""
    checkcache(file)
    return "".join(getlines(file))


def told_in(text: str) -> tuple[str, ...]:
    """The sentences that `told` has put into the docstrings of a module."""
    docs = (ast.get_docstring(s) for s in ast.parse(text).body if isinstance(s, ast.FunctionDef))
    parts = (" ".join(part.split()) for doc in docs for part in (doc or "").split("\n\n"))
    starts = (ALONE.capitalize(), STARTED.capitalize())
    return tuple(dict.fromkeys(part for part in parts if part.startswith(starts)))
