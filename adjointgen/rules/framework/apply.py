"""Applying the rule of a row to a statement: forward for tangents, backward for adjoints.

    push    elementwise   y_dot = sum_k partial_k * x_k_dot
            linear        y_dot = op(x_dot, ...) for each argument that it is linear in
            structural    y_dot = op(a_dot, v_dot, ...) for all arguments that carry values together
            general       y_dot is what the rule's own function says
    pull    elementwise   x_k_bar += y_bar * partial_k
            linear        x_k_bar += transpose_k(y_bar)
            general       x_k_bar += what the rule's own function says

The tangent, the adjoint, and rules that follow from a definition all apply rows here. What they do
in ways of their own is a method of `Pushes` or `Pulls`: what stands for a value, how a derivative
and a slope are multiplied, what a derivative is called. (Griewank and Walther 2008, sections 3.1
and 3.2.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from adjointgen.errors import InternalError, NoRule
from adjointgen.ir.nodes import WRITES, Apply, Const, Operand
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.contributions import add, is_zero, real_for, zero
from adjointgen.rules.framework.table import Row

Dots = Sequence[Operand | None]
Asked = Sequence[bool]
Contribution = tuple[Operand, Operand, bool]
"""An argument, what its adjoint gets, and whether that has the shape of the argument as it is."""


class Pushes:
    """Where tangents are made."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def root(self, stmt: Apply) -> str:
        """What the tangent of a result is called."""
        return ""

    def times(self, stmt: Apply, dot: Operand, factor: Operand, place: int) -> Operand:
        """`factor * dot`, for the tangent of the argument at this place."""
        return self.builder.apply("mul", factor, dot)

    def fit(self, stmt: Apply, dot: Operand) -> Operand:
        """A tangent with the type of the result."""
        return dot

    def zero_of(self, operand: Operand) -> Operand:
        return zero(self.builder, operand)

    def given(self, stmt: Apply, dot: Operand) -> Operand:
        """A tangent as a rule's own function gets it."""
        return dot

    def named(self, stmt: Apply, dot: Operand) -> Operand:
        """A tangent under the name of its result."""
        return dot


