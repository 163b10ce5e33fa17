"""Functions of numbers, at zeros, infinities and NaN, called by `math`, by NumPy and by symbols.

A program does what the user's function does: it gives the same number of the same class, or raises
what that raises. Where the function gives a number, its derivative is a number too, infinite where
Python would divide by zero: the same as that of arrays of one entry, which never raise.
"""

import itertools
import linecache
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, tangent
from adjointgen.rules.all import TABLE

ONE = (0.0, 1.0, -1.0, 0.5, 710.5, 1e200, 1e308, 1e-308, 5e-324, np.inf, -np.inf, np.nan)
TWO = (0.0, 1.0, -1.0, -0.5, 2.5, 1e200, 1e-200, np.inf, np.nan)
SYMBOLS = ("operator.truediv", "operator.pow", "operator.mod", "operator.mul")
POWERS = ("abs(x)**0.5", "x**2", "x**3", "x**0.25", "x**-1", "x**-2.5", "x**3.5", "2.0**x", "x**-2")
POWERS += ("math.sqrt(x) * 1.0", "np.sqrt(x) / 2.0", "1.0 / np.sqrt(x)", "1.0 / math.sqrt(x)")
POWERS += ("1.0 / np.float64(x)", "1.0 / float(np.exp(-x))", "np.power(x, 3)", "np.power(x, -0.5)")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


def calls() -> Iterator[tuple[str, int, str]]:
    """The text of a call, how many operands it has, and the same of arrays, if NumPy has it."""
    for row in TABLE.rows.values():
        if (row.kind != "elementwise" or None in row.partials) and row.name != "hypot":
            continue
        count = 2 if row.name == "hypot" else len(row.domain or ())
        numpy = next((s for s in row.spellings if s.startswith("numpy.")), "")
        for spelling in row.spellings:
            module = spelling.rpartition(".")[0]
            if module in ("math", "numpy", "builtins") and count in (1, 2):
                yield called(spelling, count), count, called(numpy, count)
            elif spelling in SYMBOLS:
                yield f"x {row.symbol} y", count, called(numpy, count)
    for text in POWERS:
        yield text, 1, text.replace("math.", "np.").replace("float(", "(").replace("np.float64", "")


def called(spelling: str, count: int) -> str:
    module, _, name = spelling.rpartition(".")
    short = {"numpy": "np.", "builtins": "", "math": "math."}.get(module, "")
    return f"{short}{name}({', '.join('xy'[:count])})" if spelling else ""


CALLS = sorted(set(calls()))


@cache
def function(text: str, count: int) -> Callable[..., Any]:
    """A function whose source can be found."""
    filename = f"<numbers {text}>"
    source = f"def f({', '.join('xy'[:count])}):\n    return {text}\n"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    names: dict[str, Any] = {"np": np, "math": math}
    exec(compile(source, filename, "exec"), names)
    return names["f"]  # type: ignore[no-any-return]


def outcome(run: Callable[..., Any], *args: Any) -> Any:
    """What a call gives, or the class of what it raises: in a tangent a derivative may be first."""
    try:
        return run(*args)
    except (ArithmeticError, ValueError) as error:
        return type(error)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("text", "count", "of_arrays"), CALLS, ids=lambda v: str(v))
def test_a_program_of_numbers(text: str, count: int, of_arrays: str) -> None:
    f = function(text, count)
    tangents = [tangent(f, "xy"[k]) for k in range(count)]
    whole = adjoint(f, tuple("xy"[:count]))
    entries = adjoint(function(of_arrays, count), tuple("xy"[:count])) if of_arrays else None
    for point in itertools.product(ONE if count == 1 else TWO, repeat=count):
        primal = outcome(f, *point)
        if isinstance(primal, complex):
            continue
        forward = [outcome(each, *point, 1.0) for each in tangents]
        reverse = outcome(whole, *point, 1.0)
        if isinstance(primal, type):
            assert all(isinstance(each, type) for each in (*forward, reverse)), (point, primal)
            continue
        for value, *_ in (*forward, reverse):
            assert type(value) is type(primal), point
            np.testing.assert_equal(value, primal)
        if entries is None:
            continue
        wanted = entries(*map(np.atleast_1d, point), np.ones(1))[1:]
        for k in range(count):
            slopes = forward[k][1], reverse[k + 1]
            for slope in slopes:
                np.testing.assert_allclose(slope, wanted[k][0], rtol=1e-12, err_msg=str(point))
