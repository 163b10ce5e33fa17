"""What a rule may do with an operand besides arithmetic, and what it cannot: ask for its value.

    x.T, x.shape, x.sum(axis=0), len(x)         operations, and lengths where they are known
    if x > 0: ..., math.sin(x), int(x)          NoRule: a rule has no values, it makes statements

A test of a value would take one arm for all values, so that it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import REAL
from adjointgen.rules.framework.table import TABLE, Row

_ATTRIBUTES = ("T", "mT", "real", "imag")
"""What is computed of an array without a call."""


class ArrayProtocol:
    """Attributes and methods of an array for what makes statements by `apply`."""

    __slots__ = ()
    type: Any
    apply: Callable[..., Any]

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What `isinstance` sees: an array, or a number with a fraction. Integers are lengths."""
        if self.type.is_array:
            return np.ndarray
        is_real = self.type.is_scalar and self.type.dtype in REAL
        return float if is_real else type(self)

    def __bool__(self) -> bool:
        _refuse("tests a value", "write np.where(test, a, b), np.maximum, np.minimum or np.clip")

    def __float__(self) -> float:
        _refuse("takes a value for a number", "call NumPy's function: np.sin for math.sin")

    def __int__(self) -> int:
        _refuse("takes a value for a number", "write np.floor, np.ceil or np.trunc")

    def __complex__(self) -> complex:
        _refuse("takes a value for a number", "call NumPy's function: np.exp for cmath.exp")

    def __len__(self) -> int:
        first = self.shape[0] if self.shape else None
        if type(first) is not int:
            _refuse("asks for a length that is not known", "write np.sum(np.ones_like(x))")
        return first

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))  # type: ignore[index]

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        if self.type.rank is None:
            _refuse("asks for a number of axes that is not known", "state the type of the argument")
        return int(self.type.rank)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The lengths: numbers where they are known."""
        dims = [(self.type.shape or ())[k] for k in range(self.ndim)]
        known = [None if dim is None else dim.known for dim in dims]
        return tuple(
            self.apply("dim", self, axis=k) if n is None else n for k, n in enumerate(known)
        )

    @property
    def dtype(self) -> Any:
        return np.dtype(self.type.dtype)

    def __getattr__(self, name: str) -> Any:
        row = None if name.startswith("_") else TABLE.find(f".{name}")
        if row is None:
            if name.startswith("__"):
                raise AttributeError(name)
            _refuse(f"reads `.{name}` of a value", "compute it with functions of NumPy")
        if name in _ATTRIBUTES:
            return self.apply(row.name, self)
        return lambda *args, **options: called(row, (self, *args), options)


def called(row: Row, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """The result of an operation that is called as its Python function is."""
    given = dict(zip((p.name for p in row.parameters), args, strict=False)) | dict(options)
    operands: list[Any] = []
    for place, parameter in enumerate(row.parameters):
        if parameter.separate:
            given.pop(parameter.name, None)
            operands += args[place:]
        elif parameter.operand and parameter.name in given:
            value = given.pop(parameter.name)
            several = parameter.variadic and isinstance(value, tuple | list)
            operands += value if several else [value]
    first = next(operand for operand in operands if isinstance(operand, ArrayProtocol))
    return first.apply(row.name, *operands, **given)


def _refuse(what: str, help: str) -> NoReturn:
    said = f"a rule {what}, and values are known only when the program runs"
    raise NoRule(said, code="AG201", help=help)
