"""A rule in both modes as Python statements: what the rule builds from symbols, printed as code is.

    y = sqrt(x)      y_dot = x_dot * (0.5 / y)      x_bar += y_bar * (0.5 / y)

The rule is called with symbolic operands of the types that its row may be tested at, and what it
appended is emitted like any other program. Sums over broadcast axes are the transform's, not the
rule's, and are not shown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from adjointgen.ad.prepare.expand_rows import written_out
from adjointgen.emit.write.module import emit
from adjointgen.errors import AdjointgenError
from adjointgen.ir.nodes import Block, Function, Leaf, Node, Operand, Parameter, Value
from adjointgen.ir.types import OBJECT, Dim, Type, parse_type
from adjointgen.optimize.simplify import regrouped
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import Builder, Handle, Names, const
from adjointgen.rules.framework.table import Row

# The operations that the transforms know by name have no rule to print.
STRUCTURAL = {
    "load": (["y_dot = a_dot[i]"], ["a_bar[i] += y_bar"]),
    "store": (["a_dot[i] = v_dot"], ["v_bar += a_bar[i]", "a_bar[i] = 0.0"]),
    "accumulate": (["a_dot[i] += v_dot"], ["v_bar += a_bar[i]"]),
    "push": (["a_dot.append(v_dot)"], ["v_bar += a_bar[-1]", "a_bar = a_bar[:-1]"]),
    "drop": (["a_dot.pop()"], ["a_bar = [*a_bar, 0.0]"]),
    "copy": (["y_dot = a_dot.copy()"], ["a_bar += y_bar"]),
    "select": (
        ["y_dot = np.where(c, a_dot, b_dot)"],
        ["a_bar += np.where(c, y_bar, 0.0)", "b_bar += np.where(c, 0.0, y_bar)"],
    ),
}


@dataclass(frozen=True, slots=True)
class Formula:
    """The statements of both modes, and the types that they are written for."""

    types: str
    tangent: list[str]
    adjoint: list[str]


@dataclass(frozen=True, slots=True)
class Call:
    """`y = op(*args, **options)` in symbols."""

    row: Row
    args: tuple[Operand, ...]
    options: dict[str, Any]
    results: tuple[Value, ...]

    @property
    def varied(self) -> list[Value]:
        """The operands that can be differentiated."""
        return [a for a in self.args if isinstance(a, Value) and a.type.is_differentiable]

    def of(self, builder: Builder) -> tuple[Any, list[Handle]]:
        """The result, or the tuple of them, and the operands, as a rule is given them."""
        y = tuple(map(builder.handle, self.results))
        return (y[0] if len(y) == 1 else y), [builder.handle(a) for a in self.args]


def formula(row: Row) -> Formula | None:
    """The rule of a row; None where it has none, or none that can be stated without values."""
    if row.name in STRUCTURAL:
        return Formula("", *STRUCTURAL[row.name])
    for example in _examples(row):
        try:
            call = _call(row, example)
            if not call.varied:
                continue
            shown = call.args if row.kind == "elementwise" else call.varied
            types = ", ".join(f"{a.name}: {_plain(a.type)}" for a in shown if isinstance(a, Value))
            given = [f"{name}={value!r}" for name, value in call.options.items()]
            return Formula(", ".join([types, *given]), _tangent(call), list(_adjoint(call)))
        except (AdjointgenError, TypeError, ValueError, KeyError):
            continue
    return None


def _examples(row: Row) -> Iterator[Sequence[Any]]:
    """The examples of a row's domain, those of arrays first."""
    if row.kind == "elementwise" and row.domain is not None:
        listed = isinstance(row.domain, list)
        yield tuple(map(_entry, row.domain[0])) if listed else ("float64",) * len(row.domain)
    elif row.kind in ("linear", "general"):
        yield from sorted(row.domain or (), key=lambda e: "[" not in str(e[0]))


def _entry(spec: Any) -> str:
    """The type of one entry of an operand of an example."""
    return "int64" if isinstance(spec, int) else "float64"


def _call(row: Row, example: Sequence[Any]) -> Call:
    *specs, options = example if isinstance(example[-1], dict) else (*example, {})
    operands = [p for p in row.parameters if p.operand]
    names = [p.name for p in operands]
    if operands and any(p.variadic for p in operands):
        at = next(k for k, p in enumerate(operands) if p.variadic)
        many = len(specs) - len(operands) + 1
        names[at : at + 1] = [f"x{k}" for k in range(1, many + 1)]
    pairs = zip(names, specs, strict=False)
    args = tuple(_operand(name, spec) for name, spec in pairs)
    types = row.infer(tuple(a.type for a in args), options)
    taken = {a.name for a in args if isinstance(a, Value)}
    stem = next(name for name in ("y", "z", "v", "w") if name not in taken)
    several = len(types) > 1
    results = (Value(f"{stem}{k}" if several else stem, t) for k, t in enumerate(types, 1))
    return Call(row, args, dict(options), tuple(results))


def _operand(name: str, spec: Any) -> Operand:
    """An operand of an example: lengths become symbols, numbers stay."""
    if isinstance(spec, str):
        type = parse_type(spec)
        return Value(name, _symbolic(name, type), name)
    if isinstance(spec, list | tuple):
        given = np.asarray(spec)
        dims = tuple(Dim(f"{name}.{k}") for k in range(given.ndim))
        return Value(name, Type(str(given.dtype), dims, "array"))
    plain = spec is None or isinstance(spec, bool | int | float | complex | str)
    return const(spec) if plain else Value(name, OBJECT)


