"""Equations that a program solves, in a form that can be differentiated.

    x = implicit(found, p) [residual=f]
    r = f(x, p)
    y = settle(x, r, frozen(f_x(x, p)))

is written before a derivative is taken (`expanded`), and taken back afterwards (`collapsed`). What
goes into the solver itself is `frozen`. Of a minimum, the residual is the gradient. The slope is a
tangent of the residual; of several unknowns it is a matrix, one tangent for each of its columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjointgen.analysis.activity import activity
from adjointgen.errors import AdjointgenError
from adjointgen.ir.edit import clone, rebuild, substitute_in
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    walk,
)
from adjointgen.ir.packing import singles
from adjointgen.ir.types import INT
from adjointgen.records import replace
from adjointgen.rules.build import Builder, Names, const
from adjointgen.transform.refuse import refuse
from adjointgen.transform.tangent import tangent

FROZEN = ("frozen", "settle", "settle_all")


def expanded(function: Function) -> Function:
    """The function with its equations written out, where they have a derivative."""
    if not any(isinstance(s, Apply) and s.op == "implicit" for s in walk(function.body)):
        return function
    names = Names.of(function)
    return replace(function, body=_block(function.body, names))


def collapsed(function: Function) -> Function:
    """The function without what `expanded` put into it."""
    if not any(isinstance(s, Apply) and s.op in FROZEN for s in walk(function.body)):
        return function
    return replace(function, body=_without(function.body, {}))


def _without(block: Block, by: dict[str, Operand]) -> Block:
    """A block in which each such value is what it was made of."""
    stmts: list[Stmt] = []
    for stmt in block.stmts:
        stmt = rebuild(
            stmt,
            lambda o: by.get(o.name, o) if isinstance(o, Value) else o,
            lambda inner: _without(inner, by),
        )
        if isinstance(stmt, Apply) and stmt.op in FROZEN:
            by[stmt.result.name] = stmt.args[0]
        else:
            stmts.append(stmt)
    yields = tuple(by.get(y.name, y) if isinstance(y, Value) else y for y in block.yields)
    return Block(block.params, tuple(stmts), yields)


def _block(block: Block, names: Names) -> Block:
    builder, by = Builder(names), dict[str, Operand]()
    for stmt in block.stmts:
        builder.span = stmt.span
        stmt = substitute_in(Block((), (stmt,), ()), by).stmts[0]
        stmt = rebuild(stmt, lambda o: o, lambda inner: _block(inner, names))
        if not isinstance(stmt, Apply) or stmt.op not in ("implicit", "verbatim"):
            builder.add(stmt)
        elif stmt.op == "verbatim":
            builder.add(_with_frozen(builder, stmt) if stmt.option("solver") else stmt)
        else:
            for each in _settled(builder, stmt, by):
                builder.add(each)
    inside = substitute_in(Block((), (), block.yields), by).yields
    return Block(block.params, builder.stmts, inside)


def _with_frozen(builder: Builder, stmt: Apply) -> Apply:
    """A statement that reads its floats as constants."""
    args = tuple(
        builder.apply("frozen", a) if isinstance(a, Value) and a.type.is_differentiable else a
        for a in stmt.args
    )
    return replace(stmt, args=args)


def _settled(builder: Builder, stmt: Apply, by: dict[str, Operand]) -> Iterator[Stmt]:
    """The equation of a value that was found; the value alone where it has no derivative."""
    residual = stmt.option("residual")
    assert isinstance(residual, Function)
    found = _with_frozen(builder, stmt)
    try:
        with builder.block() as made:
            settled = _equation(builder, found.result, stmt.args[1:], residual, stmt)
    except AdjointgenError:
        yield stmt
        return
    by[stmt.result.name] = settled
    yield found
    yield from made


def _equation(
    builder: Builder, x: Value, given: tuple[Operand, ...], residual: Function, stmt: Apply
) -> Value:
    names = builder.names
    residual = expanded(residual)
    if stmt.option("minimal"):
        residual = _gradient(residual, names)
    (r,) = _called(builder, residual, (x, *given))
    if x.type.is_scalar:
        (slope,) = _called(builder, _along(residual), (x, *given, const(1.0)))
        return _named(builder, "settle", x, r, slope)
    jacobian = _columns(builder, residual, x, given)
    return _named(builder, "settle_all", x, r, jacobian)


def _named(builder: Builder, op: str, x: Value, r: Operand, slope: Operand) -> Value:
    held = builder.apply("frozen", slope)
    return builder.apply(op, x, r, held, root=x.root)


def _along(function: Function) -> Function:
    """The derivative by the first parameter in a direction, which is one more parameter."""
    facts = activity(function, function.body.params[:1])
    refuse(function, facts)
    made = tangent(function, singles(function.body.params[:1]), facts)
    return replace(made, body=replace(made.body, yields=made.body.yields[1:]))


def _called(builder: Builder, function: Function, args: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """The results of a function whose body is copied here."""
    body = clone(function.body, builder.names.fresh)
    given = {p.name: a for p, a in zip(body.params, args, strict=True)}
    body = substitute_in(replace(body, params=()), given)
    for stmt in body.stmts:
        builder.add(stmt)
    return body.yields


def _over(builder: Builder, x: Operand, init: Value, step: Any) -> Value:
    """A loop over the unknowns: `step` gives the next value from the index and the last one."""
    number = builder.apply("dim", x, axis=0)
    index = builder.value("", INT, "k")
    held = builder.value("", init.type, "t")
    result = builder.value("", init.type, "t")
    with builder.block() as made:
        end = step(index, held)
    body = Block((held,), tuple(made), (end,))
    bounds = (const(0), number, const(1))
    builder.add(Loop((result,), index, bounds, (init,), body, span=builder.span))
    return result


def _unit(builder: Builder, x: Operand, index: Value) -> Value:
    zeros = builder.apply("zeros_like", x)
    return builder.apply("store", zeros, const(1.0), index, index="_")


def _columns(builder: Builder, residual: Function, x: Value, given: tuple[Operand, ...]) -> Value:
    """The derivative of the residual by the unknowns, column by column."""
    along = _along(residual)
    number = builder.apply("dim", x, axis=0)

    def step(index: Value, held: Value) -> Operand:
        (column,) = _called(builder, along, (x, *given, _unit(builder, x, index)))
        return builder.apply("store", held, column, index, index=":, _")

    return _over(builder, x, builder.apply("zeros", number, number), step)


def _gradient(function: Function, names: Names) -> Function:
    """The gradient of a function of one or several unknowns, as a residual."""
    along, builder = _along(function), Builder(names)
    params = function.body.params
    x, given = params[0], params[1:]
    if x.type.is_scalar:
        ends = _called(builder, along, (x, *given, const(1.0)))
    else:

        def step(index: Value, held: Value) -> Operand:
            (entry,) = _called(builder, along, (x, *given, _unit(builder, x, index)))
            return builder.apply("store", held, entry, index, index="_")

        ends = (_over(builder, x, builder.apply("zeros_like", x), step),)
    return replace(function, body=Block(params, builder.stmts, ends))
