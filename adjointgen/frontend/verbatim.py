"""The user's code as it stands: its text, with the local variables replaced by operands.

`print(x, y.sum())` becomes the statement `print(_0_, _1_.sum())` of the operands `x` and `y`. It
has no derivative, so the transforms refuse it where an operand is active; everything that the
frontend does not understand goes this way, which is why not understanding is never silently wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from adjointgen.frontend.cells import read, write
from adjointgen.frontend.context import Context
from adjointgen.frontend.source import lines_of
from adjointgen.frontend.tables import Table, as_array, part_of
from adjointgen.frontend.values import (
    ABSENT,
    Absent,
    Abstract,
    Closure,
    Method,
    Module,
    Named,
    Outside,
    Partial,
    Range,
    Ref,
    Seq,
    SliceOf,
    Zipped,
)
from adjointgen.ir.nodes import Apply, Const, Operand, Value
from adjointgen.ir.types import OBJECT, Type
from adjointgen.rules.build import const


class Holes:
    """The operands of a piece of code, each with its number, and the storage behind it."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.operands: list[Operand] = []
        self.refs: list[Ref | None] = []
        self.outside: list[str] = []

    def fill(self, value: Abstract) -> str:
        """The text that stands for a value."""
        match value:
            case Seq(items=items, kind=kind):
                inner = self._all(items)
                closing = "," if len(items) == 1 else ""
                return f"[{inner}]" if kind == "list" else f"({inner}{closing})"
            case Range(start, stop, step):
                return f"range({self._all((start, stop, step))})"
            case SliceOf(lower, upper, step):
                none = const(None)
                return f"slice({self._all([b or none for b in (lower, upper, step)])})"
            case Zipped(how, parts, start):
                return f"{how}({self._all(parts if start is None else (*parts, start))})"
            case Method(owner=owner, name=name):
                return f"{self.fill(owner)}.{name}"
            case Module() | Named() | Outside():
                if value.line:
                    self.ctx.imports[value.line] = None
                if isinstance(value, Outside) and value.text not in self.outside:
                    self.outside.append(value.text)
                return value.text
            case Ref(cell=cell, steps=()) if isinstance(held := self.ctx.state.cells[cell], Seq):
                return self.fill(held)
            case Closure(source=source):
                what = f"the function {source.name} is passed on as a value"
                self.ctx.refuse("AG102", what, "call it here, or write the loop out")
            case Partial(function=function):
                return self.fill(function)
            case _:
                return self._operand(value)

    def _all(self, values: Iterable[Abstract]) -> str:
        return ", ".join([self.fill(v) for v in values])

    def keeping(self) -> dict[str, Any]:
        """The options of code that may put what it is given into the objects that it names."""
        keeps = tuple(k for k, o in enumerate(self.operands) if o.type.kind == "object")
        given = [o for o in self.operands if "object" in (o.type.kind, o.type.dtype)]
        given += [o for o in self.operands if o.type.is_differentiable]
        options = {"keeps": keeps if len(given) > 1 else (), "outside": tuple(self.outside)}
        return {name: value for name, value in options.items() if value}

    def _operand(self, value: Abstract) -> str:
        operand = read(self.ctx, value)
        if operand not in self.operands:
            self.operands.append(operand)
            self.refs.append(value if isinstance(value, Ref) else None)
        return f"_{self.operands.index(operand)}_"


def template(ctx: Context, node: ast.AST, holes: Holes) -> str:
    """The text of a node with its local variables and folded constants replaced."""
    bound = _bound_inside(node)
    swaps: list[tuple[int, int, str]] = []
    text = ctx.text(node)
    for name in ast.walk(node):
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and name.id not in bound:
            value = lookup(ctx, name.id)
            if isinstance(value, Absent):
                ctx.refuse("AG102", f"{name.id} is not defined here", "define it above", node=name)
            at = _offset(ctx, node, name)
            length = len(ctx.text(name))
            swaps.append((at, at + length, holes.fill(value)))
    for at, end, new in sorted(set(swaps), reverse=True):
        text = text[:at] + new + text[end:]
    return text


