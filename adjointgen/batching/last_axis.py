"""The axis of the directions: first while values are computed, last in seeds and derivatives.

    f(x, x_dot):      x_dot (k, n)           f(x, x_dot):      x_dot (n, k)
        y_dot = a * x_dot            ->          x_dot = x_dot.T
        return y_dot  (k, n)                     y_dot = a * x_dot
                                                 return y_dot.T

A batch axis comes first, where NumPy broadcasts; the axis of several directions comes last in what
a caller sees, as it does in compiled programs, where neighbours in memory are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from adjointgen.batching.axis_symbols import renumbered
from adjointgen.ir.edit import substitute_in, with_values
from adjointgen.ir.nodes import Block, Function, Operand, Value
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names

_ROWS = "_rows"
"""What is added to a name for the array whose rows are the directions."""


def with_last_axis(function: Function, seeds: Collection[str], ends: Collection[int]) -> Function:
    """A batched program whose seeds, and the results at these places, have the batch axis last."""
    inputs = {p.root: p.type.rank or 0 for p in function.body.params if p.root in seeds}
    yielded = (function.body.yields[k] for k in ends)
    turned = {y.root for y in yielded if isinstance(y, Value)}
    turned -= {"", *(p.root for p in function.body.params)}
    body = with_values(function.body, lambda v: _in_rows(_measured(v, inputs), turned))
    builder = Builder(Names.of(function))
    params, made = [], dict[str, Operand]()
    for param in body.params:
        shape = param.type.shape
        if param.root not in inputs or shape is None or len(shape) == 1:
            params.append(param)
            continue
        params.append(replace(param, type=replace(param.type, shape=(*shape[1:], shape[0]))))
        rows = _moved(builder, params[-1], -1, 0)
        made[param.name] = builder.rename(rows, "", f"{param.root}{_ROWS}")
    for stmt in substitute_in(body, made).stmts:
        builder.add(stmt)
    yields = [made.get(y.name, y) if isinstance(y, Value) else y for y in body.yields]
    for k in ends:
        end = yields[k]
        if isinstance(end, Value) and (end.type.rank or 0) > 1:
            yields[k] = builder.rename(_moved(builder, end, 0, -1), function.names[k])
    return replace(function, body=Block(tuple(params), builder.stmts, tuple(yields)))


def _in_rows(value: Value, roots: Collection[str]) -> Value:
    """A value that is turned in the end, under another name."""
    is_turned = value.root in roots and (value.type.rank or 0) > 1
    return replace(value, root=f"{value.root}{_ROWS}") if is_turned else value


def _moved(builder: Builder, value: Value, source: int, destination: int) -> Value:
    if value.type.rank == 2:
        return builder.apply("transpose", value)
    return builder.apply("moveaxis", value, source=source, destination=destination)


def _measured(value: Value, seeds: Mapping[str, int]) -> Value:
    """A value with the lengths of seeds by their axes as they are passed."""

    def axis(name: str, own: int) -> int:
        return (own - 1) % seeds[name] if name in seeds else own

    return replace(value, type=renumbered(value.type, axis))
