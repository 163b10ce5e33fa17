"""Calls whose adjoint runs the function again, as a directive above them asks: of a twin of it.

    # adjointgen: joint
    y = g(x)                ->      y = g_joint(x), with a function g_joint like g

The two ways to reverse a call are those of two functions, since a function has one adjoint.
"""

from __future__ import annotations

from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import Call, Function, Stmt, called
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names


def with_joint_calls(function: Function) -> Function:
    """The program with twins for the functions of calls that are to be joint."""
    table = {f.name: f for f in function.callees}
    if not any(d.kind == "joint" for f in (function, *table.values()) for d in f.directives):
        return function
    names = Names((function.name, *table))
    twins: dict[str, Function] = {}

    def directed(one: Function) -> Function:
        asked = [d for d in one.directives if d.kind == "joint"]

        def call(stmt: Stmt) -> Stmt:
            if not isinstance(stmt, Call) or not any(d.covers(stmt.span) for d in asked):
                return stmt
            if stmt.function not in twins:
                title = names.fresh(f"{stmt.function}_joint")
                twins[stmt.function] = replace(table[stmt.function], name=title, joint=True)
            return replace(stmt, function=twins[stmt.function].name)

        return replace(one, body=with_simple(one.body, call)) if asked else one

    root = directed(replace(function, callees=()))
    table |= {name: directed(f) for name, f in table.items()}
    # What a twin calls is directed as in the function itself.
    made = {t.name: replace(t, body=table[name].body) for name, t in twins.items()}
    return replace(root, callees=called(root, table | made))
