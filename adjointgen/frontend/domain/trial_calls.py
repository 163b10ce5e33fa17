"""Whether NumPy refuses operands of some lengths, found by calls with arrays of such lengths.

    reshape(a, 2, 2)   a: float64[3]      fails
    amax(a)            a: float64[x.0]    fails for x.0 = 0
    sum(a)             a: float64[x.0]    never

Symbols stand for lengths: each trial gives them others, zero among them. What is done entry by
entry needs no trial (`exception_classes.py`).
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from adjointgen.frontend.domain.qualified_names import live
from adjointgen.ir.nodes import UNDEFINED, Const, Operand
from adjointgen.ir.types import COMPLEX, INTEGER, Dim, Type
from adjointgen.rules.framework.table import TABLE, Row

LARGEST: Final = 64
"""No trial is made with axes longer than this."""
LENGTHS: Final = ((-1,), (0,), (2,), (3,), (2, 3, 5, 7, 11, 13))
"""What the symbols of a trial are, in turn; the last is repeated."""
_MARKS: Final = ("spelling", "effect", "kept", "pure")
_UNARY: Final[Mapping[str, Callable[[Any], Any]]] = {
    "not": operator.not_,
    "~": operator.inv,
    "-": operator.neg,
    "+": operator.pos,
}
_BINARY: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
}


Options = Iterable[tuple[str, object]]
Ends = tuple[type[Exception] | None, ...]
"""What each trial raises."""


def may_fail(op: str, args: Sequence[Operand], options: Options) -> bool:
    """Whether some lengths and values of the operands make an operation raise."""
    found = _tried(op, args, options)
    return found is None or any(found)


def failures_of(op: str, args: Sequence[Operand], options: Options) -> tuple[type[Exception], ...]:
    """The exceptions that the trials of an operation end in."""
    found = _tried(op, args, options)
    return (ValueError,) if found is None else tuple({*filter(None, found)})


def always_fails(op: str, args: Sequence[Operand], options: Options) -> bool:
    """Whether all lengths and values that are tried do: equal numbers, and such as are not."""
    if not _can_be_tried(op):
        return False
    found = _tried(op, args, options)
    if not found or not all(found):
        return False
    return all(_tried(op, args, options, distinct=True) or (None,))


@lru_cache(maxsize=2048)
def _can_be_tried(op: str) -> bool:
    """Whether there is a function to try; most statements are refused here, at no cost."""
    row = TABLE.get(op)
    known = row.symbol in _UNARY or row.symbol in _BINARY
    return known or (not row.symbol and any(s.startswith("numpy.") for s in row.spellings))


def _tried(
    op: str, args: Sequence[Operand], options: Options, distinct: bool = False
) -> Ends | None:
    """What the trials end in; None where none can be made."""
    row = TABLE.rows.get(op)
    if row is None or any(isinstance(a, Const) and a.value is UNDEFINED for a in args):
        return ()
    given = tuple((k, v) for k, v in options if k not in _MARKS)
    try:
        return _trials(op, tuple(map(_described, args)), given, distinct)
    except TypeError:
        # An option that is no plain data.
        return None


Described = tuple[Type, object]


def _described(operand: Operand) -> Described:
    return operand.type, (operand.value if isinstance(operand, Const) else ...)


@lru_cache(maxsize=2048)
def _trials(
    op: str,
    args: tuple[Described, ...],
    options: tuple[tuple[str, object], ...],
    distinct: bool,
) -> Ends | None:
    row = TABLE.rows[op]
    call = _call(row, len(args), dict(options))
    if call is None:
        return ()
    filled = _distinct if distinct else np.ones
    made = (_operands(args, lengths, filled) for lengths in LENGTHS)
    return tuple(_raises(call, given) for given in made if given is not None) or None


def arguments_of(described: tuple[Described, ...]) -> list[Any] | None:
    """Numbers and arrays of these types, with unlike lengths; None where there are none such."""
    return _operands(described, LENGTHS[-1], _distinct)


def _raises(call: Callable[[list[Any]], Any], given: list[Any]) -> type[Exception] | None:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            call(given)
    except Exception as error:
        return type(error)
    return None


def _call(
    row: Row, number: int, options: Mapping[str, object]
) -> Callable[[list[Any]], Any] | None:
    """The operation as a function of its operands; None where there is none to be tried."""
    if row.symbol:
        unary, binary = _UNARY.get(row.symbol), _BINARY.get(row.symbol)
        if number == 1 and unary is not None:
            return lambda given: unary(given[0])
        return None if binary is None else lambda given: binary(given[0], given[1])
    spelling = next((s for s in row.spellings if s.startswith("numpy.")), "")
    function = live(spelling)[1] if spelling else None
    if not callable(function):
        return None
    return lambda given: function(*_arguments(row, given, options), **_named(row, options))


def _arguments(row: Row, given: list[Any], options: Mapping[str, object]) -> Iterator[Any]:
    """The positional arguments: operands, and options that stand before some."""
    rest = [*given]
    for k, parameter in enumerate(row.parameters):
        later = [p for p in row.parameters[k + 1 :] if p.operand]
        if not parameter.operand:
            if later and rest:
                yield options.get(parameter.name, parameter.default)
        elif parameter.variadic:
            taken = rest[: len(rest) - len(later)]
            del rest[: len(taken)]
            yield from taken if parameter.separate else (taken,)
        elif rest:
            yield rest.pop(0)


def _named(row: Row, options: Mapping[str, object]) -> dict[str, object]:
    last = max((k for k, p in enumerate(row.parameters) if p.operand), default=-1)
    return {p.name: options[p.name] for p in row.parameters[last + 1 :] if p.name in options}


Filled = Callable[[tuple[int, ...], str], NDArray[Any]]


def _operands(
    args: tuple[Described, ...], lengths: tuple[int, ...], filled: Filled
) -> list[Any] | None:
    """Operands of these types; None where some lengths cannot be these."""
    free = count()
    symbols: dict[str, int] = {}

    def size(dim: Dim | None) -> int:
        if dim is not None and not dim.symbol:
            return dim.offset
        name = f"%{next(free)}" if dim is None else dim.symbol
        known = symbols.setdefault(name, lengths[min(len(symbols), len(lengths) - 1)])
        return known + (0 if dim is None else dim.offset)

    made = []
    for type, value in args:
        shape = None if type.shape is None else tuple(map(size, type.shape))
        if shape is None or any(n < 0 or n > LARGEST for n in shape):
            return None
        made.append(_made(type, shape, size, filled) if value is ... else value)
    return made


def _distinct(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    """Numbers that differ, of matrices that have an inverse; integers that are indices."""
    if np.dtype(dtype).kind in "biu":
        return np.zeros(shape, dtype)
    made = np.linspace(0.25, 0.75, num=math.prod(shape)).reshape(shape)
    if len(shape) > 1:
        made += 4.0 * np.eye(shape[-2], shape[-1])
    return made.astype(dtype)


def _made(
    type: Type, shape: tuple[int, ...], size: Callable[[Dim | None], int], filled: Filled
) -> Any:
    """A value of a type."""
    if type.is_array:
        return filled(shape, type.dtype)
    if type.kind == "list":
        return filled(shape, type.dtype).tolist()
    if type.dtype in COMPLEX:
        return 0.5 + 0.5j
    if type.dtype == "bool":
        return True
    return size(type.value) if type.dtype in INTEGER else 0.5
