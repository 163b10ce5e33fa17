"""Statements of the user's in the reverse sweep: the identity, whose adjoint they see or change.

    z = adjoint_of(y)       z_dot = y_dot       y_bar += what the statement makes of z_bar

Where the operation stands, all that reads `y` later reads `z`, so `z_bar` is complete when the
reverse sweep comes there. The statement is the user's code (`hook`), of `z_bar` and of what else it
reads: an expression for the new adjoint, or a statement that may write to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjointgen.ir.nodes import Apply, Const, Stmt
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.type_rules import Options, Types


def _same(types: Types, options: Options) -> Types:
    return (types[0],)


def _tangent(b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Any) -> Any:
    """`z_dot = y_dot`."""
    return dots[0]


def _adjoint(b: Builder, y: Any, y_bar: Any, args: Sequence[Any], options: Any) -> Sequence[Any]:
    bar = b.lower(y_bar)
    operands = (bar, *(b.lower(a) for a in args[1:]))
    code = (("code", options["hook"]),)
    left = [None] * (len(args) - 1)
    if not options["hook"]:
        return [y_bar, *left]
    if options["gives"]:
        new = b.value("", bar.type, options["bar"])
        b.add(Apply((new,), "verbatim", operands, code, b.span))
        return [b.handle(new), *left]
    if isinstance(bar, Const) or not bar.type.is_array:
        b.add(Apply((), "statement", operands, code, b.span))
        return [b.handle(bar), *left]
    new = b.value("", bar.type, options["bar"])
    b.add(Apply((new,), "statement", operands, (*code, ("writes", (0,))), b.span))
    return [b.handle(new), *left]


def is_hook(stmt: Stmt) -> bool:
    """Whether a statement is the operation."""
    return isinstance(stmt, Apply) and stmt.op == "adjoint_of"


general(
    "adjoint_of",
    "y, *read..., hook='', bar='', gives=False",
    [],
    _tangent,
    _adjoint,
    infer=_same,
    domain=[("float64",), ("float64[3]",)],
    code="_0_",
    view="same",
    cost=0,
)
