"""How exact a derivative can be that goes through an adaptive solver.

The derivative of a solution is that of the equation, solved to the solver's own tolerance; the
differences are those of what the solver returned. Both are right, and apart by that tolerance.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Final

from adjointgen.records import dataclass

SOLVERS: Final = ("scipy.integrate", "scipy.optimize")
LIMIT: Final = 1e-6
DOUBT: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Limits:
    """What a derivative may be off by, relative to itself: to pass, and to be no failure.

    `note` says so, where nobody asked for it.
    """

    rtol: float = 0.0
    doubt: float = 0.0
    note: str = ""


def limits_of(text: str, rtol: float | None, programs: Collection[str] = ()) -> Limits:
    """The limits of `programs` in a text, or of all: as asked for, or what solvers suggest."""
    if rtol is not None:
        return Limits(rtol)
    names = solvers_in(text, programs)
    if not names:
        return Limits()
    called = " and ".join(names)
    return Limits(
        LIMIT,
        DOUBT,
        f"{called} only solve{'s' * (len(names) == 1)} to a tolerance: derivatives are compared "
        f"to {LIMIT:g} of themselves (rtol)",
    )


def solvers_in(text: str, programs: Collection[str] = ()) -> tuple[str, ...]:
    """The solvers that some programs of a module call, or all of them, in order."""
    tree = ast.parse(text)
    named, modules = set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=imported) if module in SOLVERS:
                named |= {alias.asname or alias.name for alias in imported}
            case ast.ImportFrom(module="scipy", names=imported):
                bound = {alias.name: alias.asname or alias.name for alias in imported}
                modules |= {bound[m] for m in ("integrate", "optimize") if m in bound}
            case ast.Import(names=imported):
                modules |= {a.asname or a.name for a in imported if a.name in SOLVERS}
    found = []
    for node in (inner for part in _called(tree, programs) for inner in ast.walk(part)):
        match node:
            case ast.Name(id=name) if name in named:
                found.append(name)
            case ast.Attribute(value=value, attr=name) if ast.unparse(value) in modules:
                found.append(name)
    return tuple(dict.fromkeys(found))


def _called(tree: ast.Module, programs: Collection[str]) -> Iterator[ast.AST]:
    """The functions of a module that some of them reach, or the whole."""
    if not programs:
        yield tree
        return
    defined = {part.name: part for part in tree.body if isinstance(part, ast.FunctionDef)}
    left = [name for name in programs if name in defined]
    while left:
        part = defined.pop(left.pop(0), None)
        if part is not None:
            yield part
            left += [n.id for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in defined]