def _bound_inside(node: ast.AST) -> frozenset[str]:
    """Names that comprehensions and lambdas inside bind for themselves."""
    names = {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    names |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    caught = (n.name for n in ast.walk(node) if isinstance(n, ast.ExceptHandler | ast.MatchAs))
    return frozenset(names | {name for name in caught if name})


def _offset(ctx: Context, outer: ast.AST, inner: ast.AST) -> int:
    """Where the text of a node starts in that of a node around it."""
    start, place = ctx.span(outer), ctx.span(inner)
    assert start is not None and place is not None
    lines = lines_of(ctx.frame.source.text)[start.line - 1 : place.line - 1]
    return sum(len(line) + 1 for line in lines) + place.column - start.column


def lookup(ctx: Context, name: str) -> Abstract:
    """What a name stands for: local, of an enclosing function, global or built in."""
    found = ctx.get(name)
    if found != ABSENT or name in ctx.frame.locals:
        return found
    resolver = ctx.frame.source.resolver
    found = resolver.find(name)
    if isinstance(found, Outside) and found.type == OBJECT:
        made = resolver.definition(name)
        if made is not None:
            return Outside(name, ctx.actions["evaluated"](ctx, made), found.line)
    if isinstance(found, Const):
        ctx.folded[name] = found.value
    elif isinstance(found, Seq):
        ctx.folded[name] = tuple(i.value if isinstance(i, Const) else str(i) for i in found.items)
    return found


def verbatim(
    ctx: Context,
    code: str,
    operands: Sequence[Operand],
    type: Type = OBJECT,
    refs: Sequence[Ref | None] = (),
    **options: object,
) -> Value:
    """Append an expression of the user's; the arrays in `refs` are taken to be written."""
    writes = _written(operands, refs)
    result = ctx.value("", type)
    news = tuple(ctx.value("", operands[k].type) for k in writes)
    options |= {"code": code} | ({"writes": writes} if writes else {})
    ctx.add(
        Apply(
            (result, *news), "verbatim", tuple(operands), tuple(sorted(options.items())), ctx.span()
        )
    )
    _write_back(ctx, writes, refs, news)
    return result


def from_table(
    ctx: Context, base: Operand, code: str, operands: Sequence[Operand], key: object
) -> Value:
    """An expression that takes an entry out of `base`; its type where the module's table says."""
    table = ctx.tables.get(base.name) if isinstance(base, Value) else None
    found = part_of(table, key) if table is not None else None
    result = verbatim(ctx, code, operands, found if isinstance(found, Type) else OBJECT)
    if isinstance(found, Table):
        ctx.tables[result.name] = found
    return result


def numeric(ctx: Context, operand: Operand) -> Operand:
    """A table of the module as the array that NumPy makes of it, if it is one of numbers."""
    table = ctx.tables.get(operand.name) if isinstance(operand, Value) else None
    type = as_array(table)
    if type is None:
        return operand
    ctx.imports["import numpy as np"] = None
    return verbatim(ctx, "np.asarray(_0_)", (operand,), type, pure=True)


def statement(
    ctx: Context,
    code: str,
    operands: Sequence[Operand],
    refs: Sequence[Ref | None] = (),
    **options: object,
) -> None:
    """Append a statement of the user's."""
    writes = _written(operands, refs)
    news = tuple(ctx.value("", operands[k].type) for k in writes)
    options |= {"code": code} | ({"writes": writes} if writes else {})
    ctx.add(Apply(news, "statement", tuple(operands), tuple(sorted(options.items())), ctx.span()))
    _write_back(ctx, writes, refs, news)


def _written(operands: Sequence[Operand], refs: Sequence[Ref | None]) -> tuple[int, ...]:
    return tuple(
        k
        for k, ref in enumerate(refs)
        if ref is not None and operands[k].type.kind in ("array", "list")
    )


def _write_back(
    ctx: Context, writes: Sequence[int], refs: Sequence[Ref | None], news: Sequence[Value]
) -> None:
    for k, new in zip(writes, news, strict=True):
        ref = refs[k]
        assert ref is not None
        write(ctx, ref, new)


def expression(ctx: Context, node: ast.AST, type: Type = OBJECT, pure: bool = False) -> Value:
    """An expression that is copied as it stands."""
    holes = Holes(ctx)
    code = template(ctx, node, holes)
    options = {"pure": True} if pure else holes.keeping()
    return verbatim(ctx, code, holes.operands, type, () if pure else holes.refs, **options)


def member(ctx: Context, method: Method) -> Value:
    """An attribute of an object, as a value."""
    holes = Holes(ctx)
    return verbatim(ctx, holes.fill(method), holes.operands)
