"""How large the result of an operation on constants may be: known before it is carried out.

`10 ** 10 ** 8` and `"a" * 10 ** 10` cost a user nothing on a path that is not taken; what exceeds a
bound here is left to the run, as it was written.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

BITS: Final = 4096
"""The most bits of an integer."""
ENTRIES: Final = 4096
"""The most entries of a sequence, and characters of a string."""

FAILURES: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What operations on numbers and strings raise; the user's program raises it at the same place."""

_WIDTH = re.compile(r"\d{4}")


def _added(a: Any, b: Any) -> bool:
    return _size(a) + _size(b) <= ENTRIES


def _repeated(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        text, number = (a, b) if isinstance(a, str) else (b, a)
        return not isinstance(number, int) or len(text) * max(number, 0) <= ENTRIES
    return _bits(a) + _bits(b) <= BITS


def _power(a: Any, b: Any) -> bool:
    return not isinstance(b, int) or _bits(a) * max(b, 0) <= BITS


def _shifted(a: Any, b: Any) -> bool:
    return not isinstance(b, int) or _bits(a) + max(b, 0) <= BITS


def _formatted(a: Any, b: Any) -> bool:
    """`"%1000000d" % 1` pads."""
    return not isinstance(a, str) or (_WIDTH.search(a) is None and _added(a, b))


_FITS: Final[Mapping[Callable[..., Any], Callable[[Any, Any], bool]]] = {
    operator.add: _added,
    operator.mul: _repeated,
    operator.pow: _power,
    operator.lshift: _shifted,
    operator.mod: _formatted,
}
"""The operations whose results may be far larger than what they are given."""


def fits(function: Callable[..., Any], *values: Any) -> bool:
    """Whether the result of an operation on constants is certain to be small."""
    test = _FITS.get(function)
    return test is None or len(values) != 2 or test(*values)


def text_fits(owner: str, given: tuple[Any, ...]) -> bool:
    """Whether what a method of a string makes of small arguments is certain to be small."""
    sizes = [abs(v) if isinstance(v, int) else _size(v) for v in given]
    return _WIDTH.search(owner) is None and max([len(owner), *sizes]) <= ENTRIES


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def _size(value: Any) -> int:
    """The characters of a string, and of the strings in a sequence."""
    if isinstance(value, tuple | list):
        return len(value) + sum(_size(v) for v in value)
    return len(value) if isinstance(value, str) else 0
