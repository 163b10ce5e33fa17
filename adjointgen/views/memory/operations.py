"""What an operation gives, of shadows: the lengths of its results, and whether memory is theirs.

    new       y = np.sin(x)             an array of its own
    a view    y = x[1:]                 memory of the argument
    in place  y = np.sin(x) + a         NumPy adds to an operand that nobody else has

The last is what NumPy does for temporaries of 256 KiB and more (`temp_elide.c`). Lengths are those
of the type of the result where its symbols are known, else what the row of the operation infers of
operands whose lengths are numbers.
"""

from __future__ import annotations

import importlib
import operator
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from adjointgen.errors import AdjointgenError, InternalError
from adjointgen.ir.nodes import Apply
from adjointgen.ir.types import Dim, Type
from adjointgen.rules.framework.table import TABLE
from adjointgen.views.memory.shadows import Array, Meter, Unknown, known, type_of

SMALLEST_ELIDED: Final = 256 * 1024
_IN_PLACE: Final = "+-*/"
_EITHER: Final = "+*"
_NUMBERS: Final[Mapping[str, Callable[..., object]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_OF_ONE: Final[Mapping[str, Callable[..., object]]] = {"-": operator.neg, "not": operator.not_}
_SIZES: Final = re.compile(r"(?:max|len|_\d+_|\.nbytes|[\s\d+*/(),])+")


class Operations:
    """Applies operations to shadows; `symbols` are the lengths and integers that have names."""

    def __init__(self, meter: Meter, symbols: Mapping[str, int]) -> None:
        self._meter, self._symbols = meter, symbols
        self.unsure = False
        """Whether the lengths of some array are not known: a part is taken for the whole."""

    def new(self, shape: tuple[int, ...], dtype: str) -> Array:
        return Array(self._meter, shape, dtype, None, True)

    def view(self, a: Array, shape: tuple[int, ...], dtype: str) -> Array:
        return Array(self._meter, shape, dtype, a if a.owner is None else a.owner, False)

    def copy(self, value: object) -> object:
        match value:
            case Array():
                return self.new(value.shape, value.dtype)
            case list():
                return list(value)
        return value

    def results(self, stmt: Apply, args: list[object]) -> list[object]:
        """The results of an operation that writes to nothing; `args` hold what it reads."""
        row = TABLE.get(stmt.op)
        if (number := _number(stmt, args)) is not None:
            return [number]
        if row.fresh and row.kind == "structural":
            return [self.copy(args[0])]
        if row.measures and any(p.name == "axis" for p in row.parameters):
            return [_length(args[0], stmt.option("axis", 0))]
        types = self._types(stmt, args)
        if len(types) == 1 and (reused := _elided(stmt, args, types[0])) is not None:
            return [reused]
        looks = self._looks(stmt, args)
        return [self._made(stmt, type, looks, args) for type in types]

    def declared(self, type: Type) -> object:
        """A shadow of a type alone."""
        if type.is_scalar or type.kind == "object":
            return Unknown()
        shape = self._lengths(type)
        if shape is None:
            self.unsure = True
            return Unknown()
        return Unknown() if type.kind == "list" else self.new(shape, type.dtype)

    def lent(self, type: Type) -> object:
        """The same of memory that is somebody else's."""
        shape = self._lengths(type) if type.is_array else None
        return Unknown() if shape is None else Array(self._meter, shape, type.dtype, None, False)

    def _made(self, stmt: Apply, type: Type, looks: Sequence[int], args: list[object]) -> object:
        base = next((args[k] for k in looks if isinstance(args[k], Array)), None)
        shape = self._lengths(type)
        if not type.is_array or (base is None and shape is None):
            return self.declared(type)
        assert shape is not None or isinstance(base, Array)
        self.unsure |= shape is None
        if isinstance(base, Array):
            return self.view(base, base.shape if shape is None else shape, type.dtype)
        return self.new(shape or (), type.dtype)

    def _types(self, stmt: Apply, args: list[object]) -> Sequence[Type]:
        """The types of the results, with lengths that are numbers where these can be had."""
        own = [r.type for r in stmt.results]
        row = TABLE.rows.get(stmt.op)
        if row is None or all(t.is_scalar or self._lengths(t) is not None for t in own):
            return own
        types = tuple(type_of(v, a.type) for v, a in zip(args, stmt.args, strict=True))
        try:
            found = row.infer(types, stmt.settings)
        except (AdjointgenError, InternalError, ValueError, TypeError, LookupError):
            return own
        return found if len(found) == len(own) else own

    def _lengths(self, type: Type) -> tuple[int, ...] | None:
        """The lengths of the axes, None where one is not known."""
        found = [self.length(dim) for dim in type.shape or ()]
        if type.shape is None or None in found:
            return None
        return tuple(n for n in found if n is not None)

    def length(self, dim: Dim | None) -> int | None:
        if dim is None or (dim.symbol and dim.symbol not in self._symbols):
            return None
        return max(0, self._symbols.get(dim.symbol, 0) + dim.offset)

    def _looks(self, stmt: Apply, args: list[object]) -> Sequence[int]:
        """The operands of which a result may be a view."""
        row = TABLE.rows.get(stmt.op)
        if row is None or not row.view:
            return ()
        types = tuple(type_of(v, a.type) for v, a in zip(args, stmt.args, strict=True))
        # What depends on how an array lies in memory is a view of one that lies as it is made.
        return row.looks_into(types, stmt.settings)


def _number(stmt: Apply, args: list[object]) -> object:
    """The result where it is a number that follows from numbers and sizes; else None."""
    row, code = TABLE.rows.get(stmt.op), stmt.option("code")
    try:
        if isinstance(code, str) and _SIZES.fullmatch(code):
            names = {f"_{k}_": a for k, a in enumerate(args)}
            found: object = eval(code, {"max": max, "len": len, "__builtins__": {}} | names)
            return found if known([found]) else None
        if row is None or not args or not known(args):
            return None
        if call := (_NUMBERS if len(args) == 2 else _OF_ONE).get(row.symbol):
            return call(*args)
        own = [s for s in row.spellings if s.startswith(("math.", "builtins."))]
        if own and not stmt.settings:
            module, _, name = own[0].rpartition(".")
            found = getattr(importlib.import_module(module), name)(*args)
            return found if known([found]) else None
    except (ArithmeticError, ValueError, TypeError, AttributeError):
        return None
    return None


def _length(a: object, axis: object) -> object:
    match a:
        case Array(shape=shape) if isinstance(axis, int) and axis < len(shape):
            return shape[axis]
        case list() if axis == 0:
            return len(a)
    return Unknown()


def _elided(stmt: Apply, args: list[object], type: Type) -> Array | None:
    """The operand that NumPy gives the result to, since nobody else has it."""
    symbol = TABLE.get(stmt.op).symbol
    if not symbol or symbol not in _IN_PLACE or stmt.option("spelling") or not type.is_array:
        return None
    for k in (0, 1)[: 1 + (symbol in _EITHER)]:
        a, b = args[k], args[1 - k] if len(args) > 1 else None
        # The list, the name here and the argument of `getrefcount`.
        alone = isinstance(a, Array) and sys.getrefcount(a) == 3
        if not isinstance(a, Array) or not alone or a.taken < SMALLEST_ELIDED:
            continue
        fits = not isinstance(b, Array) or b.shape == a.shape
        if fits and a.dtype == type.dtype:
            return a
    return None
