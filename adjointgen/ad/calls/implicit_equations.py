"""Equations that a program solves, in a form that can be differentiated.

    x = implicit(found, p) [residual=f]
    r = f(x, p)
    y = settle(x, r, frozen(f_x(x, p)))

is written before a derivative is taken (`expanded`), and taken back afterwards
(`directional_terms.collapsed`). What goes into the solver itself is `frozen`. Of a minimum, the
residual is the gradient. The slope is a tangent of the residual; of several unknowns it is a
matrix, one tangent for each of its columns. Of an integral, the derivative is stated by values that
are integrals again (Leibniz).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from adjointgen.ad.calls.directional_terms import Args, More, along, called, frozen, over, unit
from adjointgen.ad.calls.ode_sensitivities import flow
from adjointgen.ad.calls.quadrature_derivative import integral
from adjointgen.errors import AdjointgenError
from adjointgen.ir.edit import rebuild, substitute_in
from adjointgen.ir.nodes import Apply, Block, Function, Operand, Stmt, Value, walk
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names, const


def expanded(function: Function, more: More) -> Function:
    """The function with its equations written out, where they have a derivative.

    The functions that are called for it are added to `more`.
    """
    if not any(isinstance(s, Apply) and s.op == "implicit" for s in walk(function.body)):
        return function
    names = Names.of(function)
    return replace(function, body=_block(function.body, names, more))


def _block(block: Block, names: Names, more: More) -> Block:
    builder, by = Builder(names), dict[str, Operand]()
    for stmt in block.stmts:
        builder.span = stmt.span
        stmt = substitute_in(Block((), (stmt,), ()), by).stmts[0]
        stmt = rebuild(stmt, lambda o: o, lambda inner: _block(inner, names, more))
        if not isinstance(stmt, Apply) or stmt.op not in ("implicit", "verbatim"):
            builder.add(stmt)
        elif stmt.op == "verbatim":
            builder.add(_with_frozen(builder, stmt) if stmt.option("solver") else stmt)
        else:
            for each in _settled(builder, stmt, by, more):
                builder.add(each)
    inside = substitute_in(Block((), (), block.yields), by).yields
    return Block(block.params, builder.stmts, inside)


def _with_frozen(builder: Builder, stmt: Apply) -> Apply:
    """A statement that reads its floats as constants."""
    return replace(stmt, args=tuple(frozen(builder, a) for a in stmt.args))


def _settled(builder: Builder, stmt: Apply, by: dict[str, Operand], more: More) -> Iterator[Stmt]:
    """The equation of a value that was found; the value alone where it has no derivative."""
    residual = stmt.option("residual")
    assert isinstance(residual, Function)
    found = _with_frozen(builder, stmt)
    try:
        with builder.block() as made:
            residual = expanded(residual, more)
            write = FORMS.get(str(stmt.option("form")), _equation)
            settled = write(builder, found, stmt.args[1:], residual, more)
    except AdjointgenError:
        yield stmt
        return
    by[stmt.result.name] = settled
    yield found
    yield from made


def _equation(builder: Builder, found: Apply, given: Args, residual: Function, more: More) -> Value:
    """`x` corrected by what is zero there, or by the gradient of what is least."""
    x = found.result
    if found.option("form") == "minimum":
        residual = expanded(_gradient(residual, builder.names), more)
    (r,) = called(builder, residual, (x, *given))
    if x.type.is_scalar:
        (slope,) = called(builder, along(residual), (x, *given, const(1.0)))
        return _named(builder, "settle", x, r, slope)
    return _named(builder, "settle_all", x, r, _columns(builder, residual, x, given))


def _named(builder: Builder, op: str, x: Value, r: Operand, slope: Operand) -> Value:
    held = builder.apply("frozen", slope)
    return builder.apply(op, x, r, held, root=x.root)


def _columns(builder: Builder, residual: Function, x: Value, given: Args) -> Value:
    """The derivative of the residual by the unknowns, column by column."""
    slope = along(residual)
    number = builder.apply("dim", x, axis=0)

    def step(index: Value, held: Value) -> Operand:
        (column,) = called(builder, slope, (x, *given, unit(builder, x, index)))
        return builder.apply("store", held, column, index, index=":, _")

    return over(builder, x, builder.apply("zeros", number, number), step)


def _gradient(function: Function, names: Names) -> Function:
    """The gradient of a function of one or several unknowns, as a residual."""
    slope, builder = along(function), Builder(names)
    params = function.body.params
    x, given = params[0], params[1:]
    if x.type.is_scalar:
        ends = called(builder, slope, (x, *given, const(1.0)))
    else:

        def step(index: Value, held: Value) -> Operand:
            (entry,) = called(builder, slope, (x, *given, unit(builder, x, index)))
            return builder.apply("store", held, entry, index, index="_")

        ends = (over(builder, x, builder.apply("zeros_like", x), step),)
    return replace(function, body=Block(params, builder.stmts, ends))


FORMS: Final[Mapping[str, Callable[[Builder, Apply, Args, Function, More], Value]]] = {
    "integral": integral,
    "flow": flow,
}
