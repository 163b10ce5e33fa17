"""Powers that Python makes complex, and of which only a real part is used: an error when that runs.

    t = x**0.5                          t = x**0.5
                                        if isinstance(t, complex): raise NotImplementedError(...)
    y = abs(t)                          y = abs(t)

A fractional power of a negative number is complex, if the number is one of Python's. Derivatives
are those of real numbers. They hold for complex ones as well, unless something takes the magnitude
or a part of such a number. What is complex to the end needs no check: the function is not real.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from adjointgen.analysis.differentiation.activity import Activity, graph, reached
from adjointgen.ir.edit import is_among, rebuild
from adjointgen.ir.nodes import Apply, Block, Call, Function, Stmt, Value, walk
from adjointgen.ir.types import COMPLEX, Type
from adjointgen.optimize.rewrites.numpy_numbers import gives_numpy
from adjointgen.records import replace
from adjointgen.rules.framework.complex_convention import holds_for_complex, may_be_complex
from adjointgen.rules.framework.table import TABLE

_PLAIN = Type("complex128")


def checked(
    function: Function, facts: Activity, compiled: bool, fractional: frozenset[str]
) -> Function:
    """The program with a check after each such power, or call of a `fractional` function."""
    known = {s.args for s in walk(function.body) if isinstance(s, Apply) and not s.results}
    every = [] if compiled else _powers(function, fractional)
    powers = [p for p in every if facts.active(p) and (p,) not in known]
    if not powers:
        return function
    forward, _ = graph(function, {})
    found = {p.name for p in powers if _is_narrowed(function, reached([p.name], forward))}
    body = _with_checks(function.body, found, function.name) if found else function.body
    return replace(function, body=body)


def fractional(functions: Iterable[Function]) -> frozenset[str]:
    """The functions of a program in which such a power stands, and those that call them."""
    table, found = {f.name: f for f in functions}, frozenset[str]()
    while more := {n for n, f in table.items() if any(_powers(f, found))} - found:
        found |= more
    return found


def _powers(function: Function, calls: Container[str]) -> Iterator[Value]:
    """The numbers that may be complex by a power, or by a call of one of these functions."""
    known: set[str] = set()
    for stmt in walk(function.body):
        if isinstance(stmt, Call) and stmt.function in calls:
            yield from (r for r in stmt.results if r.type.is_scalar and r.type.is_differentiable)
        if not isinstance(stmt, Apply) or not stmt.results:
            continue
        row = TABLE[stmt.op]
        if gives_numpy(stmt, row, known):
            known.add(stmt.results[0].name)
        elif may_be_complex(stmt):
            yield stmt.result


def _is_narrowed(function: Function, names: Container[str]) -> bool:
    """Whether something real is computed from one of these, or a function is given it."""
    for stmt in walk(function.body):
        if not isinstance(stmt, Apply | Call) or not any(is_among(a, names) for a in stmt.args):
            continue
        if isinstance(stmt, Call) or _narrows(stmt):
            return True
    return False


def _narrows(stmt: Apply) -> bool:
    """Whether an operation gives real numbers for complex ones, or its rule holds for real ones."""
    row = TABLE[stmt.op]
    if row.kind not in ("elementwise", "general") or not stmt.results:
        return False
    if not holds_for_complex(row):
        return True
    types = tuple(replace(a.type, dtype=_PLAIN.dtype) for a in stmt.args)
    return row.infer(types, stmt.settings)[0].dtype not in COMPLEX


def _with_checks(block: Block, found: Container[str], name: str) -> Block:
    stmts: list[Stmt] = []
    for stmt in block.stmts:
        stmts.append(rebuild(stmt, lambda o: o, lambda b: _with_checks(b, found, name)))
        for value in stmt.results if isinstance(stmt, Apply | Call) else ():
            if value.name in found:
                what = f"{name}: a fractional power of a negative number is complex (AG302)"
                code = f"if isinstance(_0_, complex):\n    raise NotImplementedError({what!r})"
                stmts.append(Apply((), "statement", (value,), (("code", code),), stmt.span))
    return replace(block, stmts=tuple(stmts))
