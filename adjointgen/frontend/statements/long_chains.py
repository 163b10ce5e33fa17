"""Long chains of tests in parts, so that programs nest no deeper for them.

`elif` nests, and so does what follows an `if` whose arm leaves. Both are lowered to nested
branches, whose text grows with the square of their number, and Python reads 100 levels at most.

    if a: A  elif b: B  elif c: C  else: D    →    otherwise = False
                                                   if a: A  elif b: B  else: otherwise = True
                                                   if otherwise:
                                                       if c: C  else: D

    if a: return u                            →    if a: return u
    if b: return v                                 (left or not, as a flag)
    if c: return w                                 if not left:
    return x                                           if b: return v ...
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from adjointgen.frontend.source.name_liveness import Liveness

LEVELS = 20
"""How many tests nest."""
FLAG = "%otherwise"


def parts(liveness: Liveness, stmts: Sequence[ast.stmt]) -> list[list[ast.stmt]]:
    """A list of statements in parts, in each of which few statements leave on a path."""
    if len(stmts) <= LEVELS and not any(_is_long(s) for s in stmts):
        return [list(stmts)]
    found: list[list[ast.stmt]] = [[]]
    count = 0
    for stmt in _flat(liveness, stmts):
        if count >= LEVELS:
            found.append([])
            count = 0
        found[-1].append(stmt)
        count += isinstance(stmt, ast.If) and _leaves(liveness, stmt)
    return found


def _flat(liveness: Liveness, stmts: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, with long chains in sections.

    What stands after `else` where the arm leaves follows the test.
    """
    for stmt in stmts:
        while (
            isinstance(stmt, ast.If)
            and _is_long(stmt)
            and liveness.sequence(stmt.body).kill is None
        ):
            yield ast.copy_location(ast.If(stmt.test, stmt.body, []), stmt)
            (stmt,) = stmt.orelse
        yield from sections(stmt)


def _leaves(liveness: Liveness, stmt: ast.If) -> bool:
    return any(liveness.sequence(arm).kill is None for arm in (stmt.body, stmt.orelse))


def _is_long(stmt: ast.stmt) -> bool:
    """Whether more tests stand in a chain than may nest."""
    return _below(stmt) is not None


def _below(stmt: ast.stmt) -> ast.If | None:
    """The first test of a chain that would nest too deeply."""
    for _ in range(LEVELS):
        match stmt:
            case ast.If(orelse=[ast.If() as stmt]):
                continue
        return None
    return stmt if isinstance(stmt, ast.If) else None


def sections(stmt: ast.stmt) -> list[ast.stmt]:
    """A long chain as several, each of which stands where no test of the one before held.

    A statement that is no long chain stands alone.
    """
    flags: list[ast.stmt] = []
    made: list[ast.stmt] = []
    asked: ast.expr | None = None
    rest: ast.stmt | None = stmt
    while rest is not None:
        start, rest = rest, _below(rest)
        part = start
        if rest is not None:
            flag = f"{FLAG}{rest.lineno}:{rest.col_offset}"
            flags.append(_set(flag, False, rest))
            part = _until(start, rest, _set(flag, True, rest))
        made.append(part if asked is None else ast.copy_location(ast.If(asked, [part], []), part))
        if rest is not None:
            asked = ast.copy_location(ast.Name(flag, ast.Load()), rest)
    return [*flags, *made]


def _until(stmt: ast.stmt, rest: ast.stmt, instead: ast.stmt) -> ast.stmt:
    """A chain up to one of its tests, in the place of which another statement stands."""
    tests: list[ast.If] = []
    while isinstance(stmt, ast.If) and stmt is not rest:
        tests.append(stmt)
        stmt = stmt.orelse[0]
    made = instead
    for test in reversed(tests):
        made = ast.copy_location(ast.If(test.test, test.body, [made]), test)
    return made


def _set(flag: str, value: bool, at: ast.stmt) -> ast.stmt:
    target, constant = ast.Name(flag, ast.Store()), ast.Constant(value)
    made = ast.Assign([target], constant)
    for node in (target, constant):
        ast.copy_location(node, at)
    return ast.copy_location(made, at)
