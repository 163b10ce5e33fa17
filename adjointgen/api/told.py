"""What is said of a program whose derivative leaves something out: a warning, and its docstring."""

from __future__ import annotations

import warnings
from linecache import getlines

from adjointgen.analysis.decided import decided
from adjointgen.analysis.dependence import dependence
from adjointgen.analysis.inputs import chosen, floats
from adjointgen.errors import DecidedWarning
from adjointgen.ir.nodes import LOOPS, Function, walk


def told(function: Function, wrt: tuple[str, ...]) -> str:
    """The sentence of the docstring, after a warning (AG303); empty where there is nothing to say.

    Programs without loops decide nothing that is not written as a choice.
    """
    bodies = (function.body, *(f.body for f in function.callees))
    if not any(isinstance(s, LOOPS) for body in bodies for s in walk(body)):
        return ""
    inputs = floats(function, chosen(function, wrt))
    found = decided(function, inputs, dependence(function.callees))
    if not found:
        return ""
    names = ", ".join(found)
    span = next(iter(found.values()))
    warnings.warn(
        DecidedWarning(
            f"{function.name}: {names}: decided by tests alone, so the derivative is zero",
            code="AG303",
            span=span,
            source="".join(getlines(span.file)) if span is not None else "",
            label="the arguments reach what this loop finds through its tests",
            help="state what holds there: @adjointgen.custom(residual=...)",
        ),
        stacklevel=2,
    )
    return f"\n\nDecided by tests alone, with derivative zero: {names}."
