"""What a temporary is called: by the operation that it is the result of.

    x**2                x_squared             a / b           ratio
    np.exp(x)           exp_x                 u[i], u[1:-1]   u_i, u_part
    its adjoint         ratio_bar             its tangent     ratio_dot

A name of the user's would say what a value is for; where there is none, what it is comes next, and
a number says neither. The nouns are those of the operations' rows.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping
from typing import Final

from adjointgen.ir.nodes import (
    Apply,
    Block,
    Call,
    Const,
    Loop,
    Operand,
    Record,
    Replay,
    Value,
    walk,
)
from adjointgen.rules.arrays.indexing import Slice, Slot, parse_index
from adjointgen.rules.framework.table import TABLE, Row

TEMPORARY: Final = "t"
"""What the names of values begin with that no variable has."""
LONGEST: Final = 16
"""Names of variables up to this length are part of the names of what is computed from them."""
_DERIVATIVE: Final = re.compile(r"(.+?)((?:_(?:bar|dot|rows))+)(?:_\d+)?")
_POWERS: Final[dict[object, str]] = {
    2: "{}_squared",
    3: "{}_cubed",
    0.5: "sqrt_{}",
    -1: "inverse_{}",
}
_NOUNS_OF_POWERS: Final[dict[object, str]] = {2: "square", 3: "cube", 0.5: "root", -1: "inverse"}


def is_temporary(name: str) -> bool:
    """Whether this is the name of a temporary's value, or of what belongs to one: `t_8_bar`."""
    return name.partition("_")[0] == TEMPORARY


def temporary_names(body: Block) -> dict[str, str]:
    """Names of temporaries by the names of their values; what has none is not there."""
    known = _Names(body)
    found = ((name, known.of_value(name)) for name in known.makers)
    return {name: own for name, own in found if own}


def array_of(value: Value, makers: Mapping[str, Apply]) -> str:
    """The variable that a temporary is a part of, if it is one."""
    made = makers.get(value.name)
    while made is not None and TABLE[made.op].noun in ("part", "same"):
        array, *_ = made.args
        if not isinstance(array, Value):
            break
        if array.root:
            return array.root
        made = makers.get(array.name)
    return ""


