"""Lengths of arguments that a program has to know, and is made for where arguments are at hand."""

from __future__ import annotations

import ast

from adjointgen.frontend.state.context import Context
from adjointgen.ir.types import Dim
from adjointgen.watch import is_watched


def asked(ctx: Context, length: Dim | None) -> str:
    """The symbol to ask for, in a refusal, of a length along an axis of an argument; "" if it is
    none, or the program is for no arguments yet."""
    if length is None or not length.symbol or ctx.outlines.open or not is_watched():
        return ""
    arguments = ast.walk(ctx.frames[0].source.arguments)
    own = {node.arg for node in arguments if isinstance(node, ast.arg)}
    known = length.axis is not None and length.axis[0] in own
    return length.symbol if known else ""
