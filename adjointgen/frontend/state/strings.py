"""Strings that are known when the program is generated, and what is made of them.

`METHODS[name.lower()]`, `f"{kind}_{n}"` and `str(key)` choose what a function computes, so they are
carried out at once. What a float looks like is left to the run.
"""

from __future__ import annotations

import ast
import operator
from functools import partial
from typing import Any

import numpy as np

from adjointgen.frontend.domain.abstract_values import Abstract, Seq, SliceOf
from adjointgen.frontend.domain.constant_bounds import FAILURES, text_fits
from adjointgen.frontend.domain.constant_bounds import fits as bounded
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.set_order import SETS, spelled
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Apply, Const, Dtype, Value
from adjointgen.ir.types import INTEGER, OBJECT
from adjointgen.rules.framework.builder import const


def method(ctx: Context, owner: Abstract, name: str, node: ast.Call) -> Abstract | None:
    """`"text".name(...)` of what is known; None where it is not, or fails."""
    if not (isinstance(owner, Const) and isinstance(owner.value, str)) or node.keywords:
        return None
    given = [_read(ctx, arg) for arg in node.args]
    if None in given:
        return None
    arguments = tuple(value[0] for value in given if value)
    if not text_fits(owner.value, arguments):
        return None
    try:
        found = getattr(owner.value, name)(*arguments)
    except FAILURES:
        # What fails now fails in the user's program too, at the same place.
        return None
    return folded(found)


def _read(ctx: Context, node: ast.expr) -> tuple[Any] | None:
    """What a name or an attribute is known to be, if nothing has to run for that."""
    match node:
        case ast.Constant() | ast.Name():
            return known(ctx, ctx.expression(node))
        case ast.Attribute():
            with ctx.block(ctx.state.fork()) as stmts:
                found = known(ctx, ctx.expression(node))
            return None if stmts else found
    return None


def known(ctx: Context, value: Abstract) -> tuple[Any] | None:
    """A constant that has one text, or a sequence of these."""
    match content(ctx, value):
        case Const(value=str() | bool() | int() | None as single):
            return (single,)
        case Const(value=Dtype(name=name)):
            return (np.dtype(name),)
        case Seq(items=items, kind="list" | "tuple" as kind):
            found = [one for item in items if (one := known(ctx, item))]
            if len(found) < len(items):
                return None
            return ((tuple if kind == "tuple" else list)(one[0] for one in found),)
    return None


def folded(value: Any) -> Abstract | None:
    """The result as a constant."""
    if isinstance(value, list):
        items = [constant(item) for item in value]
        known = [item for item in items if item is not None]
        return Seq(tuple(known), "list") if len(known) == len(items) else None
    return constant(value)


def is_text(seq: Seq) -> bool:
    """Whether there are strings and objects in a list, and nothing else."""
    return all(
        isinstance(item.value, str) if isinstance(item, Const) else is_object(item)
        for item in seq.items
    )


def is_object(value: Abstract) -> bool:
    """Whether this is an object that the program makes: it carries no derivative."""
    return isinstance(value, Value) and value.type.kind == "object"


def as_object(ctx: Context, names: Seq) -> Value:
    """A list of strings and objects, or a set of constants, as an object of the program."""
    made = ctx.value("", OBJECT)
    objects = tuple(item for item in names.items if isinstance(item, Value))
    holes = iter(range(len(objects)))
    parts = (repr(i.value) if isinstance(i, Const) else f"_{next(holes)}_" for i in names.items)
    code = ", ".join(parts)
    code = spelled(code, names.kind) if names.kind in SETS else f"[{code}]"
    options = (("code", code),)
    ctx.add(Apply((made,), "verbatim", objects, options, ctx.span()))
    return made


def part(ctx: Context, base: Abstract, key: Abstract) -> Const | None:
    """`base[key]` of a string; None where either is not known, or there is no such character."""
    if not (isinstance(base, Const) and isinstance(base.value, str)):
        return None
    text = base.value
    match content(ctx, key):
        case Const(value=int() as index) if -len(text) <= index < len(text):
            return const(text[index])
        case SliceOf(lower, upper, step):
            bounds = known(ctx, Seq(tuple(b or const(None) for b in (lower, upper, step))))
            if bounds is not None and bounds[0][2] != 0:
                return const(text[slice(*bounds[0])])
    return None


def interpolated(ctx: Context, template: Abstract, values: Abstract) -> Const | None:
    """`template % values`; how Python and NumPy show an integer (`%r`) is not the same."""
    found = known(ctx, values)
    if not (isinstance(template, Const) and isinstance(template.value, str)) or found is None:
        return None
    text = template.value
    if "%r" in text or "%a" in text or not bounded(operator.mod, text, found[0]):
        return None
    try:
        return const(text % found[0])
    except FAILURES:
        return None


def text(ctx: Context, value: Abstract) -> Const | None:
    """`str(value)`."""
    found = known(ctx, value)
    return None if found is None else const(str(found[0]))


def formatted(ctx: Context, node: ast.JoinedStr) -> Const | None:
    """An f-string of what is known."""
    parts: list[str] = []
    for part in node.values:
        match part:
            case ast.Constant(value=str(fixed)):
                parts.append(fixed)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=spec):
                found = _shown(_read(ctx, value), spec)
                if found is None:
                    return None
                parts.append(found)
            case _:
                return None
    return const("".join(parts))


def _shown(value: tuple[Any] | None, spec: ast.expr | None) -> str | None:
    """A known value in the format that an f-string asks for, if that is known as well."""
    if value is None or spec is None:
        return None if value is None else str(value[0])
    match spec:
        case ast.JoinedStr(values=[ast.Constant(value=str(asked))]) if text_fits(asked, ()):
            try:
                return format(value[0], asked)
            except FAILURES:
                return None
    return None


def fits(ctx: Context, node: ast.JoinedStr) -> bool:
    """Whether an f-string certainly is one, and its parts do nothing else.

    Its numbers take their formats; an array takes none. What is shown of objects is their own code.
    """
    shown = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    return all(_is_plain(ctx, one) for one in shown) and all(map(partial(_takes, ctx), node.values))


def _is_plain(ctx: Context, value: ast.expr) -> bool:
    """Whether this is arithmetic of numbers, which neither fails nor does anything."""
    for part in ast.walk(value):
        match part:
            case ast.Div() | ast.Mod() | ast.FloorDiv() | ast.Pow() | ast.MatMult():
                return False
            case ast.Constant() | ast.BinOp() | ast.UnaryOp() | ast.operator() | ast.unaryop():
                continue
            case ast.Name() | ast.Load():
                continue
        return False
    if isinstance(value, ast.Constant):
        return True
    with ctx.block(ctx.state.fork()):
        found = ctx.expression(value)
        return isinstance(found, Const) or read(ctx, found).type.kind in ("scalar", "array")


def _takes(ctx: Context, part: ast.expr) -> bool:
    if not isinstance(part, ast.FormattedValue) or part.format_spec is None:
        return True
    with ctx.block(ctx.state.fork()):
        type = read(ctx, ctx.expression(part.value)).type
    if type.kind in ("object", "list") or type.dtype == "object":
        return True
    kind = ast.unparse(part.format_spec)[-2:-1]
    of_integers = "dxXobcn" if type.dtype in INTEGER else ""
    return type.is_scalar and (kind in "eEfFgG%" + of_integers or not kind.isalpha())
