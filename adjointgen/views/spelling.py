"""A statement as people write it, in one line: a label for a picture, not code to run.

    mul(2.0, t)                          2.0 * t
    load(u_3) [index="1:-1"]             u_3[1:-1]
    store(u_3, t_8) [index="1:-1"]       u_3[1:-1] = t_8
    mean(t_9) [axis=0]                   mean(t_9, axis=0)

Operands are names and literals, so an operator needs no parentheses, and no expression is printed
inside another (`emit/` does that, with precedence).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, assert_never

from adjointgen.ir.nodes import (
    Apply,
    Branch,
    Call,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
)
from adjointgen.rules.framework.table import TABLE

WIDTH: Final = 48
_HOLE: Final = re.compile(r"\b_\b")
_NUMBERED: Final = re.compile(r"\b_(\d+)_\b")


def operand(given: Operand) -> str:
    """A name, or a literal."""
    return given.name if isinstance(given, Value) else repr(given.value)


def spelled(stmt: Stmt) -> str:
    """What a statement does, its results and its blocks left out."""
    match stmt:
        case Apply():
            return _applied(stmt)
        case Call():
            return f"{stmt.function}({_joined(stmt.args)})"
        case Loop():
            return _range(stmt)
        case While():
            return f"while {_joined(stmt.test.yields)}"
        case Branch():
            return f"if {operand(stmt.test)}"
        case Record():
            return f"push {operand(stmt.value)}"
        case Replay():
            return "pop"
        case _:
            assert_never(stmt)


def short(text: str, width: int = WIDTH) -> str:
    """The text on one line, cut where it is too long for a label."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def _applied(stmt: Apply) -> str:
    names = [operand(a) for a in stmt.args]
    symbol = TABLE[stmt.op].symbol if stmt.op in TABLE else ""
    match stmt.op, names:
        case "load", [a, *index]:
            return f"{a}[{_index(stmt, index)}]"
        case "store", [a, v, *index]:
            return f"{a}[{_index(stmt, index)}] = {v}"
        case "accumulate", [a, v, *index]:
            return f"{a}[{_index(stmt, index)}] += {v}"
        case "push", [a, v]:
            return f"{a}.append({v})"
        case "drop", [a]:
            return f"{a}.pop()"
        case "verbatim" | "statement", _:
            code = str(stmt.option("code"))
            return _NUMBERED.sub(lambda hole: _at(names, int(hole[1]), hole[0]), code)
        case _, [a] if symbol:
            return f"{symbol} {a}" if symbol.isalpha() else f"{symbol}{a}"
        case _, [a, b] if symbol:
            return f"{a} {symbol} {b}"
    options = (f"{k}={v!r}" for k, v in stmt.options if k != "spelling")
    return f"{stmt.op}({', '.join([*names, *options])})"


def _index(stmt: Apply, names: Iterable[str]) -> str:
    """The pattern between the brackets, its holes filled in order."""
    left = iter(names)
    return _HOLE.sub(lambda hole: next(left, hole[0]), str(stmt.option("index", "_")))


def _at(names: list[str], k: int, default: str) -> str:
    return names[k] if k < len(names) else default


def _range(loop: Loop) -> str:
    start, stop, step = (operand(b) for b in loop.bounds)
    bounds = [stop] if (start, step) == ("0", "1") else [start, stop]
    text = f"range({', '.join(bounds if step == '1' else [start, stop, step])})"
    return f"for {loop.index.name} in {f'reversed({text})' if loop.backwards else text}"


def _joined(operands: Iterable[Operand]) -> str:
    return ", ".join(map(operand, operands))
