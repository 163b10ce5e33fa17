"""Small programs around one operation: its tangent, its adjoint, and derivatives of these.

The mode that a row declares is carried out here in the plainest way, so that a fault of the rule
shows and not one of a transform: no simplification, and broadcasting undone on the numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.ir.nodes import Apply, Const, Operand, Stmt, Value
from adjointgen.ir.types import COMPLEX, REAL, Dim, Type
from adjointgen.opt.interpreter import Machine
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import Builder, Handle
from adjointgen.rules.framework.table import Row

Bars = dict[str, Operand]
JOINT = {
    "load": (0,),
    "store": (0, 1),
    "accumulate": (0, 1),
    "push": (0, 1),
    "drop": (0,),
    "select": (1, 2),
    "copy": (0,),
}


def tangent_of(
    builder: Builder, stmt: Apply, dots: Sequence[Operand | None]
) -> Sequence[Operand | None]:
    """The tangents of a statement's results; None is zero."""
    row = TABLE[stmt.op]
    if all(d is None for d in dots) or row.kind in ("constant", "refuse"):
        return [None] * len(stmt.results)
    handles = [builder.handle(a) for a in stmt.args]
    results = [builder.handle(r) for r in stmt.results]
    given = [None if d is None else builder.handle(d) for d in dots]
    options = dict(stmt.options)
    if row.kind == "general":
        assert row.tangent is not None
        y = results[0] if len(results) == 1 else tuple(results)
        made = row.tangent(builder, y, handles, given, options)
        made = made if isinstance(made, tuple) else (made,)
    else:
        made = (_sum(_TERMS[row.kind](row, results[0], handles, given, options)),)
    if results[0].type.dtype in REAL:
        made = tuple(_real_part(m) for m in made)
    return [None if m is None else builder.lower(m) for m in made]


def _real_part(made: Any) -> Any:
    """Of a real result, the tangent is the real part."""
    found = isinstance(made, Handle) and made.type.dtype in COMPLEX
    return made.apply("real", made) if found else made


def _elementwise(
    row: Row, y: Handle, args: list[Handle], dots: list[Any], options: Mapping[str, Any]
) -> list[Any]:
    pairs = zip(row.partials, dots, strict=False)
    given = {name: value for name, value in options.items() if name != "spelling"}
    return [p(y, *args, **given) * d for p, d in pairs if p is not None and d is not None]


def _linear(
    row: Row, y: Handle, args: list[Handle], dots: list[Any], options: Mapping[str, Any]
) -> list[Any]:
    return [
        d.apply(row.name, *args[:k], d, *args[k + 1 :], **options)
        for k, d in enumerate(dots)
        if d is not None and k in row.transposes
    ]


def _structural(
    row: Row, y: Handle, args: list[Handle], dots: list[Any], options: Mapping[str, Any]
) -> list[Any]:
    values = list(args)
    for k in JOINT[row.name]:
        zero = 0.0 if args[k].type.is_scalar else args[k].apply("zeros_like", args[k])
        values[k] = zero if dots[k] is None else dots[k]
    return [y.apply(row.name, *values, **options)]


_TERMS = {"elementwise": _elementwise, "linear": _linear, "structural": _structural}


def _sum(terms: list[Any]) -> Any:
    total = None
    for term in terms:
        total = term if total is None else total + term
    return total


def adjoint_of(builder: Builder, stmt: Apply, y_bars: Sequence[Operand]) -> list[Operand | None]:
    """The contributions to the adjoints of a statement's arguments, not summed down."""
    row = TABLE[stmt.op]
    ys = tuple(builder.handle(r) for r in stmt.results)
    all_bars = tuple(builder.handle(b) for b in y_bars)
    y, bar = ys[0], all_bars[0]
    args = [builder.handle(a) for a in stmt.args]
    options = dict(stmt.options)
    if row.kind == "elementwise":
        pairs = zip(stmt.args, row.partials, strict=False)
        made = [
            bar * p(y, *args, **stmt.settings) if p and isinstance(a, Value) else None
            for a, p in pairs
        ]
    elif row.kind == "general":
        assert row.adjoint is not None
        several = (ys, all_bars) if len(ys) > 1 else (y, bar)
        made = list(row.adjoint(builder, *several, args, options))
    else:
        made = [
            row.transposes[k](bar, *args, **options) if k in row.transposes else None
            for k in range(len(args))
        ]
    return [None if m is None else builder.lower(m) for m in made]