class _Names:
    def __init__(self, body: Block) -> None:
        self.makers: dict[str, Apply | Call | Replay] = {}
        self.values: dict[str, Value] = {}
        self._records: dict[str, Operand] = {}
        self._found: dict[str, str] = {}
        self._roots = {p.name: p.root for p in body.params if p.root}
        self._indices = frozenset(s.index.name for s in walk(body) if isinstance(s, Loop))
        for stmt in walk(body):
            match stmt:
                case Apply(results=results) | Call(results=results):
                    self._made(stmt, *results)
                case Replay(result=result):
                    self._made(stmt, result)
                case Record(slot=slot, value=value):
                    self._records.setdefault(slot, value)

    def _made(self, stmt: Apply | Call | Replay, *results: Value) -> None:
        for result in results:
            if result.root:
                self._roots[result.name] = result.root
            else:
                self.makers[result.name] = stmt
                self.values[result.name] = result

    def of_value(self, name: str) -> str:
        """The name of what a value is, or nothing."""
        if name not in self._found:
            self._found[name] = ""  # what is computed from itself has none
            self._found[name] = self._of_derivative(name) or self._of_maker(self.makers.get(name))
        return self._found[name]

    def _of_derivative(self, name: str) -> str:
        """`ratio_bar`, the adjoint of what is called `ratio`."""
        match = _DERIVATIVE.fullmatch(name)
        own = (self._roots.get(match[1]) or self.of_value(match[1])) if match else ""
        return f"{own}{match[2]}" if match and own else ""

    def _of_maker(self, stmt: Apply | Call | Replay | None) -> str:
        match stmt:
            case Replay(slot=slot):
                return self._of_operand(self._records.get(slot)) or _of_list(slot)
            case Call(function=function, results=(_,)):
                return f"{function.rpartition('.')[2].strip('_')}_value"
            case Apply(results=(_,)):
                row = TABLE.rows.get(stmt.op)
                return "" if row is None else self._of_operation(stmt, row)
        return ""

    def _of_operation(self, stmt: Apply, row: Row) -> str:
        if row.noun == "part":
            return self._of_part(stmt)
        if row.noun == "same":
            return self._of_operand(stmt.args[0]) if stmt.args else ""
        exponent = _exponent(stmt, row)
        if exponent in _POWERS:
            return self._of_one(stmt.args[0], _POWERS[exponent], _NOUNS_OF_POWERS[exponent])
        spelled = str(stmt.option("spelling", row.spellings[0] if row.spellings else ""))
        if "{}" in row.noun:
            return self._of_one(stmt.args[0], row.noun, stmt.op)
        own = row.noun or spelled.rpartition(".")[2].strip("_")
        if own and len(stmt.args) == 1:
            return self._of_one(stmt.args[0], f"{own}_{{}}", own)
        return f"{own}_value" if own in dir(builtins) else own

    def _of_one(self, operand: Operand, form: str, noun: str) -> str:
        """`exp_x` for a variable `x`; `exp` for what has no name."""
        variable = self._variable(operand)
        if variable:
            return form.format(variable)
        return f"{noun}_value" if noun in dir(builtins) else noun

    def _of_operand(self, operand: Operand | None) -> str:
        if not isinstance(operand, Value):
            return ""
        return operand.root or self.of_value(operand.name)

    def _variable(self, operand: Operand) -> str:
        """The variable that an operand is, if its name is short; `u_i` for an element of one."""
        if not isinstance(operand, Value):
            return ""
        made = self.makers.get(operand.name)
        is_part = isinstance(made, Apply) and TABLE.get(made.op).noun == "part"
        own = operand.root or (self.of_value(operand.name) if is_part else "")
        return own if len(own) <= LONGEST else ""

    def _of_part(self, stmt: Apply) -> str:
        """`u_i` for `u[i]`, `u_part` for other parts of `u`."""
        array, *indices = stmt.args
        own = self._of_operand(array)
        if not own or len(own) > LONGEST:
            return ""
        places = [*self._places(str(stmt.option("index")), indices)]
        named = isinstance(array, Value) and bool(array.root)
        simple = named and all(places) and stmt.result.type.is_scalar and len(places) <= 3
        rest = "entry" if stmt.result.type.is_scalar else "part"
        return "_".join([own, *(places if simple else [rest])])

    def _places(self, pattern: str, indices: list[Operand]) -> Iterator[str]:
        """The text of each index that is a name or a number from the start, or nothing."""
        for item in parse_index(pattern):
            match item:
                case int() if item >= 0:
                    yield str(item)
                case -1:
                    yield "last"
                case Slot(number=k):
                    index = indices[k]
                    whole = isinstance(index, Const) and isinstance(index.value, int)
                    yield str(index.value) if whole and index.value >= 0 else self._index(index)  # type: ignore[operator,union-attr]
                case Slice():
                    yield ""
                case _:
                    yield ""

    def _index(self, index: Operand) -> str:
        is_short = isinstance(index, Value) and 0 < len(index.root) <= 6
        return index.root.strip("_") if is_short and isinstance(index, Value) else ""


def _exponent(stmt: Apply, row: Row) -> object:
    """The exponent of a power, if it is a literal; `x * x` is one."""
    match stmt.args:
        case (_, Const(value=float() | int() as value)) if row.symbol == "**":
            return value
        case (Value() as a, b) if a == b and row.symbol == "*":
            return 2
    return None


def _of_list(slot: str) -> str:
    """The name of what is taken from a list that another function has filled: `u` of `u_tape`."""
    own = slot.partition("_tape")[0]
    return "" if is_temporary(own) else own
