"""Rules of users: for their own functions and those of others, by the qualified name alone.

    rules.elementwise("mypkg.softplus", lambda y, x: 1.0 / (1.0 + np.exp(-x)))
    rules.linear("mypkg.blur", lambda y_bar, u: y_bar.apply("mypkg.blur", y_bar))
    rules.constant("mypkg.rank", because="a rank is an integer")
    rules.refuse("mypkg.search", because="use mypkg.solve")

    @custom(adjoint=lambda y, x, y_bar: y_bar * np.clip(1.0 / x, -10.0, 10.0))
    def bounded_log(x): ...

The operands are those of the rule; keyword parameters with a default are options. A custom rule may
be given for one mode: it is linear in what it is given last, so the other is its transpose, by the
chain rule along its statements.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from adjointgen.ir.nodes import Apply, Value
from adjointgen.rules import declare
from adjointgen.rules.all import TABLE
from adjointgen.rules.build import Builder
from adjointgen.rules.chain import pull
from adjointgen.rules.fit import add, fit_adjoint
from adjointgen.rules.infer import floating_type, object_type, same_type
from adjointgen.rules.table import Infer, Row, Rule

F = TypeVar("F", bound=Callable[..., Any])
Named = str | Callable[..., Any]
assert TABLE.complete


def elementwise(name: Named, *partials: Rule | None, infer: Infer = floating_type) -> Row:
    """`y = f(a, b, ...)` entry by entry, by the partial derivatives as functions of `y, a, b, ...`.

    None stands for an argument by which there is no derivative: it is refused where it is active.
    """
    first = next(p for p in partials if p is not None)
    spelling, signature = _spelled(name), _signature(first, 1, len(partials))
    return declare.elementwise(spelling, signature, [spelling], *partials, infer=infer)


def linear(name: Named, transposes: Rule | Mapping[int, Rule], *, infer: Infer = same_type) -> Row:
    """Linear in its argument, or in each one that is numbered, by functions of `y_bar, a, b`."""
    rules = transposes if isinstance(transposes, Mapping) else {0: transposes}
    spelling, signature = _spelled(name), _signature(next(iter(rules.values())), 1, None)
    return declare.linear(spelling, signature, [spelling], rules, infer=infer)


def constant(name: Named, *, because: str, infer: Infer = object_type) -> Row:
    """Derivative zero, and why."""
    spelling = _spelled(name)
    return declare.constant(spelling, "*operands...", [spelling], infer=infer, because=because)


def refuse(name: Named, *, because: str, infer: Infer = object_type) -> Row:
    """No derivative, and what to use instead."""
    return declare.refuse(_spelled(name), because=because, infer=infer)


def custom(
    *, tangent: Rule | None = None, adjoint: Rule | None = None, infer: Infer = floating_type
) -> Callable[[F], F]:
    """Gives a function of a module a derivative written by hand; the function stays as it is.

    `tangent(y, a, b, a_dot, b_dot)` gives `y_dot`, and `adjoint(y, a, b, y_bar)` the contributions
    to `a` and `b`, as a tuple if there are several. `check` compares what was given with
    differences of the function. Raises ValueError for a function in another one.
    """
    if tangent is None and adjoint is None:
        raise TypeError("custom needs a tangent or an adjoint")

    def declared(f: F) -> F:
        spelling = _spelled(f)
        names = ", ".join(inspect.signature(f).parameters)
        both = _Custom(tangent, adjoint)
        declare.general(spelling, names, [spelling], both.tangent, both.adjoint, infer=infer)
        return f

    return declared


class _Custom:
    """Both modes of a rule of which one may be given."""

    def __init__(self, forward: Rule | None, backward: Rule | None) -> None:
        self.forward, self.backward = forward, backward

    def tangent(
        self, b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Any
    ) -> Any:
        given = [_zero(a) if d is None else d for a, d in zip(args, dots, strict=True)]
        if self.forward is not None:
            return self.forward(y, *args, *given)
        assert self.backward is not None
        seed = _zero(y)
        before = len(b.stmts)
        bars = _together(self.backward(y, *args, seed))
        return _transposed(b, before, bars, given, [seed])[0]

    def adjoint(
        self, b: Builder, y: Any, y_bar: Any, args: Sequence[Any], options: Any
    ) -> Sequence[Any]:
        if self.backward is not None:
            return _together(self.backward(y, *args, y_bar))
        assert self.forward is not None
        seeds = [_zero(a) for a in args]
        before = len(b.stmts)
        made = self.forward(y, *args, *seeds)
        return _transposed(b, before, [made], [y_bar], seeds)


def _zero(a: Any) -> Any:
    """A zero that has a name, so that what is computed from it can be followed."""
    return a * 0.0 if a.type.is_scalar else a.apply("zeros_like", a)


def _together(made: Any) -> tuple[Any, ...]:
    return made if isinstance(made, tuple) else (made,)


def _transposed(
    b: Builder, before: int, ends: Sequence[Any], bars: Sequence[Any], seeds: Sequence[Any]
) -> list[Any]:
    """The transpose of the statements from the seeds to the ends, applied to the bars."""
    stmts = [s for s in b.stmts[before:] if isinstance(s, Apply)]
    found: dict[str, Any] = {}
    for end, bar in zip(ends, bars, strict=True):
        if isinstance(end.operand, Value):
            fitted = fit_adjoint(b, b.lower(bar), end.operand)
            found[end.operand.name] = add(b, found.get(end.operand.name), fitted)
    pull(b, stmts, found, {s.operand.name for s in seeds})
    made = [found.get(s.operand.name) for s in seeds]
    return [None if m is None else b.handle(m) for m in made]


def _spelled(name: Named) -> str:
    """The qualified name of a function of a module."""
    if isinstance(name, str):
        return name
    if "<locals>" in name.__qualname__:
        raise ValueError(f"{name.__qualname__} must be defined in a module to be imported from it")
    return f"{name.__module__}.{name.__qualname__}"


def _signature(rule: Rule, skip: int, count: int | None) -> str:
    """The parameters of a rule after the first: operands, and options with their defaults."""
    parameters = list(inspect.signature(rule).parameters.values())[skip:]
    options = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    operands = [p for p in parameters if p.kind is not p.KEYWORD_ONLY][:count]
    stated = [f"*{p.name}..." if p.kind is p.VAR_POSITIONAL else p.name for p in operands]
    return ", ".join([*stated, *(f"{p.name}={p.default!r}" for p in options)])
