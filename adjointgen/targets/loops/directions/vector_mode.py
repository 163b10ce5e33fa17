"""Vector mode: several directions at once; what does not depend on them is computed once.

    for k in range(n):                          for k in range(n):
        t_dot = a[k] * x_dot[k]                     t = b[k] * x[k]
        t = b[k] * x[k]                  ->         for q in range(26):
        y_dot[k] = t * t_dot                            t_dot = a[k] * x_dot[k, q]
                                                        y_dot[k, q] = t * t_dot

Every derivative has one axis more, its last. The statements on numbers that follow from the seeds
(`direction_dependence.py`) gather in one loop over the directions, behind the others of their
block: values have no storage here, so that no order can be wrong. A number that is read outside of
its loop is an entry of an array; a loop of a few iterations that carries one is put into the loop
over the directions instead, which leaves it a number. That inner loop has neighbours in memory as
its entries, so it is one that compilers vectorise. (Vector forward and reverse modes: Griewank and
Walther 2008, chapter 3.)
"""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.costs import INSIDE_DIRECTIONS
from adjointgen.ir.edit import carried, rebuild, with_columns
from adjointgen.ir.nodes import (
    NESTED,
    STORES,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    results_of,
)
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const
from adjointgen.targets.loops.directions.direction_dependence import (
    not_several,
    touches,
    wide_type,
    wide_values,
)
from adjointgen.targets.loops.directions.direction_loops import Run, Whole

MADE = ("zeros", "empty")


def several(function: Function, seeds: Sequence[str], ends: Sequence[int], count: int) -> Function:
    """The program with `count` seeds at once; `ends` are the positions of its derivatives.

    Raises NotSeveral where it can follow them only one by one.
    """
    yields = [function.body.yields[k] for k in ends]
    if any(isinstance(y, Const) for y in yields):
        raise not_several()
    wide = wide_values(function, seeds, [y.name for y in yields if isinstance(y, Value)])
    values = (y for k, y in enumerate(function.body.yields) if k not in ends)
    if any(isinstance(y, Value) and y.name in wide for y in values):
        raise not_several()
    work = _Several(function, wide, count)
    body = work.block(function.body)
    return replace(function, body=body)


