"""How a row of the table is written as a call: callee, positional arguments, keywords.

An operand is positional as long as all before it are; an option is a keyword, and is left out
where it has its default. What has no spelling of the user's is NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from adjointgen.emit.syntax.expression_trees import (
    attribute,
    call,
    list_,
    literal,
    name,
    tuple_,
    unary,
)
from adjointgen.emit.syntax.tree import Call, Code, Expression, List
from adjointgen.ir.nodes import Apply, Const, Operand
from adjointgen.rules.framework.table import Parameter, Row
from adjointgen.rules.framework.type_rules import dtype_named

_ATTRIBUTES = frozenset({".T", ".real", ".imag", ".size", ".ndim", ".shape", ".flat"})
_OF_NUMBERS = frozenset({".real", ".imag", ".conjugate"})
BY_POSITION = frozenset({".swapaxes", ".transpose"})
"""Methods of arrays that take no keywords: with options they are written as NumPy's functions."""
_IN_LISTS = frozenset({"array_of"})
_DEFAULT_DTYPE = frozenset({"zeros", "ones", "empty", "eye", "identity"})


class Modules:
    """The modules that printed text names, each under its alias.

    Where numbers are converted at all, `plain` are the functions whose results are Python's.
    `classes` are those that annotations name, each with its module.
    """

    def __init__(self, numpy: str = "np", plain: Collection[str] | None = None) -> None:
        self.numpy = numpy
        self.plain = plain
        self.used: set[str] = set()
        self.classes: dict[str, str] = {}

    def callee(self, spelling: str) -> Expression:
        """The function that a qualified name denotes, its module noted as used."""
        module, _, function = spelling.rpartition(".")
        if module in ("builtins", ""):
            return name(function)
        top, _, rest = module.partition(".")
        if top in ("numpy", "np"):
            self.used.add("numpy")
            return name(".".join(part for part in (self.numpy, rest, function) if part))
        # A distribution, as in `scipy.stats.norm.cdf`, is an object in a module.
        in_stats = module.startswith("scipy.stats.")
        self.used.add(top if not rest else "scipy.stats" if in_stats else module)
        return name(spelling)

    def module(self, module: str) -> Expression:
        """A module that code names, noted as used."""
        self.used.add(module)
        return name(self.numpy if module == "numpy" else module)

    def unbounded(self, value: float) -> Expression:
        """An infinity, or what is no number."""
        if math.isnan(value):
            return self.callee("math.nan")
        infinite = self.callee("math.inf")
        return infinite if value > 0 else unary("-", infinite)

    def dtype(self, named: object) -> Expression:
        """A dtype as the text of an argument: `np.float32`, `np.bool_`."""
        text = dtype_named(named, "float64")
        return self.callee("numpy.bool_" if text == "bool" else f"numpy.{text}")


def spelling(row: Row, stmt: Apply) -> str:
    """The name an operation is called by: the user's, or the best of its row."""
    own = stmt.option("spelling")
    if isinstance(own, str):
        return own
    functions = [s for s in row.spellings if not s.startswith(".")] or list(row.spellings)
    return next((s for s in functions if s.startswith("numpy.")), functions[0])


def call_row(row: Row, stmt: Apply, operands: Sequence[Expression], modules: Modules) -> Expression:
    """An operation as the call of a function or method."""
    callee = spelling(row, stmt)
    if callee.startswith(".") and _may_lack(stmt.args[0], callee):
        operands = [numpy_call(modules, "asarray", operands[0]), *operands[1:]]
    if callee in _ATTRIBUTES:
        return attribute(operands[0], callee[1:])
    positional, keywords = _arguments(row, stmt, operands, modules)
    if callee in BY_POSITION and keywords:
        return call(modules.callee(f"numpy{callee}"), positional, keywords)
    if callee.startswith("."):
        return call(attribute(positional[0], callee[1:]), positional[1:], keywords)
    return call(modules.callee(callee), positional, keywords)


