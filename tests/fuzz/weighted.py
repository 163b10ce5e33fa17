"""⟨ȳ, f(x)⟩ as a function of the differentiated arguments alone.

Second-order programs are asked for scalar results. The weights and the arguments that stay fixed
are written into the text, so that the function stands on its own, and calls `f` as a user would.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from adjointgen.opt.program import FUNCTION, Program

WEIGHTED: Final = "f_weighted"


def weighted(program: Program, bars: list[Any]) -> Program:
    """`program` with the function `f_weighted(*wrt)` added to its module."""
    pairs = zip(program.parameters, program.args, strict=True)
    passed = [name if name in program.wrt else literal(value) for name, value in pairs]
    names = [f"part_{k}" for k in range(len(bars))]
    lines = [
        f"def {WEIGHTED}({', '.join(program.wrt)}):",
        f"    {', '.join(names)} = {FUNCTION}({', '.join(passed)})",
        f"    return {' + '.join(_term(n, b) for n, b in zip(names, bars, strict=True))}",
    ]
    return replace(program, source=program.source + "\n\n" + "\n".join(lines) + "\n")


def literal(value: Any) -> str:
    """A value as Python text."""
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    return repr(value)


def _term(name: str, bar: Any) -> str:
    if isinstance(bar, np.ndarray):
        return f"np.sum({literal(bar)} * {name})"
    return f"{bar!r} * {name}"
