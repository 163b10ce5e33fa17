"""Communicators of MPI: the group of processes, and the number of one in it."""

from __future__ import annotations

import ast

from adjointgen.frontend.domain.abstract_values import Abstract, Named, Outside
from adjointgen.frontend.domain.module_tables import Communicator, layout_of
from adjointgen.frontend.functions.inlining import in_module
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Value
from adjointgen.ir.types import INT

_NUMBERS = ("rank", "size", "Get_rank()", "Get_size()")


def number(ctx: Context, owner: Abstract, name: str) -> Value | None:
    """`comm.rank`, `comm.size`, or a method for one; None for others, and other objects."""
    if name not in _NUMBERS or not is_communicator(ctx, owner):
        return None
    return verbatim(ctx, f"_0_.{name}", (read(ctx, owner),), INT, pure=True, effect=False)


def is_communicator(ctx: Context, owner: Abstract) -> bool:
    """Whether an object is known to be one."""
    own = living(ctx, content(ctx, owner))
    if own is not None:
        return isinstance(layout_of(own.value), Communicator)
    match owner:
        case Outside(table=Communicator()) | Named(spelling="mpi4py.MPI.COMM_WORLD"):
            return True
        case Outside(text=text, table=None):
            source = ctx.frame.source
            made = source.resolver.definition(text)
            known = in_module(ctx, source, made) if isinstance(made, ast.expr) else None
            return isinstance(known, Named) and known.spelling == "mpi4py.MPI.COMM_WORLD"
        case Value(name=name):
            return isinstance(ctx.tables.get(name), Communicator)
    return False
