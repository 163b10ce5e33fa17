"""The derivative of an integral is the integral of the derivative (Leibniz)."""

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
from adjointgen.ir.nodes import Apply, Function, Operand, Value
from adjointgen.ir.types import FLOAT
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import Builder, const


def integral(builder: Builder, found: Apply, given: Args, integrand: Function, more: More) -> Value:
    """`x` with what has the derivative of the integral: the integrand at the ends times these, and
    each value that is read times the integral of the derivative by it."""
    terms: list[Operand] = []
    for end, sign in zip(given[:2], ("neg", ""), strict=True):
        if isinstance(end, Value) and end.type.is_differentiable:
            (height,) = called(builder, integrand, (end, *given[2:]))
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
        made = along(self.integrand, k + 1)
        assert isinstance(p, Value)
        stem = f"{self.integrand.name}_{p.root or 'part'}"
        if p.type.is_scalar:
            made = self.more.add(with_one(made), stem)
            return b.apply("mul", b.apply("frozen", self.value(made, ())), p)
        if p.type.rank != 1:
            raise Unsupported("an integrand reads a matrix", code="AG102", help="read a vector")
        made = self.more.add(made, stem)

        def step(index: Value, held: Value) -> Operand:
            entry = self.value(made, (unit(b, p, index),))
            return b.apply("store", held, entry, index, index="_")

        parts = b.apply("frozen", over(b, p, b.apply("zeros_like", p), step))
        return b.apply("sum", b.apply("mul", parts, p))

    def value(self, function: Function, direction: Args) -> Value:
        """The integral of a function, which may be differentiated again."""
        b, template = self.builder, str(self.found.option("template"))
        args = tuple(frozen(b, a) for a in (*self.given, *direction))
        read = "".join(f", _{k}_" for k in range(2, len(args)))
        x = function.body.params[0].root
        handed = f"lambda {x}: {function.name}({x}{read})"
        code = ("code", template.format(handed))
        options = (("calls", (function.name,)), code, ("effect", False), ("solver", True))
        number = b.value("", FLOAT)
        b.add(Apply((number,), "verbatim", args, options, b.span))
        form: dict[str, Any] = {"residual": function, "form": "integral", "template": template}
        return b.apply("implicit", number, *args, **form)
