"""Loops in threads, each in a function of its own.

    for i in prange(n):                         _f_loop_1(n, a, b)
        b[i] = 2.0 * a[i]          ->
                                                def _f_loop_1(n: Any, a: Any, b: Any) -> None:
                                                    for i in prange(n):
                                                        b[i] = 2.0 * a[i]

Numba takes a number to be the same wherever it has the same name in a function that runs in
threads, also where a loop around changes it (its analysis of shapes; an array then has the length
that it had before). In the function of a loop nothing changes that comes from outside. It computes
nothing but numbers, so that Numba has nothing else to share out, such as sums of arrays, whose
rounding would depend on how many threads there are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from adjointgen.emit import PRANGE

_ANY = "from typing import Any"


def outlined(text: str) -> tuple[str, tuple[str, ...]]:
    """The text of a module with every such loop in a function below the others, and their names."""
    lines = text.split("\n")
    below: list[str] = []
    made: list[str] = []
    for function in ast.parse(text).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        local = {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
        local |= {name for name, stored in _names(function) if stored}
        for number, loop in enumerate(_loops(function), 1):
            if not _is_closed(loop):
                line = lines[loop.lineno - 1]
                lines[loop.lineno - 1] = line.replace(f"{PRANGE}(", "range(", 1)
                continue
            name = f"_{function.name.strip('_')}_loop_{number}"
            given = _given(loop, local)
            below += ["", "", *_function(name, loop, given, lines)]
            _call(name, loop, given, lines)
            made.append(name)
    if not made:
        # What cannot be a function of its own runs in order.
        left = "\n".join(lines).replace(f"from numba import {PRANGE}\n", "")
        return left.replace(f"import njit, {PRANGE}\n", "import njit\n"), ()
    lines = [line for line in lines if line is not _GONE]
    above = [] if _ANY in lines else [_ANY, ""]
    return "\n".join([*above, *lines, *below, ""]), tuple(made)


_GONE = "gone: the function of a loop has this line"


def _loops(function: ast.FunctionDef) -> list[ast.For]:
    """The loops in threads, none of which stands in another, in order."""
    found = (node for node in ast.walk(function) if isinstance(node, ast.For) and _is_shared(node))
    return sorted(found, key=lambda loop: loop.lineno)


def _is_shared(loop: ast.For) -> bool:
    match loop.iter:
        case ast.Call(func=ast.Name(id=name)):
            return name == PRANGE
    return False


def _is_closed(loop: ast.For) -> bool:
    """Whether each iteration sets whatever it sets before it reads it."""
    own = {name for name, stored in _names(loop) if stored}
    return _set_after([loop], own, set()) is not None


def _set_after(body: Sequence[ast.stmt], own: set[str], before: set[str]) -> set[str] | None:
    """The names that are certainly set after statements; None where one is read earlier."""
    done = set(before)
    for stmt in body:
        head: ast.AST = stmt
        arms: list[set[str] | None] = []
        match stmt:
            case ast.For(iter=head, target=target):
                inside = done | {name for name, _ in _names(target)}
                # Whether the loop runs is not known: what it sets is not set after it.
                arms = [_set_after(stmt.body, own, inside), done]
            case ast.If(test=head):
                arms = [_set_after(arm, own, done) for arm in (stmt.body, stmt.orelse)]
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Expr():
                arms = [done | {name for name, stored in _names(stmt) if stored}]
            case _:
                return None
        reads = {name for name, stored in _names(head) if not stored}
        if isinstance(stmt, ast.AugAssign):
            reads |= {name for name, _ in _names(stmt.target)}
        known = [arm for arm in arms if arm is not None]
        if len(known) < len(arms) or not reads & own <= done:
            return None
        done = set.intersection(*known)
    return done


def _names(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """The names in a piece of code, and whether they are set there."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id, isinstance(inner.ctx, ast.Store)


def _given(loop: ast.For, local: set[str]) -> list[str]:
    """The variables that a loop reads, in order: it reads none from outside that it sets itself."""
    names = [node for node in ast.walk(loop) if isinstance(node, ast.Name)]
    names.sort(key=lambda node: (node.lineno, node.col_offset))
    own = {name for name, stored in _names(loop) if stored}
    return list(dict.fromkeys(n.id for n in names if n.id in local - own))


def _function(name: str, loop: ast.For, given: list[str], lines: list[str]) -> list[str]:
    params = ", ".join(f"{one}: Any" for one in given)
    body = lines[loop.lineno - 1 : loop.end_lineno]
    inside = [" " * 4 + line[loop.col_offset :] for line in body]
    told = '    """A loop of which all iterations may run at once."""'
    return [f"def {name}({params}) -> None:", told, *inside]


def _call(name: str, loop: ast.For, given: list[str], lines: list[str]) -> None:
    """Leave a call in the place of a loop; the other lines are gone, so that numbers stay."""
    assert loop.end_lineno is not None
    call = f"{name}({', '.join(given)})"
    lines[loop.lineno - 1] = " " * loop.col_offset + call
    lines[loop.lineno : loop.end_lineno] = [_GONE] * (loop.end_lineno - loop.lineno)
