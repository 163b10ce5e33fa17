"""Equations that a program solves, in a form that can be differentiated.

    x = implicit(found, p) [residual=f]
    r = f(x, p)
    y = settle(x, r, frozen(f_x(x, p)))

is written before a derivative is taken (`expanded`), and taken back afterwards (`collapsed`). What
goes into the solver itself is `frozen`. Of a minimum, the residual is the gradient. The slope is a
tangent of the residual; of several unknowns it is a matrix, one tangent for each of its columns. Of
an integral, the derivative is stated by values that are integrals again (Leibniz).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjointgen.analysis.activity import activity
from adjointgen.errors import AdjointgenError, Unsupported
from adjointgen.ir.edit import copied, rebuild, substitute_in
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Function,
    Leaf,
    Loop,
    Operand,
    Stmt,
    Value,
    walk,
)
from adjointgen.ir.packing import singles
from adjointgen.ir.types import FLOAT, INT
from adjointgen.records import dataclass, replace
from adjointgen.rules.build import Builder, Names, const
from adjointgen.transform.refuse import refuse
from adjointgen.transform.tangent import tangent

Args = tuple[Operand, ...]
More = dict[str, Function]
FROZEN = ("frozen", "settle", "settle_all", "corrected")


def expanded(function: Function, more: More) -> Function:
    """The function with its equations written out, where they have a derivative.

    The functions that are called for it are added to `more`.
    """
    if not any(isinstance(s, Apply) and s.op == "implicit" for s in walk(function.body)):
        return function
    names = Names.of(function)
    return replace(function, body=_block(function.body, names, more))


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
    return replace(stmt, args=tuple(_frozen(builder, a) for a in stmt.args))


def _frozen(builder: Builder, operand: Operand) -> Operand:
    active = isinstance(operand, Value) and operand.type.is_differentiable
    return builder.apply("frozen", operand) if active else operand


def _settled(builder: Builder, stmt: Apply, by: dict[str, Operand], more: More) -> Iterator[Stmt]:
    """The equation of a value that was found; the value alone where it has no derivative."""
    residual = stmt.option("residual")
    assert isinstance(residual, Function)
    found = _with_frozen(builder, stmt)
    try:
        with builder.block() as made:
            residual = expanded(residual, more)
            write = _integral if stmt.option("form") == "integral" else _equation
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
        residual = _gradient(residual, builder.names)
    (r,) = _called(builder, residual, (x, *given))
    if x.type.is_scalar:
        (slope,) = _called(builder, _along(residual), (x, *given, const(1.0)))
        return _named(builder, "settle", x, r, slope)
    return _named(builder, "settle_all", x, r, _columns(builder, residual, x, given))


def _integral(
    builder: Builder, found: Apply, given: Args, integrand: Function, more: More
) -> Value:
    """`x` with what has the derivative of the integral: the integrand at the ends times these, and
    each value that is read times the integral of the derivative by it."""
    terms: list[Operand] = []
    for end, sign in zip(given[:2], ("neg", ""), strict=True):
        if isinstance(end, Value) and end.type.is_differentiable:
            (height,) = _called(builder, integrand, (end, *given[2:]))
            height = builder.apply(sign, height) if sign else height
            terms.append(builder.apply("mul", builder.apply("frozen", height), end))
    work = _Leibniz(builder, found, given, integrand, more)
    terms += [work.term(k) for k, p in enumerate(given[2:]) if p.type.is_differentiable]
    total = terms[0] if terms else const(0.0)
    for term in terms[1:]:
        total = builder.apply("add", total, term)
    return builder.apply("corrected", found.result, total, root=found.result.root)


@dataclass(slots=True)
class _Leibniz:
    """An integral, of which the integrand gives way to its derivatives."""

    builder: Builder
    found: Apply
    given: Args
    integrand: Function
    more: More

    def term(self, k: int) -> Operand:
        """A value times the integral of the derivative by it."""
        b, p = self.builder, self.given[2 + k]
        made = _along(self.integrand, k + 1)
        assert isinstance(p, Value)
        stem = f"{self.integrand.name}_{p.root or 'part'}"
        made = replace(made, name=b.names.fresh(stem), results=Leaf(), names=("result",))
        if p.type.is_scalar:
            made = _with_one(made)
            self.more[made.name] = made
            return b.apply("mul", b.apply("frozen", self.value(made, ())), p)
        if p.type.rank != 1:
            raise Unsupported("an integrand reads a matrix", code="AG102", help="read a vector")
        self.more[made.name] = made

        def step(index: Value, held: Value) -> Operand:
            entry = self.value(made, (_unit(b, p, index),))
            return b.apply("store", held, entry, index, index="_")

        parts = b.apply("frozen", _over(b, p, b.apply("zeros_like", p), step))
        return b.apply("sum", b.apply("mul", parts, p))

    def value(self, function: Function, direction: Args) -> Value:
        """The integral of a function, which may be differentiated again."""
        b, template = self.builder, str(self.found.option("template"))
        args = tuple(_frozen(b, a) for a in (*self.given, *direction))
        read = "".join(f", _{k}_" for k in range(2, len(args)))
        x = function.body.params[0].root
        handed = f"lambda {x}: {function.name}({x}{read})"
        code = ("code", template.format(handed))
        options = (("calls", (function.name,)), code, ("effect", False), ("solver", True))
        number = b.value("", FLOAT)
        b.add(Apply((number,), "verbatim", args, options, b.span))
        form: dict[str, Any] = {"residual": function, "form": "integral", "template": template}
        return b.apply("implicit", number, *args, **form)


def _with_one(function: Function) -> Function:
    """A tangent in the direction 1 of a number."""
    *params, dot = function.body.params
    body = substitute_in(replace(function.body, params=tuple(params)), {dot.name: const(1.0)})
    return replace(function, body=body, parameters=function.parameters[:-1])


def _named(builder: Builder, op: str, x: Value, r: Operand, slope: Operand) -> Value:
    held = builder.apply("frozen", slope)
    return builder.apply(op, x, r, held, root=x.root)


def _along(function: Function, k: int = 0) -> Function:
    """The derivative by a parameter in a direction, which is one more parameter."""
    chosen = function.body.params[k : k + 1]
    facts = activity(function, chosen)
    refuse(function, facts)
    made = tangent(function, singles(chosen), facts)
    return replace(made, body=replace(made.body, yields=made.body.yields[1:]))


def _called(builder: Builder, function: Function, args: Args) -> Args:
    """The results of a function whose body is copied here."""
    body = copied(function.body, builder.names.fresh)
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


def _columns(builder: Builder, residual: Function, x: Value, given: Args) -> Value:
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
