"""Values that are the very objects of the user's program, of the same class.

    v = 1 if n > 2 else 2.5         a program has the number 1.0 where the function has 1

Code that runs as it stands may ask for the class of what it is given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from adjointgen.frontend.domain.abstract_values import Abstract, Seq, Struct
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Value

_KEY: Final = "unchanged"


def unchanged(ctx: Context, values: Iterable[Value]) -> None:
    """Note numbers that are so: arguments of the user's, and what has been tested for its class."""
    ctx.memo |= {(_KEY, value.name): True for value in values if value.type.is_scalar}


def check_unchanged(ctx: Context, node: ast.AST, values: Iterable[Abstract]) -> None:
    """Refuse code that runs as it stands of what may be of another class in the user's program."""
    for value in values:
        if not _is_unchanged(ctx, value):
            what = "code that runs as it stands is given a number that may be of another class"
            ctx.refuse("AG102", what, "move it into a function of its own", node=node)


def _is_unchanged(ctx: Context, value: Abstract) -> bool:
    known = content(ctx, value)
    if isinstance(known, Seq | Struct):
        return all(_is_unchanged(ctx, item) for item in known.items)
    if isinstance(known, Value):
        return known.type.kind == "object" or (_KEY, known.name) in ctx.memo
    return isinstance(known, Const) or read(ctx, value).type.kind == "object"