class _Several(Whole):
    """One walk over the blocks."""

    def block(self, block: Block) -> Block:
        run: list[Stmt] = []
        waiting: set[str] = set()

        def flush() -> None:
            if run:
                Run(self, run).add()
            run.clear()
            waiting.clear()

        with self.builder.block() as made:
            for stmt in block.stmts:
                self.builder.span = stmt.span
                if not touches(stmt, self.wide):
                    self.builder.add(stmt)
                elif self.is_pointwise(stmt):
                    run.append(stmt)
                    waiting |= {r.name for r in results_of(stmt)}
                elif isinstance(stmt, Loop) and self.is_inner(stmt):
                    passive = self.without(stmt)
                    if passive is not None:
                        self.builder.add(passive)
                    run.append(stmt)
                    waiting |= {r.name for r in results_of(stmt)}
                else:
                    if touches(stmt, waiting):
                        flush()
                    self.builder.add(self.whole(stmt))
            flush()
        params = tuple(map(self.value, block.params))
        return Block(params, tuple(made), tuple(map(self.operand, block.yields)))

    def is_pointwise(self, stmt: Stmt) -> bool:
        """Whether a statement is one on numbers, for each direction the same."""
        match stmt:
            case Apply(op="load", results=(result,)):
                return result.type.is_scalar
            case Apply(op=op, args=(base, stored, *_), options=options) if op in STORES:
                index = str(dict(options)["index"])
                full = len(index.split(",")) == base.type.rank
                return stored.type.is_scalar and full and not any(c in index for c in ":.N")
            case Apply(results=(result,), args=args):
                return all(t.is_scalar for t in (result.type, *(a.type for a in args)))
        return False

    def is_inner(self, loop: Loop) -> bool:
        """Whether a loop of few iterations carries numbers that are wide, and no other array."""
        bounds = [b.value for b in loop.bounds if isinstance(b, Const) and type(b.value) is int]
        if loop.trips is not None or len(bounds) < 3 or not bounds[2]:
            return False
        kept = [p for p in loop.body.params if p.type.is_array and p.name not in self.wide]
        counts = any(p.type.is_scalar and p.name in self.wide for p in loop.body.params)
        few = len(range(*bounds)) <= INSIDE_DIRECTIONS and not kept
        return few and counts and all(self.fits(s) for s in loop.body.stmts)

    def fits(self, stmt: Stmt) -> bool:
        """Whether a statement can stand in the loop over the directions."""
        if not touches(stmt, self.wide):
            return isinstance(stmt, Apply) and stmt.op not in STORES
        return self.is_pointwise(stmt) or (isinstance(stmt, Loop) and self.is_inner(stmt))

    def without(self, loop: Loop) -> Loop | None:
        """What is left of a loop without anything wide."""
        columns = [k for k, p in enumerate(loop.body.params) if p.name not in self.wide]
        if not columns:
            return None
        rest = with_columns(loop, columns)
        assert isinstance(rest, Loop)
        stmts: list[Stmt] = []
        for stmt in rest.body.stmts:
            inner = stmt
            if touches(stmt, self.wide):
                found = self.without(stmt) if isinstance(stmt, Loop) else None
                if found is None:
                    continue
                inner = found
            stmts.append(inner)
        return replace(rest, body=replace(rest.body, stmts=tuple(stmts)))

    def whole(self, stmt: Stmt) -> Stmt:
        """A statement that is not on numbers alone."""
        if isinstance(stmt, NESTED):
            return self.nested(stmt)
        if not isinstance(stmt, Apply):
            raise not_several()
        match stmt.op:
            case "dim":
                return rebuild(stmt, self.operand, lambda b: b)
            case op if op in MADE:
                args = (*stmt.args, const(self.count))
                return replace(stmt, args=args, results=(self.value(stmt.result),))
            case "load" | "copy" | "zeros_like" if stmt.args[0].type.is_array:
                self.require(stmt.args[0])
            case op if op in STORES:
                base, stored = stmt.args[:2]
                self.require(base)
                if isinstance(stored, Value) and (
                    stored.type.is_scalar or stored.name in self.wide
                ):
                    self.require(stored)
                if isinstance(stored, Value) and stored.type.is_scalar:
                    raise not_several()
            case _:
                raise not_several()
        return rebuild(stmt, self.operand, lambda b: b, self.value)

    def require(self, operand: Operand) -> None:
        if not isinstance(operand, Value) or operand.name not in self.wide:
            raise not_several()

    def nested(self, stmt: Loop | While | Branch) -> Stmt:
        """A loop or branch around loops over the directions."""
        if isinstance(stmt, Branch):
            results = stmt.results
            then, orelse = (
                self.ending(self.block(b), b, results) for b in (stmt.then, stmt.orelse)
            )
            results = tuple(map(self.value, results))
            return replace(stmt, results=results, then=then, orelse=orelse)
        inits = tuple(self.meeting(init, param) for param, init, _, _ in carried(stmt))
        for param, _, end, _ in carried(stmt):
            if isinstance(end, Value) and param.type.is_scalar and param.name in self.wide:
                self.homes[end.name] = param
        flags = (*stmt.body.yields[: len(stmt.body.yields) - len(inits)],)
        ends = (*(None for _ in flags), *stmt.body.params)
        body = self.ending(self.block(stmt.body), stmt.body, ends)
        results = tuple(map(self.value, stmt.results))
        if isinstance(stmt, Loop):
            return replace(stmt, inits=inits, body=body, results=results)
        return replace(stmt, inits=inits, body=body, results=results, test=self.block(stmt.test))

    def ending(self, made: Block, block: Block, ends: Sequence[Value | None]) -> Block:
        """A block whose yields are as wide as what they become."""
        with self.builder.block() as more:
            yields = tuple(
                y if end is None else self.meeting(y, end)
                for y, end in zip(block.yields, ends, strict=True)
            )
        return replace(made, stmts=(*made.stmts, *more), yields=yields)

    def meeting(self, operand: Operand, end: Value) -> Operand:
        """An operand as wide as what it becomes."""
        if end.name not in self.wide or (isinstance(operand, Value) and operand.name in self.wide):
            return self.operand(operand)
        if not operand.type.is_scalar:
            raise not_several()
        filled = self.builder.apply("full", const(self.count), operand, stem="t")
        return self.builder.retyped(filled, wide_type(end.type, self.count))
