"""Lists of numbers at the ends of a program are arrays while many directions are followed.

    f(x, y_bar):                      f(x, y_bar):
        ...                    ->         y_bar_list = y_bar.tolist()
        return y_dot                      ...
                                          return np.array(y_dot)

and the other way round for callers, who have lists of rows then.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from adjointgen.ir.edit import substitute_in
from adjointgen.ir.nodes import Function, Operand, Value
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names

Form = Literal["array", "list"]


def is_list(operand: Operand) -> bool:
    """Whether an operand is a list of numbers or of arrays of one shape."""
    return isinstance(operand, Value) and operand.type.kind == "list"


def with_arrays(function: Function, params: Collection[str], ends: Collection[int]) -> Function:
    """The program with arrays for these parameters, and for the results at these places."""
    return _changed(function, params, ends, "array")


def with_lists(function: Function, params: Collection[str], ends: Collection[int]) -> Function:
    """The program with lists for these parameters, and for the results at these places."""
    return _changed(function, params, ends, "list")


def _changed(
    function: Function, params: Collection[str], ends: Collection[int], kind: Form
) -> Function:
    if not params and not ends:
        return function
    builder = Builder(Names.of(function))
    made: dict[str, Operand] = {}
    given = []
    for param in function.body.params:
        if param.root in params:
            given.append(replace(param, type=replace(param.type, kind=kind)))
            other = _converted(builder, given[-1], kind != "list")
            made[param.name] = builder.rename(other, "", f"{param.root}_{other.type.kind}")
        else:
            given.append(param)
    for stmt in substitute_in(function.body, made).stmts:
        builder.add(stmt)
    yields = [made.get(getattr(y, "name", ""), y) for y in function.body.yields]
    for k in ends:
        end = yields[k]
        assert isinstance(end, Value)
        yields[k] = _converted(builder, end, kind == "list")
    body = replace(function.body, params=tuple(given), stmts=builder.stmts, yields=tuple(yields))
    return replace(function, body=body)


def _converted(builder: Builder, value: Value, to_list: bool) -> Value:
    """An array as a list, or a list as an array."""
    if to_list:
        made = builder.apply("tolist" if value.type.rank == 1 else "rows", value)
        return builder.retyped(made, replace(value.type, kind="list"))
    made = builder.apply("array", value)
    return builder.retyped(made, replace(value.type, kind="array"))