def push_forward(
    builder: Builder, stmts: Sequence[Stmt], dots: Mapping[str, Operand]
) -> dict[str, Operand]:
    """Appends the tangent of straight-line code to it; gives the tangents by value name."""
    dots = dict(dots)
    for stmt in stmts:
        assert isinstance(stmt, Apply)
        found = [dots.get(a.name) if isinstance(a, Value) else None for a in stmt.args]
        made = tangent_of(builder, stmt, found)
        for result, dot in zip(stmt.results, made, strict=True):
            if dot is not None:
                dots[result.name] = dot
    return dots


def evaluate(stmts: Sequence[Stmt], given: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every name after straight-line code."""
    machine = Machine({"np": np}, {})
    machine.values.update(given)
    for stmt in stmts:
        machine.execute(stmt)
    return machine.values


def read(values: Mapping[str, Any], operand: Operand | None) -> Any:
    """The value of an operand; None is zero."""
    if operand is None:
        return 0.0
    return operand.value if isinstance(operand, Const) else values[operand.name]


def sum_down(bar: Any, like: Any) -> Any:
    """A contribution in the shape of the argument: summed where the argument was broadcast."""
    bar, shape = np.asarray(bar), np.shape(like)
    bar = bar if np.iscomplexobj(like) else bar.real
    if bar.ndim < len(shape):
        bar = np.broadcast_to(bar, shape)
    bar = bar.sum(axis=tuple(range(bar.ndim - len(shape))))
    ones = tuple(k for k, n in enumerate(shape) if n == 1 and bar.shape[k] != 1)
    bar = bar.sum(axis=ones, keepdims=True)
    return np.broadcast_to(bar, shape)


def type_faults(
    stmts: Sequence[Stmt], values: Mapping[str, Any], symbols: Mapping[str, int]
) -> list[str]:
    """Where an inferred type and the value disagree."""
    return [
        f"{stmt.op}: {result.name} has type {result.type}, value {values[result.name]!r}"
        for stmt in stmts
        if isinstance(stmt, Apply)
        for result in stmt.results
        if not agrees(result.type, values[result.name], symbols)
    ]


def stated(dim: Dim | None, symbols: Mapping[str, int]) -> int | None:
    """A length; None if it is unknown, or that of a slice that may be clamped."""
    if dim is None or dim.symbol.startswith("<"):
        return None
    return symbols.get(dim.symbol, 0) + dim.offset


def agrees(type: Type, value: Any, symbols: Mapping[str, int]) -> bool:
    """Whether a value has a type, `symbols` being the lengths that the symbols stand for."""
    if type.kind == "object":
        return True
    if type.is_scalar != (not isinstance(value, np.ndarray)) and type.kind != "list":
        return type.is_scalar and np.ndim(value) == 0
    if stated(type.value, symbols) not in (None, value):
        return False
    # A float64 scalar stands for a Python number, which may meet a narrower array.
    if not type.is_scalar and np.asarray(value).dtype != type.dtype:
        return False
    if type.shape is None:
        return True
    lengths = [stated(d, symbols) for d in type.shape]
    return len(lengths) == np.ndim(value) and all(
        n is None or max(0, n) == m for n, m in zip(lengths, np.shape(value), strict=True)
    )


def pull_back(builder: Builder, stmts: Sequence[Stmt], seeds: Mapping[str, Operand]) -> Bars:
    """Appends the adjoint of straight-line code; gives the adjoints by value name."""
    bars = dict(seeds)
    for stmt in reversed(stmts):
        assert isinstance(stmt, Apply)
        bar = bars.pop(stmt.result.name, None)
        if bar is None or not TABLE[stmt.op].has_derivative:
            continue
        for arg, made in zip(stmt.args, adjoint_of(builder, stmt, [bar]), strict=False):
            if made is None or not isinstance(arg, Value) or not arg.type.is_differentiable:
                continue
            down = "sum" if arg.type.is_scalar else "unbroadcast"
            extra = () if arg.type.is_scalar else (arg,)
            term = builder.apply(down, made, *extra)
            before = bars.get(arg.name)
            bars[arg.name] = term if before is None else builder.apply("add", before, term)
    return bars
