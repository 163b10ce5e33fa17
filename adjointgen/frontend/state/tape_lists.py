"""Lists that are tapes: made empty, and used by `append` and `pop()` only.

Generated programs record in such lists; `append` is `Record` and `pop()` is `Replay`, tied by the
name of the list. So the tool reads its own output, and derivatives of derivatives exist.
"""

from __future__ import annotations

import ast

from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import hold, read
from adjointgen.frontend.state.unify import join_types
from adjointgen.ir.nodes import Record, Replay, Value

_KINDS = "use one list for each kind of value, or an array with an index"
_ORDER = "append before the pop, or use an array with an index"


def tape_names(node: ast.AST) -> frozenset[str]:
    """The names in a function that are tapes."""
    allowed: set[ast.Name] = set()
    used: dict[str, set[str]] = {}
    for inner in ast.walk(node):
        match inner:
            case ast.Assign(targets=[ast.Name() as name], value=ast.List(elts=[])) | ast.AnnAssign(
                target=ast.Name() as name, value=ast.List(elts=[])
            ):
                used.setdefault(name.id, set()).add("made")
                allowed.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr="append"), args=[_]):
                used.setdefault(name.id, set()).add("append")
                allowed.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr="pop"), args=[]):
                used.setdefault(name.id, set()).add("pop")
                allowed.add(name)
    complete = {n for n, uses in used.items() if uses == {"made", "append", "pop"}}
    if not complete:
        return frozenset()
    others = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n not in allowed} | {
        n.arg for n in ast.walk(node) if isinstance(n, ast.arg)
    }
    return frozenset(complete - others)


def is_tape_call(ctx: Context, node: ast.Call) -> bool:
    return (
        isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ctx.frame.tapes
    )


def tape_call(ctx: Context, node: ast.Call) -> Value | None:
    """`tape.append(value)` or `tape.pop()`."""
    assert isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
    slot = node.func.value.id
    if node.func.attr == "append":
        value = read(ctx, hold(ctx, ctx.expression(node.args[0]), ""))
        known = ctx.taped.get(slot)
        joined = value.type if known is None else join_types(Value("", known), value)
        if joined is None:
            ctx.refuse("AG150", f"{slot} records values of different kinds", _KINDS, node=node)
        ctx.taped[slot] = joined
        ctx.add(Record(slot, value, ctx.span(node)))
        return None
    if slot not in ctx.taped:
        ctx.refuse("AG150", f"{slot} is read before it is written", _ORDER, node=node)
    result = ctx.value("", ctx.taped[slot])
    ctx.add(Replay(result, slot, ctx.span(node)))
    return result
