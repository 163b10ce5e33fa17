"""The derivative of a solution `y' = f(y, t, p)`: the same equation, linearised along it.

With `s = dy/dp`, `s' = f_y s + f_p`. Solution and derivative are found together, by the solver that
the user called, as one state of twice the length: `z = (y, s)`. What is found is a solution of a
differential equation again, and so has derivatives of its own. (Gronwall 1919; Dickinson and
Gelinas 1976.)
"""

from __future__ import annotations

from typing import Any

from adjointgen.ad.calls.directional_terms import (
    Args,
    More,
    along,
    called,
    frozen,
    over,
    unit,
    with_one,
)
from adjointgen.errors import Unsupported
from adjointgen.ir.nodes import Apply, Block, Function, Operand, Parameter, Value
from adjointgen.ir.types import Type
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Builder, Names, const

MATRIX = Type("float64", (None, None), "array")


def flow(builder: Builder, found: Apply, given: Args, slope: Function, more: More) -> Value:
    """`y` with each value that it depends on times the derivative by it."""
    work = _Flow(builder, found, given, slope, more)
    total: Operand = builder.apply("zeros_like", found.result)
    for k, p in enumerate(given):
        if (k == 0 or k >= work.lead) and isinstance(p, Value) and p.type.is_differentiable:
            total = work.added(total, k, p)
    for times in given[1 : work.lead]:
        if isinstance(times, Value) and times.type.is_differentiable:
            # The times are `fixed`: where they are not, that is refused, since they are read here.
            nothing = builder.apply("mul", const(0.0), builder.apply("sum", times))
            total = builder.apply("add", total, nothing)
    return builder.apply("corrected", found.result, total, root=found.result.root)


@dataclass(slots=True)
class _Flow:
    """A solution; `given` are the start, the times, what else the call names, and what f reads."""

    builder: Builder
    found: Apply
    given: Args
    slope: Function
    more: More

    @property
    def lead(self) -> int:
        """How many of the values are not read by the right-hand side."""
        return len(self.given) - len(self.slope.body.params) + 2

    def added(self, total: Operand, k: int, p: Value) -> Operand:
        """A sum with the terms of one value."""
        b, start = self.builder, self.given[0]
        assert isinstance(total, Value)
        if p.type.rank not in (0, 1) or (p.type.is_array and p.type.rank != 1):
            raise Unsupported("a right-hand side reads a matrix", code="AG102", help="read a row")
        function = self.augmented(k, p)
        zeros = b.apply("zeros_like", start)
        if p.type.is_scalar:
            return self.plus(total, self.part(function, zeros, ()), p)

        def step(index: Value, held: Value) -> Operand:
            direction = unit(b, p, index)
            first, rest = (direction, ()) if k == 0 else (zeros, (direction,))
            entry = b.apply("load", p, index, index="_")
            return self.plus(held, self.part(function, first, rest), entry)

        return over(b, p, total, step)

    def plus(self, total: Value, part: Value, p: Operand) -> Value:
        b = self.builder
        return b.apply("add", total, b.apply("mul", b.apply("frozen", part), p))

    def augmented(self, k: int, p: Value) -> Function:
        """The right-hand side of the solution and of its derivative by one of the values."""
        b, old = Builder(Names.of(self.slope)), self.slope.body.params
        z = b.value("z", replace(old[0].type, shape=(None,)))
        number = b.apply("floordiv", b.apply("dim", z, axis=0), const(2))
        y, s = (b.apply("load", z, number, index=i) for i in (":_", "_:"))
        (top,) = called(b, self.slope, (y, *old[1:]))
        (below,) = called(b, along(self.slope), (y, *old[1:], s))
        params, parameters = (z, *old[1:]), (Parameter("z"), *self.slope.parameters[1:])
        if k:
            by = along(self.slope, k - self.lead + 2)
            if p.type.is_scalar:
                by = with_one(by)
            else:
                params += (by.body.params[-1],)
                parameters += (Parameter(by.body.params[-1].root),)
            (change,) = called(b, by, (y, *params[1:]))
            below = b.apply("add", below, change)
        ends = (b.apply("concatenate", top, below),)
        made = replace(self.slope, parameters=parameters, body=Block(params, b.stmts, ends))
        return self.more.add(made, f"{self.slope.name}_{p.root or 'part'}")

    def part(self, function: Function, first: Operand, rest: Args) -> Value:
        """The derivative of the solution: the second half of the state."""
        b, start = self.builder, self.given[0]
        template, order = (str(self.found.option(name)) for name in ("template", "order"))
        state = b.apply("concatenate", start, first)
        args = tuple(frozen(b, a) for a in (state, *self.given[1:], *rest))
        read = "".join(f", _{k}_" for k in range(self.lead, len(args)))
        names = ", ".join(order)
        code = ("code", template.format(f"lambda {names}: {function.name}(z, t{read})"))
        options = (("calls", (function.name,)), code, ("effect", False), ("solver", True))
        whole = b.value("", MATRIX)
        b.add(Apply((whole,), "verbatim", args, options, b.span))
        form: dict[str, Any] = {"residual": function, "form": "flow", "template": template}
        solved = b.apply("implicit", whole, *args, order=order, **form)
        number = b.apply("dim", start, axis=0)
        return b.apply("load", solved, number, index=":, _:")
