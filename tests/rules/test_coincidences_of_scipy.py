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

from adjointgen import grad, hessian
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


REMOVABLE: list[tuple[str, tuple[float, ...]]] = [
    ("boxcox(2.0, x)", (0.0,)),
    ("boxcox1p(1.0, x)", (0.0,)),
    ("inv_boxcox(0.7, x)", (0.0,)),
    ("inv_boxcox1p(0.7, x)", (0.0,)),
    ("spence(x)", (1.0,)),
    ("rgamma(x)", (0.0, -1.0, -3.0, 0.5)),
    ("ellipk(x)", (0.0, -1.0)),
    ("ellipkm1(x)", (1.0,)),
    ("ellipe(x)", (0.0,)),
    ("ellipkinc(0.5, x)", (0.0, 0.3)),
    ("ellipkinc(1.4, x)", (0.0,)),
    ("ellipkinc(-4.0, x)", (0.0, 0.3)),
    ("ellipkinc(7.0, x)", (0.0,)),
    ("ellipkinc(x, 0.4)", (0.0, 1.5707963267948966, 3.0)),
    ("ellipeinc(0.5, x)", (0.0, 0.3)),
    ("ellipeinc(-4.0, x)", (0.0, 0.3)),
    ("ellipj(0.5, x)[0]", (0.1, 0.3)),
    ("ellipj(2.0, x)[1]", (0.1, 0.3)),
    ("ellipj(0.5, x)[3]", (0.1, 0.3)),
    ("agm(x, 0.8)", (0.8,)),
    ("elliprf(x, 1.0, 0.5)", (1.0, 0.5)),
    ("elliprf(x, 1.0, 1.0)", (1.0,)),
    ("elliprd(x, 1.0, 0.5)", (1.0, 0.5)),
    ("elliprd(1.0, 0.5, x)", (1.0, 0.5)),
    ("elliprd(1.0, x, 1.0)", (1.0,)),
    ("elliprc(x, 0.8)", (0.8,)),
    ("elliprc(0.8, x)", (0.8,)),
    ("elliprg(x, 1.0, 0.5)", (1.0, 0.5)),
    ("it2j0y0(x)[0]", (0.0, 1.0)),
    ("it2i0k0(x)[0]", (0.0, 1.0)),
    ("it2struve0(x)", (0.0,)),
    ("diric(x, 5)", (0.0, 6.283185307179586, -0.2)),
    ("diric(x, 4)", (0.0, 6.283185307179586)),
]
"""Calls, and where the usual formulas of their derivatives divide by zero, or change to another."""


def central(f: Callable[[float], Any], x: float) -> tuple[float, float]:
    """Two derivatives, by central differences of eighth order (Fornberg 1988)."""
    h = 0.015
    pairs = [(float(f(x + k * h)), float(f(x - k * h))) for k in range(1, 5)]
    first = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    second = (8 / 5, -1 / 5, 8 / 315, -1 / 560)
    middle = float(f(x))
    slopes = sum(c * (a - b) for c, (a, b) in zip(first, pairs, strict=True))
    bends = sum(c * (a + b - 2.0 * middle) for c, (a, b) in zip(second, pairs, strict=True))
    return slopes / h, bends / h**2


@pytest.mark.parametrize(("call", "centres"), REMOVABLE)
@pytest.mark.filterwarnings("ignore")
def test_removable_singularities(call: str, centres: tuple[float, ...]) -> None:
    """At them and near them, where what cancels would leave no digit of the second derivative."""
    f = function_of("x", f"sp.{call}")
    first, second = grad(f), hessian(f)
    for centre, offset in product(centres, (0.0, 1e-5, -1e-5, 1e-9, -1e-9, 1e-13, -1e-13)):
        x = centre + offset
        slope_there, bend = central(f, x)
        assert first(x) == pytest.approx(slope_there, rel=1e-9, abs=2e-11), x
        assert second(x) == pytest.approx(bend, rel=2e-7, abs=1e-9), x


def test_limits_of_box_and_cox_by_the_series() -> None:
    """`log(x)**(k + 1) / (k + 1)` is the derivative of order k by the exponent at 0."""
    f = function_of("x", "sp.boxcox(2.0, x)")
    log = np.log(2.0)
    assert grad(f)(0.0) == pytest.approx(log**2 / 2.0, rel=1e-15)
    assert hessian(f)(0.0) == pytest.approx(log**3 / 3.0, rel=1e-15)


@pytest.mark.parametrize("m", [0.0, 1e-13, 1e-9])
def test_jacobi_functions_of_small_parameters(m: float) -> None:
    """SciPy has none of negative ones. 22.10.4 and the equation of the amplitude, at 0."""
    u, f = 0.5, function_of("x", "sp.ellipj(0.5, x)[0]")
    sine, cosine = np.sin(u), np.cos(u)
    assert grad(f)(m) == pytest.approx(-(u - sine * cosine) * cosine / 4.0, rel=1e-8)
    amplitude = function_of("x", "sp.ellipj(0.5, x)[3]")
    by_m = (u - sine * cosine) / 4.0
    by_m_twice = 3.0 / 32.0 * (3.0 * u - 2.0 * np.sin(2.0 * u) + np.sin(4.0 * u) / 4.0)
    bend = sine**2 * by_m - by_m_twice
    assert hessian(amplitude)(m) == pytest.approx(bend, rel=1e-7)


def test_factorials_of_negative_numbers_are_constant() -> None:
    f = function_of("x", "sp.factorial(x)")
    assert [grad(f)(x) for x in (-2.0, -1.0, -0.5)] == [0.0, 0.0, 0.0]
    assert grad(f)(0.0) == pytest.approx(-np.euler_gamma, rel=1e-14)


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
