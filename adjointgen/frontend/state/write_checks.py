"""What a program must not write to: what belongs to a module, read-only views, what lists hold."""

from __future__ import annotations

import ast
from typing import NoReturn

from adjointgen.frontend.domain.abstract_values import Abstract, Method, Ref
from adjointgen.frontend.state.context import LAYOUT, Context
from adjointgen.frontend.state.reachability import ARGUMENT, is_unseen
from adjointgen.ir.nodes import Operand, Value


def is_list(held: Operand | None) -> bool:
    """Whether what a cell holds is a list of numbers or arrays, the length of which varies."""
    return held is not None and held.type.kind == "list"


def check_flags(ctx: Context, owner: Abstract, node: ast.AST | None) -> None:
    """Refuse to set what NumPy may do with an array, `a.flags.writeable = False`, and to write to
    its memory by another name, `a.data[0] = 1.0`."""
    if isinstance(owner, Method) and owner.name == "flags":
        what = "this sets a flag of an array"
        ctx.refuse("AG101", what, "leave it out, or set it outside of the function", node=node)
    if isinstance(owner, Method) and _is_array(ctx, owner.owner):
        what = f"this writes to an array by its `.{owner.name}`"
        ctx.refuse("AG101", what, "write to the array itself", node=node)


def _is_array(ctx: Context, owner: Abstract) -> bool:
    held = ctx.state.cells.get(owner.cell) if isinstance(owner, Ref) else owner
    return isinstance(held, Value) and held.type.is_array


def check_writable(ctx: Context, ref: Ref) -> None:
    """Refuse a write whose effect depends on what is not known, or is seen outside."""
    _check_owner(ctx, ref)
    reason = ctx.state.tangled.get(ref.cell)
    if reason is not None and is_unseen(ctx, ref.cell, reason):
        ctx.escaped = True
    elif reason == LAYOUT:
        _refuse_layout(ctx)
    elif reason is not None:
        ctx.unlike(
            "AG110",
            f"which array this writes to depends on the path taken: {reason or ARGUMENT}",
            "take a .copy() before the paths part, so that each name has an array of its own",
        )
    if ref.cell in ctx.shown:
        ctx.refuse(
            "AG112",
            "entries of this array are in a list, which may or may not see what is written here",
            "make the list of float(...), or take a .copy() before",
        )
    if any(step.locked for step in ref.steps):
        what = "this writes to a view that NumPy does not let be written to"
        ctx.refuse("AG111", what, "write to the original with an index, or to a copy")
    if any(not step.writable for step in ref.steps):
        if isinstance(held := ctx.state.cells[ref.cell], Value) and is_list(held):
            ctx.refuse(
                "AG111",
                "this writes to an array in a list, which other lists may hold too",
                "write to it before it is appended",
            )
        _refuse_layout(ctx)


def _refuse_layout(ctx: Context) -> NoReturn:
    ctx.refuse(
        "AG111",
        "this may write to a copy or to the original, depending on the memory layout",
        "write to the original with an index",
    )


def _check_owner(ctx: Context, ref: Ref) -> None:
    if module := ctx.info[ref.cell].module:
        ctx.refuse(
            "AG131",
            f"this writes into {module}, which belongs to the module",
            help="pass the array as an argument",
        )
