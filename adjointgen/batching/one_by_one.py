"""Many directions one by one, where they cannot be followed at once: a loop around the program.

    f(x, x_dot):                        f(x, x_dot):            # x_dot (k, n)
        y_dot = g(x, x_dot)      ->         y_dots = np.zeros((k, m))
        return y_dot                        for i in range(k):
                                                y_dots[i] = g(x, x_dot[i])
                                            return y_dots

It has the axes of the batched program, in whose place it stands. A program that does more than
compute would do it for each direction, and has no such form.
"""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.batching.axis_symbols import renumbered
from adjointgen.ir.edit import is_check, substitute_in, with_values
from adjointgen.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    walk,
)
from adjointgen.ir.types import INT, Dim, Type
from adjointgen.records import replace
from adjointgen.rules.framework.batching import not_batched
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.rules.framework.table import TABLE


def one_by_one(function: Function, seeds: Collection[str], ends: Collection[int]) -> Function:
    """The program over a batch axis of its seeds; the results at these places have one, too.

    Raises NotBatched (AG143) for one that does more than compute, or whose results have lengths
    that are not those of arguments.
    """
    if any(map(_does_more, walk(function.body))):
        not_batched("the program does more than compute")
    body = with_values(function.body, lambda value: _measured(value, seeds))
    return replace(function, body=_Loop(function, body, seeds).made(ends))


class _Loop:
    """The loop, while it is built."""

    def __init__(self, function: Function, body: Block, seeds: Collection[str]) -> None:
        self.builder, self.body = Builder(Names.of(function)), body
        first = next(p.root for p in body.params if p.root in seeds)
        self.count = Dim(f"{first}.0")
        self.wide = {p.name: self.widened(p) for p in body.params if p.root in seeds}
        self.params = {p.root: p for p in body.params}

    def widened(self, seed: Value) -> Value:
        """A seed with an axis for all directions."""
        shape = (self.count, *(seed.type.shape or ()))
        name = self.builder.names.fresh(f"{seed.root}_rows")
        return Value(name, Type(seed.type.dtype, shape, "array"), seed.root)

    def made(self, ends: Collection[int]) -> Block:
        """The body with the loop in the place of its statements."""
        builder, body = self.builder, self.body
        params = tuple(self.wide.get(p.name, p) for p in body.params)
        first = [stmt for stmt in body.stmts if self.comes_first(stmt)]
        rest = replace(body, params=(), stmts=tuple(s for s in body.stmts if s not in first))
        for stmt in first:
            builder.add(stmt)
        number = builder.apply("dim", next(iter(self.wide.values())), stem="directions", axis=0)
        inits = [self.init(y, k in ends, number) for k, y in enumerate(body.yields)]
        held = [builder.value(_root(i), i.type, "row") for i in inits]
        results = [builder.value(_root(i), i.type, "rows") for i in inits]
        index = builder.value("", INT, "k")
        with builder.block() as inner:
            given = {n: builder.apply("load", w, index, index="_") for n, w in self.wide.items()}
            for stmt in substitute_in(rest, given).stmts:
                builder.add(stmt)
            nexts = [
                self.next(given.get(getattr(y, "name", ""), y), held[k], index, k in ends)
                for k, y in enumerate(body.yields)
            ]
        inside = Block(tuple(held), tuple(inner), tuple(nexts))
        bounds = const(0), number, const(1)
        builder.add(Loop(tuple(results), index, bounds, tuple(inits), inside))
        return Block(params, builder.stmts, tuple(results))

    def comes_first(self, stmt: Stmt) -> bool:
        """Whether a statement is a check, or reads a part of a structure: it is before the loop."""
        if not isinstance(stmt, Apply) or is_check(stmt):
            return isinstance(stmt, Apply)
        names = {p.name for p in self.params.values()} - {*self.wide}
        return bool(stmt.option("pure")) and all(
            isinstance(a, Const) or a.name in names for a in stmt.args
        )

    def init(self, y: Operand, wide: bool, number: Operand) -> Operand:
        """What a result is before the loop: zeros for all directions, or nothing yet."""
        if not wide:
            return Const(UNDEFINED, y.type)
        if y.type.kind not in ("scalar", "array") or y.type.shape is None:
            not_batched("a result is no number or array")
        lengths = [self.length(dim) for dim in y.type.shape]
        dtype = {} if y.type.dtype == "float64" else {"dtype": y.type.dtype}
        zeros = self.builder.apply("zeros", number, *lengths, stem="rows", **dtype)
        root = y.root if isinstance(y, Value) and y.root not in self.params else ""
        return self.builder.rename(zeros, root, "rows")

    def next(self, y: Operand, held: Value, index: Value, wide: bool) -> Operand:
        """The result after one more direction."""
        if not wide:
            return y
        return self.builder.apply("store", held, y, index, root=held.root, index="_")

    def length(self, dim: Dim | None) -> Operand:
        """A length as it is read from an argument. Raises NotBatched where that cannot be."""
        if dim is not None and dim.known is not None:
            return const(dim.known)
        own = None if dim is None else dim.axis
        name = own[0] if own is not None else "" if dim is None else dim.symbol
        param = self.params.get(name)
        if dim is None or param is None:
            not_batched("the lengths of a result are not those of arguments")
        found: Operand = param
        if own is not None:
            wide = self.wide.get(param.name, param)
            found = self.builder.apply("dim", wide, axis=own[1])
        return self.builder.apply("add", found, const(dim.offset)) if dim.offset else found


def _root(operand: Operand) -> str:
    return operand.root if isinstance(operand, Value) else ""


def _does_more(stmt: Stmt) -> bool:
    """Whether a statement is one that a caller notices, but for exceptions."""
    if not isinstance(stmt, Apply) or is_check(stmt):
        return False
    row = TABLE.get(stmt.op)
    for_the_reader = row.kind == "constant" and not stmt.args and not stmt.results
    return row.effect and not for_the_reader and not stmt.option("pure")


def _measured(value: Value, seeds: Collection[str]) -> Value:
    """A value with the lengths of seeds by their axes behind that of the directions."""
    moved = renumbered(value.type, lambda name, axis: axis + (name in seeds))
    return replace(value, type=moved)