def _symbolic(name: str, type: Type) -> Type:
    dims = enumerate(type.shape or ())
    shape = tuple(d if d == Dim("", 1) else Dim(f"{name}.{k}") for k, d in dims)
    return Type(type.dtype, shape, type.kind)


def _plain(type: Type) -> str:
    """A type with its rank: `float64`, `float64[:, :]`."""
    lengths = ", ".join("1" if d == Dim("", 1) else ":" for d in type.shape or ())
    return f"{type.dtype}[{lengths}]" if lengths else type.dtype


def _tangent(call: Call) -> list[str]:
    """`y_dot = ...`, the sum over all varied operands."""
    dots = {v.name: Value(f"{v.name}_dot", v.type) for v in call.varied}

    def build(builder: Builder) -> list[Any]:
        y, args = call.of(builder)
        given = [
            builder.handle(dots[a.name]) if isinstance(a, Value) and a.name in dots else None
            for a in call.args
        ]
        if call.row.kind == "general":
            assert call.row.tangent is not None
            made = call.row.tangent(builder, y, args, given, call.options)
            return list(made) if isinstance(made, tuple) else [made]
        return [_sum(_terms(call, y, args, given))]

    targets = [f"{y.name}_dot =" for y in call.results]
    return _statements(call, list(dots.values()), build, targets)


def _terms(call: Call, y: Any, args: list[Handle], dots: list[Any]) -> Iterator[Any]:
    """The contribution of each varied operand to the tangent."""
    row = call.row
    for k, dot in enumerate(dots):
        if dot is None:
            continue
        if row.kind == "linear" and k in row.transposes:
            yield dot.apply(row.name, *args[:k], dot, *args[k + 1 :], **call.options)
        elif row.kind == "elementwise" and k < len(row.partials):
            slope = row.partials[k]
            if slope is not None:
                yield slope(y, *args) * dot


def _sum(terms: Iterator[Any]) -> Any:
    total = None
    for term in terms:
        total = term if total is None else total + term
    return total


def _adjoint(call: Call) -> Iterator[str]:
    """`x_bar += ...` for each varied operand."""
    bars = [Value(f"{y.name}_bar", y.type) for y in call.results]
    for k, arg in enumerate(call.args):
        if arg in call.varied and isinstance(arg, Value):
            build = partial(_contribution, call, bars, k)
            yield from _statements(call, bars, build, [f"{arg.name}_bar +="])


def _contribution(call: Call, bars: list[Value], k: int, builder: Builder) -> list[Any]:
    """What the adjoint of the results adds to that of operand `k`."""
    row, (y, args) = call.row, call.of(builder)
    given = tuple(map(builder.handle, bars))
    y_bar = given[0] if len(given) == 1 else given
    match row.kind:
        case "elementwise":
            slope = row.partials[k]
            return [None if slope is None else y_bar * slope(y, *args)]
        case "linear":
            rule = row.transposes.get(k)
            return [None if rule is None else rule(y_bar, *args, **call.options)]
        case _:
            assert row.adjoint is not None
            builder.wanted = tuple(n == k for n in range(len(args)))
            return [row.adjoint(builder, y, y_bar, args, call.options)[k]]


def _statements(
    call: Call, more: list[Value], build: Callable[[Builder], list[Any]], targets: list[str]
) -> list[str]:
    """What `build` appends, as Python statements that end in the targets."""
    own = [a for a in call.args if isinstance(a, Value)]
    params = [*call.results, *own, *more]
    builder = Builder(Names([p.name for p in params]))
    made = build(builder)
    shown = [(t, builder.lower(m)) for t, m in zip(targets, made, strict=True) if m is not None]
    if not shown:
        return []
    yields = tuple(operand for _, operand in shown)
    function = Function(
        "rule",
        tuple(Parameter(p.name) for p in params),
        Block(tuple(params), builder.stmts, yields),
        Leaf() if len(yields) == 1 else Node("tuple", (Leaf(),) * len(yields)),
        tuple(f"out_{k}" for k in range(len(yields))),
    )
    function = regrouped(written_out(function), frozenset(p.name for p in params))
    return _printed(function, [t for t, _ in shown])


def _printed(function: Function, targets: list[str]) -> list[str]:
    """The statements of an emitted function, its return values assigned to the targets."""
    body = next(n for n in ast.parse(emit([function])).body if isinstance(n, ast.FunctionDef)).body
    *before, last = body
    lines = [line for stmt in before for line in ast.unparse(stmt).split("\n")]
    assert isinstance(last, ast.Return) and last.value is not None
    value = last.value
    if before and _names(before[-1], value):
        # What was named only to be returned.
        value = before.pop().value  # type: ignore[attr-defined]
        lines = [line for stmt in before for line in ast.unparse(stmt).split("\n")]
    parts = value.elts if len(targets) > 1 and isinstance(value, ast.Tuple) else [value]
    return [*lines, *(f"{t} {ast.unparse(p)}" for t, p in zip(targets, parts, strict=True))]


def _names(stmt: ast.stmt, value: ast.expr) -> bool:
    """Whether a statement gives a value the name that is asked for."""
    match stmt:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return isinstance(value, ast.Name) and value.id == name
    return False