def _may_lack(operand: Operand, method: str) -> bool:
    """Whether a list, or a number that may be Python's, has no such method or attribute."""
    return operand.type.kind == "list" or (operand.type.is_scalar and method not in _OF_NUMBERS)


def _arguments(
    row: Row, stmt: Apply, operands: Sequence[Expression], modules: Modules
) -> tuple[list[Expression], dict[str, Expression]]:
    left = list(zip(operands, stmt.args, strict=True))
    after = sum(p.operand for p in row.parameters)
    positional: list[Expression] = []
    named: dict[str, Expression] = {}
    options = keywords(row, stmt, modules)
    by_name = False
    for parameter in row.parameters:
        after -= parameter.operand
        if not parameter.operand and after and row.parameters[-1].separate:
            # What stands before separate arguments cannot be named.
            positional.append(literal(stmt.option(parameter.name, parameter.default)))  # type: ignore[arg-type]
        elif not parameter.operand:
            by_name = True
            if parameter.name in options:
                named[parameter.name] = options[parameter.name]
        elif parameter.variadic:
            count = len(left) - after
            positional += _together(row, parameter, left[:count], modules)
            left = left[count:]
        elif left and _is_left_out(row, left[0][1]):
            left.pop(0)
            by_name = True
        elif left and (by_name or parameter.named):
            named[parameter.name] = left.pop(0)[0]
        elif left:
            positional.append(left.pop(0)[0])
    return positional, named


def _is_left_out(row: Row, operand: Operand) -> bool:
    """Whether an argument was not given, where the function does not take None for that."""
    absent = isinstance(operand, Const) and operand.value is None
    return absent and bool(row.spellings) and row.spellings[0].startswith("scipy.")


def _together(
    row: Row,
    parameter: Parameter,
    items: Sequence[tuple[Expression, Operand]],
    modules: Modules,
) -> list[Expression]:
    """A variadic operand: a tuple, unless it is one number or itself a shape (`np.zeros(n)`)."""
    texts = [text for text, _ in items]
    lengths = parameter.name in ("shape", "reps")
    one = len(items) == 1 and items[0][1].type.kind in ("scalar", "object")
    if parameter.separate or (lengths and one):
        return texts
    if row.name in _IN_LISTS:
        return [list_([_row(text, modules) for text in texts])]
    return [tuple_(texts)]


def _row(text: Expression, modules: Modules) -> Expression:
    """A row of a matrix: the list that an array is made of stands for it."""
    start, end = f"{modules.numpy}.array([", "])"
    match text:
        case Call(
            function=callee, arguments=(List() as entries,), keywords=()
        ) if callee == modules.callee("numpy.array"):
            return entries
        case Code(text=code) if code.startswith(start) and code.find("]") == len(code) - 2:
            return Code(f"[{code[len(start) : -len(end)]}]", text.level)
    return text


def keywords(row: Row, stmt: Apply, modules: Modules) -> dict[str, Expression]:
    """The options that differ from their defaults, as keyword arguments."""
    texts = ((p.name, _option(p, stmt, modules)) for p in row.parameters if not p.operand)
    return {key: text for key, text in texts if text is not None}


def _option(parameter: Parameter, stmt: Apply, modules: Modules) -> Expression | None:
    value: Any = stmt.option(parameter.name, parameter.default)
    if value == parameter.default and type(value) is type(parameter.default):
        return None
    if parameter.name == "dtype":
        if stmt.op in _DEFAULT_DTYPE and dtype_named(value, "float64") == "float64":
            return None
        return modules.dtype(value)
    if parameter.name == "axis" and isinstance(value, tuple) and len(value) == 1:
        return literal(value[0])
    if isinstance(value, float) and math.isinf(value):
        return modules.unbounded(value)
    if isinstance(value, str) and value.startswith("np."):
        return modules.callee(value)
    return literal(value)


def numpy_call(modules: Modules, function: str, *arguments: Expression) -> Expression:
    """`np.function(arguments)`."""
    return call(modules.callee(f"numpy.{function}"), arguments)
