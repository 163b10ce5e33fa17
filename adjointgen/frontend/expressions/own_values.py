"""`self.__dict__["name"]`: an attribute of an instance, whatever its class says of that name.

self.__dict__.update(kwds)      self.a = kwds["a"]; self.b = kwds["b"]
"""

from __future__ import annotations

import ast

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Ref, Struct
from adjointgen.frontend.expressions.instances import keep_attribute
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import as_held
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const


def own_attribute(ctx: Context, node: ast.Subscript) -> Abstract | None:
    """`self.__dict__["name"]` of an instance that the program has made."""
    found = own_place(ctx, node)
    known = None if found is None else content(ctx, found[0])
    return known.get(found[1]) if found is not None and isinstance(known, Struct) else None


def own_place(ctx: Context, node: ast.Subscript) -> tuple[Abstract, str] | None:
    """The instance that the program has made, and the name, of `self.__dict__["name"]`."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name() as owner, attr="__dict__"),
            slice=ast.Constant() | ast.Name() as key,
        ):
            held, name = ctx.expression(owner), ctx.expression(key)
            known = content(ctx, held)
            if not isinstance(known, Struct) or not isinstance(known.kind, Class):
                return None
            if known.place is None and isinstance(name, Const) and isinstance(name.value, str):
                return held, name.value
    return None


def own_update(ctx: Context, node: ast.Call) -> Const | None:
    """`self.__dict__.update(...)` of an instance that the program has made, or None."""
    match node.func:
        case ast.Attribute(
            value=ast.Attribute(value=ast.Name() as owner, attr="__dict__"), attr="update"
        ):
            held = ctx.expression(owner)
        case ast.Attribute(
            value=ast.Call(func=ast.Name() as asked, args=[ast.Name() as owner], keywords=[]),
            attr="update",
        ) if asked.id == "vars" and ctx.expression(asked) == Named("builtins.vars", "vars"):
            held = ctx.expression(owner)
        case _:
            return None
    known = content(ctx, held)
    made = isinstance(known, Struct) and isinstance(known.kind, Class) and known.place is None
    if not made or not isinstance(held, Ref) or any(k.arg is None for k in node.keywords):
        return None
    given = [content(ctx, as_held(ctx, ctx.expression(arg))) for arg in node.args]
    rows: dict[str, Abstract] = {}
    for one in given:
        if not isinstance(one, Struct) or one.kind != "dict" or not _are_names(one.keys):
            return None
        rows |= dict(zip(one.keys, one.items, strict=True))
    rows |= {str(k.arg): ctx.expression(k.value) for k in node.keywords}
    for name, value in rows.items():
        keep_attribute(ctx, held, name, value, node)
    return const(None)


def _are_names(keys: tuple[object, ...]) -> bool:
    return all(isinstance(key, str) and key.isidentifier() for key in keys)
