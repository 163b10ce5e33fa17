"""An index loop over something, and the same loop counted from zero."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.observed_kinds import entries_observed
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import INT
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import const

FEW = 256
"""The most entries that are lowered one by one."""
DEEP = 40
"""The most iterations of which each stands in a branch of the one before: Python takes no more than
100 levels of blocks."""
COPIES = 4000
"""The most copies of the bodies of loops that are written out in one function."""


def copied(ctx: Context, node: ast.AST) -> None:
    """One copy more, also of one that is tried and given up: loops inside each other multiply."""
    ctx.copies += 1
    if ctx.copies > COPIES:
        what = f"more than {COPIES} iterations, of loops over entries that are known"
        ctx.unlike("AG106", what, "loop over arrays, or over range(n)", node=node)


@dataclass(frozen=True, slots=True)
class Plan:
    """`for k in range(*bounds)`, in reverse order if `backwards`, with `at(k)` as the element.

    `direct` says that the element is the index itself, `passes` which elements are not left out.
    """

    bounds: tuple[Operand, Operand, Operand]
    at: Callable[[Operand], Abstract]
    backwards: bool = False
    direct: bool = False
    passes: Callable[[Operand], Abstract] | None = None


Sequenced = Plan | tuple[Abstract, ...]


def few(found: Plan) -> range | None:
    """The indices in the order of the loop, where they are known and few."""
    start, stop, step = (b.value if isinstance(b, Const) else None for b in found.bounds)
    if not (isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step):
        return None
    indices = range(start, stop, step)[:: -1 if found.backwards else 1]
    return None if indices[FEW:] else indices


def observed_indices(ctx: Context, node: ast.expr, found: Plan, iterated: Abstract) -> range | None:
    """The indices of an array or list of which one run has told how many entries it has."""
    if found.bounds[0] != const(0) or found.bounds[2] != const(1):
        return None
    number = entries_observed(ctx, node, iterated)
    return None if number is None else range(number)[:: -1 if found.backwards else 1]


def from_zero(ctx: Context, inner: Plan) -> Plan:
    """The same elements in the order of the loop, counted 0, 1, 2, ..."""
    start, _, step = inner.bounds
    if (start, step) == (const(0), const(1)) and not inner.backwards:
        return replace(inner, direct=False)
    number = count(ctx, inner.bounds)
    last = plus(ctx, number, const(-1)) if inner.backwards else None

    def there(k: Operand) -> Operand:
        k = k if last is None else ctx.apply("sub", last, k)
        scaled = k if step == const(1) else ctx.apply("mul", k, step)
        return scaled if start == const(0) else ctx.apply("add", start, scaled)

    passes = inner.passes
    chosen = None if passes is None else lambda k: passes(there(k))
    return Plan((const(0), number, const(1)), lambda k: inner.at(there(k)), passes=chosen)


def count(ctx: Context, bounds: tuple[Operand, Operand, Operand]) -> Operand:
    """`len(range(*bounds))`; a negative number stands for none where it ends a range."""
    start, stop, step = bounds
    if step == const(1):
        return stop if start == const(0) else ctx.apply("sub", stop, start)
    return verbatim(ctx, "len(range(_0_, _1_, _2_))", bounds, INT, pure=True)


def number_of(ctx: Context, found: Sequenced) -> Operand:
    """How many entries there are."""
    return const(len(found)) if isinstance(found, tuple) else count(ctx, found.bounds)


def plus(ctx: Context, a: Operand, b: Operand) -> Operand:
    """`a + b` of integers."""
    if isinstance(a, Const) and isinstance(b, Const):
        assert isinstance(a.value, int) and isinstance(b.value, int)
        return const(a.value + b.value)
    if b == const(-1):
        return ctx.apply("sub", a, const(1))
    return a if b == const(0) else ctx.apply("add", a, b)


@dataclass(frozen=True, slots=True)
class Step:
    """An entry, made when it is asked for, and the test whether it is left out."""

    make: Callable[[], Abstract]
    passes: Callable[[], Abstract] | None = None


Walk = Callable[[int], Step | None]
"""The entry with a number, or None where there are no more."""


def step_of(entry: Abstract) -> Step:
    return Step(lambda: entry)


def of_entries(items: tuple[Abstract, ...]) -> Walk:
    return lambda k: step_of(items[k]) if k < len(items) else None


def of_indices(found: Plan, indices: Sequence[int]) -> Walk:
    """An index loop, written out."""

    def at(k: int) -> Step | None:
        if k == len(indices):
            return None
        index = const(indices[k])
        passes = None if found.passes is None else partial(found.passes, index)
        return Step(lambda: found.at(index), passes)

    return at
