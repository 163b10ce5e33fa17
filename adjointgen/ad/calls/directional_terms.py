"""Derivatives along directions, written where they are needed: what equations are stated with."""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.ad.modes.check_differentiable import refuse
from adjointgen.ad.modes.tangent import tangent
from adjointgen.analysis.differentiation.activity import activity
from adjointgen.ir.edit import copied, rebuild, substitute_in
from adjointgen.ir.nodes import Apply, Block, Function, Leaf, Loop, Operand, Stmt, Value, walk
from adjointgen.ir.packing import singles
from adjointgen.ir.types import INT
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Builder, Names, const

FROZEN = ("frozen", "settle", "settle_all", "corrected", "through", "polar")
"""What stands in a program for one derivative only, each in the place of its first operand."""

Args = tuple[Operand, ...]
Step = Callable[[Value, Value], Operand]


@dataclass(slots=True)
class More:
    """Functions that a program calls for its derivatives, under names of their own."""

    names: Names
    functions: dict[str, Function] = field(default_factory=dict)

    def add(self, function: Function, stem: str) -> Function:
        """The function under its name."""
        made = replace(function, name=self.names.fresh(stem), results=Leaf(), names=("result",))
        self.functions[made.name] = made
        return made


def along(function: Function, k: int = 0) -> Function:
    """The derivative by a parameter in a direction, which is one more parameter."""
    chosen = function.body.params[k : k + 1]
    facts = activity(function, chosen)
    refuse(function, facts)
    made = tangent(function, singles(chosen), facts)
    # What was written out for this derivative is not a constant for the next one.
    return collapsed(replace(made, body=replace(made.body, yields=made.body.yields[1:])))


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


def called(builder: Builder, function: Function, args: Args) -> Args:
    """The results of a function whose body is copied here."""
    body = copied(function.body, builder.names.fresh)
    given = {p.name: a for p, a in zip(body.params, args, strict=True)}
    body = substitute_in(replace(body, params=()), given)
    for stmt in body.stmts:
        builder.add(stmt)
    return body.yields


def over(builder: Builder, x: Operand, init: Value, step: Step) -> Value:
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


def unit(builder: Builder, x: Operand, index: Value) -> Value:
    zeros = builder.apply("zeros_like", x)
    return builder.apply("store", zeros, const(1.0), index, index="_")


def frozen(builder: Builder, operand: Operand) -> Operand:
    active = isinstance(operand, Value) and operand.type.is_differentiable
    return builder.apply("frozen", operand) if active else operand


def with_one(function: Function) -> Function:
    """A tangent in the direction 1 of a number."""
    *params, dot = function.body.params
    body = substitute_in(replace(function.body, params=tuple(params)), {dot.name: const(1.0)})
    return replace(function, body=body, parameters=function.parameters[:-1])
