"""Rules that follow from a definition: a function is declared by what it computes.

    composed("logspace", "a, b, num=50", [...], lambda a, b, num: 10.0 ** np.linspace(a, b, num))

The definition is called with handles, so that it is statements of other rows, and the chain rule
along these is the rule: forward for the tangent, `y_dot = dy/dt * t_dot`, backward for the adjoint,
`t_bar += y_bar * dy/dt`. The user's call stays as it is; of the definition only that is computed
which the derivative reads. (Griewank and Walther 2008, sections 3.1 and 3.2.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjointgen.errors import InternalError
from adjointgen.ir.nodes import Apply, Operand, Stmt, Value
from adjointgen.records import dataclass
from adjointgen.rules.framework import apply
from adjointgen.rules.framework.apply import Pulls, Pushes
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.contributions import add, fit_adjoint, is_zero
from adjointgen.rules.framework.declare import general, with_options
from adjointgen.rules.framework.shape_helpers import narrowed
from adjointgen.rules.framework.table import TABLE, Infer, Row, parse_signature

Derivatives = dict[str, Operand]
Definition = Callable[..., Any]
Options = Mapping[str, Any]


def composed(
    name: str,
    signature: str,
    spellings: Sequence[str],
    definition: Definition,
    *,
    infer: Infer,
    **fields: Any,
) -> Row:
    """A row whose value is that of its definition; so are both modes of its derivative."""
    rule = Chain(with_options(definition, parse_signature(signature)))
    return general(
        name, signature, spellings, rule.tangent, rule.adjoint, infer=infer, follows=True, **fields
    )


@dataclass(frozen=True, slots=True)
class Chain:
    """Both modes of a definition."""

    definition: Definition

    def tangent(
        self, b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Options
    ) -> Any:
        stmts, ends = _defined(b, self.definition, args, options)
        given = {
            a.operand.name: d.operand for a, d in zip(args, dots, strict=True) if d is not None
        }
        push(b, stmts, given)
        results = y if isinstance(y, tuple) else (y,)
        pairs = zip(results, ends, strict=True)
        found = [narrowed(result, _found(b, end, given)) for result, end in pairs]
        return found[0] if len(found) == 1 else tuple(found)

    def adjoint(
        self, b: Builder, y: Any, y_bar: Any, args: Sequence[Any], options: Options
    ) -> list[Any]:
        asked = b.wanted or (True,) * len(args)
        stmts, ends = _defined(b, self.definition, args, options)
        bars: Derivatives = {}
        for end, bar in zip(ends, y_bar if isinstance(y_bar, tuple) else (y_bar,), strict=True):
            if bar is not None and isinstance(end, Value):
                bars[end.name] = add(b, bars.get(end.name), fit_adjoint(b, bar.operand, end))
        pairs = zip(args, asked, strict=True)
        wanted = {a.operand.name for a, want in pairs if want and varies(a)}
        pull(b, stmts, bars, wanted)
        # One value in two places has one adjoint.
        return [_handle(b, bars.pop(a.operand.name, None)) if varies(a) else None for a in args]


def varies(argument: Any) -> bool:
    operand = argument.operand
    return isinstance(operand, Value) and operand.type.is_differentiable


def _defined(
    b: Builder, definition: Definition, args: Sequence[Any], options: Mapping[str, Any]
) -> tuple[tuple[Apply, ...], list[Operand]]:
    """The statements of a definition, which are appended, and its results."""
    before = len(b.stmts)
    made = definition(*args, **options)
    results = made if isinstance(made, tuple | list) else (made,)
    return _applied(b.stmts[before:]), [b.lower(r) for r in results]


def along(b: Builder, definition: Callable[[], Any]) -> tuple[tuple[Apply, ...], Operand]:
    """The statements that a rule appends for one value, to be differentiated, and the value."""
    before = len(b.stmts)
    end = definition()
    return _applied(b.stmts[before:]), b.lower(end)


def _applied(stmts: Sequence[Stmt]) -> tuple[Apply, ...]:
    if not all(isinstance(s, Apply) for s in stmts):
        raise InternalError("a definition is straight-line code")
    return tuple(s for s in stmts if isinstance(s, Apply))


def _found(b: Builder, operand: Operand, derivatives: Mapping[str, Operand]) -> Any:
    return _handle(b, derivatives.get(operand.name) if isinstance(operand, Value) else None)


def _handle(b: Builder, operand: Operand | None) -> Any:
    return None if operand is None else b.handle(operand)


def push(b: Builder, stmts: Sequence[Apply], dots: Derivatives) -> None:
    """Append the tangents of straight-line code, and note them by the name of the value."""
    work = Pushes(b)
    for stmt in stmts:
        given = [dots.get(a.name) if isinstance(a, Value) else None for a in stmt.args]
        row = TABLE[stmt.op]
        if all(d is None for d in given) or row.kind == "constant":
            continue
        made = apply.push(work, row, stmt, given)
        for result, dot in zip(stmt.results, made, strict=True):
            # What is rounded to an integer does not vary.
            varied = result.type.is_differentiable
            if varied and dot is not None and not is_zero(dot):
                dots[result.name] = dot


def pull(b: Builder, stmts: Sequence[Apply], bars: Derivatives, wanted: set[str]) -> None:
    """Append the adjoints of straight-line code, as far as what is wanted depends on it."""
    work, varied = Pulls(b), set(wanted)
    for stmt in stmts:
        if TABLE[stmt.op].kind != "constant" and any(_is_in(a, varied) for a in stmt.args):
            varied.update(r.name for r in stmt.results if r.type.is_differentiable)
    for stmt in reversed(stmts):
        given = [bars.pop(r.name, None) for r in stmt.results]
        asked = tuple(_is_in(a, varied) for a in stmt.args)
        row = TABLE[stmt.op]
        if all(bar is None for bar in given) or not any(asked) or row.kind == "constant":
            continue
        for arg, bar, fits in apply.pull(work, row, stmt, given, asked):
            if isinstance(arg, Value):
                fitted = fit_adjoint(b, bar, arg, fits)
                bars[arg.name] = add(b, bars.get(arg.name), fitted)


def _is_in(operand: Operand, names: set[str]) -> bool:
    return isinstance(operand, Value) and operand.name in names
