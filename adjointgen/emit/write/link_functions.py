"""Linking: the functions of a module have names of their own, and each is written once.

Programs of one module may call the same function, or different ones of one name: a helper for
scalars in one, for arrays in another. Functions that are equal, and so are all that they call, are
one; the others get a number. The user's own names are left to the user's code.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.emit.decide.plan import names_in
from adjointgen.ir.calls import calling
from adjointgen.ir.nodes import Call, Function, names_of, walk
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names


def linked(programs: Sequence[Function]) -> list[Function]:
    """The programs, and below them the functions that they call."""
    roots = [replace(program, callees=()) for program in programs]
    if not any(program.callees for program in programs):
        return roots
    taken = {name for p in programs for f in (p, *p.callees) for name in _users(f)}
    names = Names({root.name for root in roots} | taken)
    apart = _apart(programs)
    shared: dict[str, str] = {}
    written: dict[str, Function] = {}
    for k, program in enumerate(programs):
        own: dict[str, str] = {}
        for callee in program.callees:
            table = own if callee.name in apart else shared
            if callee.name not in table:
                table[callee.name] = names.fresh(callee.name)
        by = {c.name: (own if c.name in apart else shared)[c.name] for c in program.callees}
        roots[k] = replace(roots[k], body=calling(roots[k].body, by))
        for callee in program.callees:
            new = by[callee.name]
            body = calling(callee.body, by)
            written.setdefault(new, replace(callee, name=new, body=body))
    return [*roots, *written.values()]


def _users(function: Function) -> set[str]:
    """The names that the user's code in a function reads."""
    stmts = (stmt for stmt in walk(function.body) if not isinstance(stmt, Call))
    return {name for stmt in stmts for name in names_in(stmt) if name not in names_of(stmt)}


def _apart(programs: Sequence[Function]) -> set[str]:
    """The names that mean different functions in different programs."""
    known: dict[str, Function] = {}
    apart: set[str] = set()
    calls: dict[str, set[str]] = {}
    for program in programs:
        for callee in program.callees:
            if known.setdefault(callee.name, callee) != callee:
                apart.add(callee.name)
            called = {s.function for s in walk(callee.body) if isinstance(s, Call)}
            calls.setdefault(callee.name, set()).update(called)
    while more := {name for name, called in calls.items() if called & apart} - apart:
        apart |= more
    return apart