class Pulls:
    """Where adjoints are made."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def primal(self, operand: Operand) -> Operand:
        """What holds a value of the program here."""
        return operand

    def times(self, stmt: Apply, bar: Operand, factor: Operand, place: int) -> Operand:
        """`bar * factor`, for the factors 1 and -1 without the product."""
        if isinstance(factor, Const) and factor.value == 1:
            return bar
        if isinstance(factor, Const) and factor.value == -1:
            return self.builder.apply("neg", bar)
        return self.product(stmt, bar, factor, place)

    def product(self, stmt: Apply, bar: Operand, factor: Operand, place: int) -> Operand:
        return self.builder.apply("mul", bar, factor)


def push(work: Pushes, row: Row, stmt: Apply, dots: Dots) -> list[Operand | None]:
    """The tangents of the results, from those of the arguments; None for a zero."""
    rule = _PUSH.get(row.kind)
    return refused(row) if rule is None else rule(work, row, stmt, dots)


def pull(
    work: Pulls, row: Row, stmt: Apply, bars: Sequence[Operand | None], asked: Asked
) -> Iterator[Contribution]:
    """What the arguments that are asked for get, one after the other."""
    if row.kind == "elementwise":
        return _pull_elementwise(work, row, stmt, bars, asked)
    if row.transposes:
        return _pull_linear(work, row, stmt, bars, asked)
    if row.kind == "general":
        return _pull_general(work, row, stmt, bars, asked)
    return refused(row)


def refused(row: Row) -> NoReturn:
    """NoRule (AG201): the operation has no derivative."""
    what = (row.spellings or (row.name,))[0]
    raise NoRule(f"no derivative rule for {what}", code="AG201", help=row.because)


def _push_elementwise(work: Pushes, row: Row, stmt: Apply, dots: Dots) -> list[Operand | None]:
    """`y_dot = sum_k partial_k * x_k_dot`, spread over the shape of `y`."""
    builder = work.builder
    y, *args = map(builder.handle, (stmt.result, *stmt.args))
    factors: dict[Operand, Operand] = {}
    for partial, dot in zip(row.partials, dots, strict=False):
        if dot is not None and partial is None:
            refused(row)
        if partial is not None and dot is not None:
            factor = builder.lower(partial(y, *args, **stmt.settings))
            # `x * x` has one term, with the sum of both partials.
            factors[dot] = add(builder, factors.get(dot), factor)
    total: Operand | None = None
    for dot, factor in factors.items():
        total = add(builder, total, work.times(stmt, dot, factor, list(dots).index(dot)))
    return [None if total is None else work.named(stmt, work.fit(stmt, total))]


def _push_linear(work: Pushes, row: Row, stmt: Apply, dots: Dots) -> list[Operand | None]:
    """The operation itself on the tangents, for each of the arguments it is linear in."""
    builder = work.builder
    total: Operand | None = None
    for k, dot in enumerate(dots):
        if dot is not None and k in row.transposes:
            args = (*stmt.args[:k], dot, *stmt.args[k + 1 :])
            total = add(builder, total, builder.apply(stmt.op, *args, **stmt.settings))
    return [None if total is None else work.named(stmt, total)]


def _push_together(work: Pushes, row: Row, stmt: Apply, dots: Dots) -> list[Operand | None]:
    """Linear in all that carries values together: applied once, zeros where there is no tangent."""
    args = list(stmt.args)
    for k in row.transposes:
        dot = dots[k]
        args[k] = work.zero_of(args[k]) if dot is None else dot
    if stmt.op in WRITES and len(args) > 1:
        args[1] = real_for(work.builder, args[1], stmt.result)
    return [work.builder.apply(stmt.op, *args, root=work.root(stmt), **stmt.settings)]


def _push_general(work: Pushes, row: Row, stmt: Apply, dots: Dots) -> list[Operand | None]:
    if row.tangent is None:
        raise InternalError(f"{row.name} has no tangent rule")
    builder = work.builder
    args = list(map(builder.handle, stmt.args))
    given = [None if d is None else builder.handle(work.given(stmt, d)) for d in dots]
    y = tuple(map(builder.handle, stmt.results))
    made = row.tangent(builder, _one(y), args, given, stmt.settings)
    made = made if isinstance(made, tuple) else (made,)
    return [None if m is None else builder.lower(m) for m in made]


_PUSH: dict[str, Callable[..., list[Operand | None]]] = {
    "elementwise": _push_elementwise,
    "linear": _push_linear,
    "structural": _push_together,
    "general": _push_general,
}


def _pull_elementwise(
    work: Pulls, row: Row, stmt: Apply, bars: Sequence[Operand | None], asked: Asked
) -> Iterator[Contribution]:
    """`x_k_bar += y_bar * partial_k`."""
    builder, (bar,) = work.builder, bars
    assert bar is not None
    y, *args = (builder.handle(work.primal(o)) for o in (stmt.result, *stmt.args))
    factors: dict[Operand, Operand] = {}
    for arg, partial, want in zip(stmt.args, row.partials, asked, strict=False):
        if want and partial is None:
            refused(row)
        if want and partial is not None:
            factor = builder.lower(partial(y, *args, **stmt.settings))
            # `x * x` contributes once, with the sum of both partials.
            before = factors.get(arg)
            factors[arg] = factor if before is None else builder.apply("add", before, factor)
    # The adjoint of a value has its shape, which is that of the operand if this is the only array.
    fits = len({arg for arg in stmt.args if not arg.type.is_scalar}) == 1
    for arg, factor in factors.items():
        yield arg, work.times(stmt, bar, factor, stmt.args.index(arg)), fits


def _pull_linear(
    work: Pulls, row: Row, stmt: Apply, bars: Sequence[Operand | None], asked: Asked
) -> Iterator[Contribution]:
    """`x_k_bar += transpose_k(y_bar)`."""
    builder, (bar,) = work.builder, bars
    assert bar is not None
    args = [builder.handle(work.primal(a)) for a in stmt.args]
    fits = row.fits is not None and row.fits(*stmt.args)
    for k, (arg, want) in enumerate(zip(stmt.args, asked, strict=True)):
        transpose = row.transposes.get(k)
        if transpose is not None and want:
            made = transpose(builder.handle(bar), *args, **stmt.settings)
            yield arg, builder.lower(made), fits


def _pull_general(
    work: Pulls, row: Row, stmt: Apply, bars: Sequence[Operand | None], asked: Asked
) -> Iterator[Contribution]:
    assert row.adjoint is not None
    builder = work.builder
    given = tuple(None if bar is None or is_zero(bar) else builder.handle(bar) for bar in bars)
    y = tuple(builder.handle(work.primal(r)) for r in stmt.results)
    args = [builder.handle(work.primal(a)) for a in stmt.args]
    before, builder.wanted = builder.wanted, tuple(asked)
    made = row.adjoint(builder, _one(y), _one(given), args, stmt.settings)
    builder.wanted = before
    for arg, contribution, want in zip(stmt.args, made, asked, strict=False):
        if contribution is not None and want:
            yield arg, builder.lower(contribution), False


def _one(several: tuple[Any, ...]) -> Any:
    """What a rule gets: the only one as it is, several as a tuple."""
    return several[0] if len(several) == 1 else several
