"""`self.__dict__["name"]`: an attribute of an instance, whatever its class says of that name."""

from __future__ import annotations

import ast

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Struct
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Const


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
