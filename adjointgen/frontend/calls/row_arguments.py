"""What a call gives for the parameters of a row, bound as the Python function would."""

from __future__ import annotations

import inspect
from typing import Any

from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, Range, Seq
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.ranges import as_numbers, is_large, positions
from adjointgen.frontend.state.static_options import harmless, static
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import Parameter, Row
from adjointgen.watch import Declared, Held, look

_PLACES = ("obj", "axes")
"""Operands that are positions, also where there are none."""


def bind(one: Call, row: Row, method: bool) -> tuple[list[Abstract], dict[str, Any]] | None:
    """Operands in the order of the row, and options that are not the default."""
    args, keywords = list(one.args), dict(one.keywords)
    operands: list[Abstract] = []
    options: dict[str, Any] = {}
    left = len(row.parameters)
    for parameter in row.parameters:
        left -= 1
        if parameter.variadic:
            given = _variadic(
                one, parameter, args, keywords, method or parameter is row.parameters[-1]
            )
            if given is None:
                return None
            operands += given
            continue
        value = _given(row, parameter, args, keywords)
        if parameter.operand:
            operands.append(ABSENT if value is None else _operand(one, parameter.name, value))
        elif value is not None:
            option = static(one.ctx, value, parameter.name)
            if parameter.name == "dtype" and option == "":
                return None
            if option != parameter.default:
                options[parameter.name] = option
    if args or any(not harmless(one.ctx, k, v) for k, v in keywords.items()):
        return None
    while operands and operands[-1] == ABSENT:
        operands.pop()
    return [const(None) if o == ABSENT else o for o in operands], options


def _given(
    row: Row, parameter: Parameter, args: list[Abstract], keywords: dict[str, Abstract]
) -> Abstract | None:
    """What a call gives for a parameter, or the default."""
    if args and not parameter.named:
        return args.pop(0)
    given = keywords.pop(parameter.name, None)
    return _default(row, parameter) if given is None else given


def _default(row: Row, parameter: Parameter) -> Abstract | None:
    """What an operand is that a call leaves out, of a function whose rule was declared for it."""
    function = Declared.functions.get(row.name)
    if not parameter.operand or function is None:
        return None
    table = Held(function, lambda f: inspect.signature(f).parameters[parameter.name].default)
    found = look(table, f"default of {parameter.name}")
    return constant(found)


def _variadic(
    one: Call, parameter: Parameter, args: list[Abstract], keywords: dict[str, Abstract], last: bool
) -> list[Abstract] | None:
    """The operands of a tuple, of one length, or of all positional arguments that are left."""
    args += [keywords.pop(parameter.name)] if not args and parameter.name in keywords else []
    if not args:
        return [] if parameter.separate or not parameter.required else None
    first = args.pop(0)
    numbers = all(isinstance(a, Const | Value) and a.type.is_scalar for a in (first, *args))
    if parameter.separate or (args and last and numbers):
        # A list among these is one operand, as an array is.
        given = [_operand(one, parameter.name, arg) for arg in (first, *args)]
        args.clear()
        return given
    items = entries(one.ctx, first)
    if items is not None and (isinstance(content(one.ctx, first), Seq) or isinstance(first, Range)):
        return list(items)
    # One length is as good as a tuple of one; an array is not what a tuple of it is.
    return [first] if parameter.name in ("shape", "reps") else None


def _operand(one: Call, name: str, value: Abstract) -> Abstract:
    """An operand; where NumPy takes positions, an empty list is one of integers."""
    known = content(one.ctx, value)
    if isinstance(known, Range) and _is_of_numpy(one) and not is_large(known):
        return (positions if name in _PLACES else as_numbers)(one.ctx, known)
    empty = name in _PLACES and isinstance(known, Seq) and not known.items
    return one.ctx.apply("zeros", const(0), dtype="int64") if empty else value


def _is_of_numpy(one: Call) -> bool:
    """Whether a function makes arrays of what it is given."""
    spelling = getattr(one.function, "spelling", "")
    return str(spelling).startswith(("numpy.", "scipy."))


def is_list_itself(one: Call, row: Row, bound: tuple[list[Abstract], dict[str, Any]]) -> bool:
    """Whether NumPy hands a list back as it is: `np.diff(a, n=0)`."""
    operands, options = bound
    if row.view != "type" or not operands:
        return False
    base = operands[0]
    if not isinstance(content(one.ctx, base), Seq) and read(one.ctx, base).type.kind != "list":
        return False
    return bool(row.looks_into([read(one.ctx, base).type], options))
