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

from adjointgen.errors import InternalError, NoRule
from adjointgen.ir.nodes import Apply, Operand, Stmt, Value
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.contributions import add, fit_adjoint, is_zero, zero
from adjointgen.rules.framework.declare import general, with_options
from adjointgen.rules.framework.table import TABLE, Infer, Row, parse_signature

Derivatives = dict[str, Operand]
Definition = Callable[..., Any]
Options = Mapping[str, Any]
_TOGETHER = {"store": (0, 1), "accumulate": (0, 1), "select": (1, 2)}


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
    rule = _Chain(with_options(definition, parse_signature(signature)))
    return general(
        name, signature, spellings, rule.tangent, rule.adjoint, infer=infer, follows=True, **fields
    )


@dataclass(frozen=True, slots=True)
class _Chain:
    """Both modes of a definition."""

    definition: Definition

    def tangent(
        self, b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Options
    ) -> Any:
        stmts, ends = _defined(b, self.definition, args, options)
        given = {a.operand.name: d.operand for a, d in zip(args, dots, strict=True) if d}
        push(b, stmts, given)
        found = [_found(b, end, given) for end in ends]
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
        wanted = {a.operand.name for a, want in pairs if want and _varies(a)}
        pull(b, stmts, bars, wanted)
        # One value in two places has one adjoint.
        return [_handle(b, bars.pop(a.operand.name, None)) if _varies(a) else None for a in args]


def _varies(argument: Any) -> bool:
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
    for stmt in stmts:
        given = [dots.get(a.name) if isinstance(a, Value) else None for a in stmt.args]
        row = TABLE[stmt.op]
        if all(d is None for d in given) or row.kind == "constant":
            continue
        made = (_PUSH.get(row.kind) or _refused)(b, row, stmt, given)
        for result, dot in zip(stmt.results, made, strict=True):
            if dot is not None and not is_zero(dot):
                dots[result.name] = dot


def pull(b: Builder, stmts: Sequence[Apply], bars: Derivatives, wanted: set[str]) -> None:
    """Append the adjoints of straight-line code, as far as what is wanted depends on it."""
    varied = set(wanted)
    for stmt in stmts:
        if TABLE[stmt.op].kind != "constant" and any(_is_in(a, varied) for a in stmt.args):
            varied.update(r.name for r in stmt.results if r.type.is_differentiable)
    for stmt in reversed(stmts):
        given = [bars.pop(r.name, None) for r in stmt.results]
        asked = tuple(_is_in(a, varied) for a in stmt.args)
        row = TABLE[stmt.op]
        if all(bar is None for bar in given) or not any(asked) or row.kind == "constant":
            continue
        made = (_PULL.get(row.kind) or _refused)(b, row, stmt, given, asked)
        fits = row.fits is not None and row.fits(*stmt.args)
        for arg, want, bar in zip(stmt.args, asked, made, strict=False):
            if bar is not None and want and isinstance(arg, Value):
                fitted = fit_adjoint(b, b.lower(bar), arg, fits)
                bars[arg.name] = add(b, bars.get(arg.name), fitted)


def _is_in(operand: Operand, names: set[str]) -> bool:
    return isinstance(operand, Value) and operand.name in names


def _refused(b: Builder, row: Row, stmt: Apply, *_: Any) -> Any:
    what = (row.spellings or (row.name,))[0]
    raise NoRule(f"no derivative rule for {what}", code="AG201", help=row.because)


Given = Sequence[Operand | None]


def _push_elementwise(b: Builder, row: Row, stmt: Apply, dots: Given) -> list[Operand | None]:
    y, *args = map(b.handle, (stmt.result, *stmt.args))
    total: Operand | None = None
    for partial, dot in zip(row.partials, dots, strict=False):
        if dot is not None:
            if partial is None:
                _refused(b, row, stmt)
            factor = b.lower(partial(y, *args, **stmt.settings))  # type: ignore[misc]
            total = add(b, total, b.apply("mul", factor, dot))
    return [total]


def _push_linear(b: Builder, row: Row, stmt: Apply, dots: Given) -> list[Operand | None]:
    total: Operand | None = None
    for k, dot in enumerate(dots):
        if dot is not None and k in row.transposes:
            args = (*stmt.args[:k], dot, *stmt.args[k + 1 :])
            total = add(b, total, b.apply(stmt.op, *args, **stmt.settings))
    return [total]


def _push_together(b: Builder, row: Row, stmt: Apply, dots: Given) -> list[Operand | None]:
    args = list(stmt.args)
    for k in _TOGETHER.get(row.name, (0,)):
        dot = dots[k]
        args[k] = zero(b, args[k]) if dot is None else dot
    return [b.apply(stmt.op, *args, **stmt.settings)]


def _push_general(b: Builder, row: Row, stmt: Apply, dots: Given) -> list[Operand | None]:
    assert row.tangent is not None
    y = tuple(map(b.handle, stmt.results))
    given = [None if d is None else b.handle(d) for d in dots]
    args = list(map(b.handle, stmt.args))
    made = row.tangent(b, y[0] if len(y) == 1 else y, args, given, stmt.settings)
    made = made if isinstance(made, tuple) else (made,)
    return [None if m is None else b.lower(m) for m in made]


Asked = tuple[bool, ...]


def _pull_elementwise(b: Builder, row: Row, stmt: Apply, bars: Given, asked: Asked) -> list[Any]:
    y, *args = map(b.handle, (stmt.result, *stmt.args))
    (bar,) = bars
    assert bar is not None
    made: list[Any] = []
    for partial, want in zip(row.partials, asked, strict=False):
        if want and partial is None:
            _refused(b, row, stmt)
        wanted = want and partial is not None
        made.append(b.handle(bar) * partial(y, *args, **stmt.settings) if wanted else None)  # type: ignore[misc]
    return made


def _pull_linear(b: Builder, row: Row, stmt: Apply, bars: Given, asked: Asked) -> list[Any]:
    (bar,) = bars
    assert bar is not None
    args = list(map(b.handle, stmt.args))
    return [
        (
            row.transposes[k](b.handle(bar), *args, **stmt.settings)
            if want and k in row.transposes
            else None
        )
        for k, want in enumerate(asked)
    ]


def _pull_general(b: Builder, row: Row, stmt: Apply, bars: Given, asked: Asked) -> list[Any]:
    assert row.adjoint is not None
    y = tuple(map(b.handle, stmt.results))
    given = tuple(None if bar is None else b.handle(bar) for bar in bars)
    args = list(map(b.handle, stmt.args))
    before, b.wanted = b.wanted, asked
    single = len(y) == 1
    made = row.adjoint(b, y[0] if single else y, given[0] if single else given, args, stmt.settings)
    b.wanted = before
    return list(made)


_PUSH: dict[str, Callable[..., list[Operand | None]]] = {
    "elementwise": _push_elementwise,
    "linear": _push_linear,
    "structural": _push_together,
    "general": _push_general,
}
_PULL: dict[str, Callable[..., list[Any]]] = {
    "elementwise": _pull_elementwise,
    "linear": _pull_linear,
    "structural": _pull_linear,
    "general": _pull_general,
}
