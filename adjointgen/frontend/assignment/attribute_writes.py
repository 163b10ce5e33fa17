"""Attributes that are set: of an instance that is understood, or of an object that is not.

obj.a = v       a new version of the instance; of another object, the statement as it stands
"""

from __future__ import annotations

import ast

from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.expressions.arithmetic import BINARY
from adjointgen.frontend.expressions.instances import is_instance, set_attribute
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.lent_arrays import lend
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Apply, Value


def assign_attribute(ctx: Context, target: ast.Attribute, value: Abstract) -> None:
    owner = ctx.expression(target.value)
    if is_instance(ctx, owner):
        set_attribute(ctx, owner, target.attr, value, target)
        return
    if read(ctx, owner).type.kind != "object":
        what = f"this sets the attribute {target.attr} of an array"
        ctx.refuse("AG101", what, "make a new array, for instance by reshape", node=target)
    holes = Holes(ctx)
    code = f"{holes.fill(owner)}.{target.attr} = {holes.fill(value)}"
    lend(ctx, holes.refs)
    statement(ctx, code, holes.operands, **holes.keeping())


def update_attribute(ctx: Context, owner: Abstract, node: ast.AugAssign) -> None:
    """`obj.a op= value` of an object: the old value is read before the new one is computed."""
    assert isinstance(node.target, ast.Attribute)
    if not isinstance(node.value, ast.Constant | ast.Name):
        ctx.refuse("AG101", "this changes an attribute", "use a local variable", node=node)
    holes = Holes(ctx)
    value = ctx.expression(node.value)
    ctx.node = node
    target = f"{holes.fill(owner)}.{node.target.attr}"
    code = f"{target} {BINARY[type(node.op)][1]}= {holes.fill(value)}"
    statement(ctx, code, holes.operands, **holes.keeping())


def of_object(ctx: Context, old: Abstract, op: type[ast.operator], value: Abstract) -> Abstract:
    """`old op= value` of an object, which may change itself."""
    ctx.imports["import operator"] = None
    holes = Holes(ctx)
    name = f"i{BINARY[op][2].__name__.strip('_')}"
    code = f"operator.{name}({holes.fill(old)}, {holes.fill(value)})"
    return verbatim(ctx, code, holes.operands, changes=(0,), **holes.keeping())


def looks(ctx: Context, value: Value) -> bool:
    """Whether an object may be a view: code made it that was given an array or an object."""
    for stmts in reversed(ctx.blocks):
        for stmt in reversed(stmts):
            if isinstance(stmt, Apply) and value in stmt.results:
                return any(a.type.kind in ("array", "list", "object") for a in stmt.args)
    return False
