"""Which functions of a program do more than compute, so that calls of them stay.

A function has an effect if a statement of its own has one, or if it calls one that has. A call that
nobody reads stays, too, if the function may raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from adjointgen.frontend.domain.exception_classes import may_raise
from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import Apply, Block, Call, Function, Stmt, blocks_of, walk
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE


def with_effects(function: Function) -> Function:
    """The program with every call marked that has an effect."""
    every = (function, *function.callees)
    acting, raising = (_reaching(every, test) for test in (is_effect, _is_raising))
    root, *callees = (replace(f, body=_marked(f.body, acting, raising)) for f in every)
    return replace(root, callees=tuple(callees))


def _reaching(every: Iterable[Function], test: Callable[[Stmt], bool]) -> set[str]:
    """The functions with a statement like this, and those that call them."""
    found = {f.name for f in every if any(map(test, walk(f.body)))}
    calls = {f.name: {s.function for s in walk(f.body) if isinstance(s, Call)} for f in every}
    while more := {name for name, called in calls.items() if called & found} - found:
        found |= more
    return found


def _is_raising(stmt: Stmt) -> bool:
    return isinstance(stmt, Apply) and may_raise(stmt)


def may_act(stmt: Stmt) -> bool:
    """Whether a statement may do more than compute: one with blocks, if one inside may."""
    inside = (s for block in blocks_of(stmt) for s in walk(block))
    return any(isinstance(s, Call) or is_effect(s) for s in (stmt, *inside))


def acts(stmt: Stmt, functions: Mapping[str, Function]) -> bool:
    """Whether a statement does more than compute, by the functions that it calls."""
    return any(
        each.function not in functions if isinstance(each, Call) else is_effect(each)
        for each in reached((stmt,), functions)
    )


def reached(stmts: Iterable[Stmt], functions: Mapping[str, Function]) -> Iterator[Stmt]:
    """Statements, those inside of them, and those of the functions that they call, each once."""
    left, called = list(stmts), set[str]()
    while left:
        stmt = left.pop()
        yield stmt
        left += (inner for block in blocks_of(stmt) for inner in block.stmts)
        if isinstance(stmt, Call) and stmt.function in functions.keys() - called:
            called.add(stmt.function)
            left += functions[stmt.function].body.stmts


def is_effect(stmt: Stmt) -> bool:
    """Whether a statement without blocks does more than compute."""
    if not isinstance(stmt, Apply) or stmt.op == "comment" or stmt.option("pure"):
        return False
    return bool(stmt.option("effect", TABLE[stmt.op].effect))


def only_raises(stmt: Stmt) -> bool:
    """Whether all that a statement can do beside computing is to raise, each time it is run."""
    if not isinstance(stmt, Apply) or stmt.option("writes"):
        return False
    if stmt.op in TABLE and not TABLE[stmt.op].effect:
        # A computation that nothing reads is kept since it may raise.
        return True
    code = str(stmt.option("code") or "")
    asked = ("quiet", "sure", "reads")
    reads = any(map(stmt.option, asked)) and "(" not in code
    tests = bool(stmt.option("raises")) and code.startswith("if ")
    return reads or tests or code.startswith(("raise ", "assert "))


def _marked(block: Block, acting: set[str], raising: set[str]) -> Block:
    def marked(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, Call):
            return stmt
        unread = stmt.effect and stmt.function in raising
        return replace(stmt, effect=stmt.function in acting or unread)

    return with_simple(block, marked)
