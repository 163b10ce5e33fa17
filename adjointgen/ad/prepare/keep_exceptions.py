"""A program that stands for the user's function keeps what may raise.

    a[i]            a[i]              its value is not read, and it may be an error all the same
    t = len(a)      -                 asked by the frontend; cannot fail

A derivative may leave out what no derivative reads. The function itself ends in an exception where
the user's does, so a statement that may raise stays as if it had an effect. Which exceptions an
operation may end in, `frontend/domain/exception_classes.py` knows.
"""

from __future__ import annotations

from adjointgen.frontend.domain.exception_classes import as_kept, may_raise
from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import Apply, Call, Function, Stmt, reads_of, results_of, walk
from adjointgen.optimize.scalar.dce import dead
from adjointgen.records import replace


def held(function: Function) -> Function:
    """The function, and those that it calls, without dead statements that cannot raise."""
    callees = tuple(map(_held, function.callees))
    return replace(_held(function), name=f"{function.name}_primal", callees=callees)


def _held(function: Function) -> Function:
    kept = {
        value.name
        for stmt in walk(function.body)
        if isinstance(stmt, Call) or (isinstance(stmt, Apply) and may_raise(stmt))
        for value in results_of(stmt)
    }
    function = dead(function, kept)
    read = {value.name for value in reads_of(function.body)}

    def marked(stmt: Stmt) -> Stmt:
        if any(value.name in read for value in results_of(stmt)) or not results_of(stmt):
            return stmt
        if isinstance(stmt, Call):
            return replace(stmt, effect=True)
        if isinstance(stmt, Apply) and may_raise(stmt):
            return as_kept(stmt)
        return stmt

    return replace(function, body=with_simple(function.body, marked))
