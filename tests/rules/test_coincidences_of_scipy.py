"""SciPy's functions at degrees, points and parameters where formulas for others divide by zero.

The oracle is SciPy's function itself, by differences that are extrapolated (Richardson 1911). Where
these do not settle, or where one side differs from the other, nothing is compared.
"""

import linecache
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.special

from adjointgen import grad
from adjointgen.ir.types import Dim, Type
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import Row

BY_DEGREE = [
    "eval_legendre",
    "eval_sh_legendre",
    "eval_chebyt",
    "eval_chebyu",
    "eval_chebyc",
    "eval_chebys",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
    "eval_hermite",
    "eval_hermitenorm",
    "eval_laguerre",
    "jv",
    "yv",
    "iv",
    "kv",
    "jve",
    "yve",
    "ive",
    "kve",
    "expn",
    "struve",
    "modstruve",
    "spherical_jn",
    "spherical_yn",
    "spherical_in",
    "spherical_kn",
    "jvp",
    "yvp",
    "ivp",
    "kvp",
]
DEGREES = (-4, -3, -2, -1, 0, 1, 2, 3, 5, -3.0, -1.0, 0.0, 2.0, -2.5, -0.5, 1.5)
INTEGERS = ("spherical", "eval_hermite", "expn", "jvp", "yvp", "ivp", "kvp")
"""Functions of integer degrees that are not negative."""
POINTS = (-0.6, 0.0, 0.3, 0.5, 1.0, 1.7)


def function_of(arguments: str, call: str) -> Callable[..., Any]:
    """A function with a source, as those of a file have one."""
    code = f"def f({arguments}):\n    return {call}\n"
    name, space = f"<scipy {call} of {arguments}>", dict[str, Any]()
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    exec("import scipy.special as sp, scipy.stats as st", space)
    exec(compile(code, name, "exec"), space)
    found: Callable[..., Any] = space["f"]
    return found


def slope(f: Callable[[float], Any], x: float, width: float = 1e-3) -> tuple[float, float]:
    """The derivative at a point, and by how much it may be wrong; NaN where the sides differ."""
    rows = []
    for h in (width, width / 2.0, width / 4.0):
        ahead, behind, here = (float(f(t)) for t in (x + h, x - h, x))
        rows.append(((ahead - behind) / (2.0 * h), (ahead - here) / h, (here - behind) / h))
    (coarse, *_), (middle, *_), (fine, right, left) = rows
    first, second = (4.0 * middle - coarse) / 3.0, (4.0 * fine - middle) / 3.0
    kink = abs(right - left) > 0.05 * max(1.0, abs(fine))
    return np.nan if kink else (16.0 * second - first) / 15.0, abs(first - second)


@pytest.mark.parametrize("name", BY_DEGREE)
@pytest.mark.filterwarnings("ignore")
def test_degrees_where_a_recurrence_ends(name: str) -> None:
    f, looked = function_of("x, n", f"sp.{name}(n, x)"), 0
    derivative = grad(f)
    for n, x in product(DEGREES, POINTS):
        if name.startswith(INTEGERS) and (n < 0 or isinstance(n, float)):
            continue
        with np.errstate(all="ignore"):
            value, (wanted, error) = f(x, n), slope(lambda t, n=n: f(t, n), x)  # type: ignore[misc]
            if not np.all(np.isfinite([value, wanted])):
                continue
            got = derivative(x, n)
        looked += 1
        known = wanted if np.isnan(got) else got
        assert known == pytest.approx(wanted, rel=1e-6, abs=1e-6 + 10.0 * error), (n, x)
    assert looked > 8


KINDS: dict[str, tuple[Callable[[float], Any], str]] = {
    "an integer": (lambda v: max(1, int(v)), ""),
    "a float": (float, ""),
    "floats of four bytes": (lambda v: np.array([v], "f"), "float32"),
    "floats of eight": (lambda v: np.array([v]), "float64"),
    "integers": (lambda v: np.array([max(1, int(v))]), "int64"),
}


def calls() -> Iterator[tuple[Row, list[float]]]:
    """Special functions of numbers, each with a point where it has a derivative."""
    for row in TABLE.rows.values():
        if not row.domain or not any(s.startswith("scipy.special.") for s in row.spellings):
            continue
        first = row.domain if isinstance(row.domain, tuple) else row.domain[0]
        mean = isinstance(row.domain, tuple)
        numbers = [np.mean(a) if mean else a for a in first if not isinstance(a, dict)]
        if all(isinstance(a, int | float) for a in numbers):
            yield row, [float(a) for a in numbers]


CALLS = list(calls())


@pytest.mark.parametrize(("row", "point"), CALLS, ids=[row.name for row, _ in CALLS])
@pytest.mark.filterwarnings("ignore")
def test_results_have_the_dtype_that_scipy_gives_them(row: Row, point: list[float]) -> None:
    """By the order of SciPy's loops, which numbers and arrays choose in different ways."""
    spelling = next(s for s in row.spellings if s.startswith("scipy.special."))
    function, looked = getattr(scipy.special, spelling.removeprefix("scipy.special.")), 0
    for kinds in product(KINDS, repeat=len(point)):
        if len({*kinds}) > 2:
            continue
        values = [KINDS[kind][0](v) for kind, v in zip(kinds, point, strict=True)]
        dtypes = [KINDS[kind][1] for kind in kinds]
        pairs = zip(values, dtypes, strict=True)
        types = tuple(Type(d, (Dim("", 1),), "array") if d else const(v).type for v, d in pairs)
        try:
            found = function(*values)
        except TypeError:
            continue
        results = found if isinstance(found, tuple) else (found,)
        for result, type in zip(results, row.infer(types, {}), strict=True):
            assert np.asarray(result).dtype == type.dtype, kinds
        looked += 1
    assert looked > 1


def test_the_calls_are_those_of_the_table() -> None:
    assert len(CALLS) > 80
