"""Compositions of smooth operations, where zeros, ones and equal entries meet: orders one and two.

An operation may have a kink of its own, as norms and decompositions have, where the function that
is made of it has none. The oracle is the function itself, run by NumPy: polynomials through values
on both sides of the point, along several directions. Where both sides agree at several steps,
gradient and Hessian are those, or NaN, but never another number.

`python -m tests.rules.test_coincidences 1000 3` does the same with so many expressions of a seed.
"""

import linecache
import math
import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, hessian

UNARY = """
np.sin({a})
np.cos({a})
np.exp({a})
np.expm1({a})
np.log1p({a})
np.tanh({a})
np.arctan({a})
np.sinh({a})
np.sinc({a})
np.arcsinh({a})
{a}**2
{a}**3
{a}**0
{a}**1.5
({a} - 1.0)
-({a})
np.square({a})
np.sqrt({a}**2)**2
np.abs({a})**2
np.linalg.norm([{a}])**2
np.var([{a}, 1.0])
np.cumprod([{a}, {a}])[1]
math.exp({a})
np.linalg.det(np.array([[{a}, 1.0], [{a}, {a}]]))
np.linalg.inv(np.array([[{a}, 1.0], [1.0, 2.0 + {a}]]))[0, 0]
np.sum(np.linalg.eigvalsh(np.array([[{a}, 0.0], [0.0, {a}]]))**2)
np.sum(np.linalg.eigh(np.array([[{a}, 0.0], [0.0, 1.0]]))[0])
np.sum(np.linalg.svd(np.array([[{a}, 0.0], [0.0, {a}]]), compute_uv=False)**2)
np.linalg.norm(np.array([[{a}, 1.0], [1.0, {a}]]))
np.linalg.slogdet(np.array([[{a}, 2.0], [1.0, {a}]]))[1]
""".strip().splitlines()
BINARY = """
({a} * {b})
({a} + {b})
({a} - {b})
({a} / (1.0 + {b}))
np.power(1.0 + {a}, {b})
np.arctan2({a}, 2.0 + {b})
np.logaddexp({a}, {b})
np.prod([{a}, {b}])
np.cumprod([{a}, {b}, 2.0])[2]
np.hypot({a}, {b})**2
np.linalg.norm([{a}, {b}])**2
np.var([{a}, {b}])
np.std([{a}, {b}])**2
np.dot([{a}, {b}], [{b}, {a}])
np.abs({a} + 1j * {b})**2
np.sum(np.sort([{a}, {b}])**2)
np.prod(np.sort([{a}, {b}]))
np.linalg.det(np.array([[{a}, {b}], [{b}, {a}]]))
np.prod(np.linalg.eigvalsh(np.array([[{a}, {b}], [{b}, {a}]])))
np.linalg.solve(np.array([[2.0, {a}], [{b}, 2.0]]), np.ones(2))[0]
np.sum(np.linalg.svd(np.array([[1.0, {a}], [{b}, 1.0]]), compute_uv=False)**2)
np.trace(np.linalg.matrix_power(np.array([[{a}, {b}], [{b}, 1.0]]), 3))
""".strip().splitlines()
LEAVES = ["x[0]", "x[1]", "(x[0] - x[1])", "(x[0] * x[1])"]
POINTS = [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (2.0, 2.0), (-1.0, 1.0)]
DIRECTIONS = np.array([(1.0, 0.0), (0.0, 1.0), (1.0, 0.3), (-0.4, 1.0), (1.0, -0.7), (1.0, 1.0)])
STEPS = (1e-2, 5e-3, 2.5e-3)
FIRST, SECOND = 1e-4, 1e-2


class Sides(NamedTuple):
    """The first and second derivative along a direction, from one side; NaN where not known."""

    first: float
    second: float


def expression(rng: random.Random) -> str:
    """One operation of the results of others."""
    inner = [put(rng, rng.choice((UNARY, BINARY)), LEAVES) for _ in range(2)]
    return put(rng, rng.choice((UNARY, BINARY)), inner)


def put(rng: random.Random, forms: list[str], parts: list[str]) -> str:
    return rng.choice(forms).format(a=rng.choice(parts), b=rng.choice(parts))


def function_of(text: str) -> Callable[[Any], Any]:
    """A function with a source, as those of a file have one."""
    code, name = f"def f(x):\n    return {text}\n", f"<coincidence {text}>"
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    space: dict[str, Any] = {"np": np, "math": math}
    exec(compile(code, name, "exec"), space)
    found: Callable[[Any], Any] = space["f"]
    return found


def sides(f: Callable[[Any], Any], x: Any, d: Any) -> Sides:
    """By polynomials through six values, over three widths that have to agree."""
    rows = []
    for h in STEPS:
        values = [float(f(x + k * h * d)) for k in range(6)]
        if not np.all(np.isfinite(values)):
            return Sides(math.nan, math.nan)
        _, slope, bend, *_ = np.polynomial.polynomial.polyfit(np.arange(6.0), values, 5)
        rows.append((slope / h, 2.0 * bend / h**2))
    coarse, middle, fine = np.array(rows)
    size = np.maximum(1.0, abs(fine))
    steady = (abs(coarse - fine) < (1e-5, 2e-3) * size) & (abs(middle - fine) < (1e-6, 5e-4) * size)
    return Sides(*(float(v) if s else math.nan for v, s in zip(fine, steady, strict=True)))


def expected(f: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    """Gradient and Hessian where the function is smooth, else None."""
    ahead = [sides(f, x, d) for d in DIRECTIONS]
    behind = [sides(f, x, -d) for d in DIRECTIONS]
    first = np.array([s.first for s in ahead])
    if not agree(first, [-s.first for s in behind], FIRST):
        return None, None
    if not agree(DIRECTIONS @ first[:2], first, FIRST):
        return None, None
    second = np.array([s.second for s in ahead])
    if not agree(second, [s.second for s in behind], SECOND / 4.0):
        return first[:2], None
    a, b = DIRECTIONS.T
    form = np.stack([a * a, 2.0 * a * b, b * b], axis=1)
    entries = np.linalg.lstsq(form, second)[0]
    if not agree(form @ entries, second, SECOND / 2.0):
        return first[:2], None
    return first[:2], entries[[0, 1, 1, 2]].reshape(2, 2)


def agree(one: Any, other: Any, tolerance: float) -> bool:
    """Whether two are the same, of the size of the greatest; what is not known is not."""
    size = max(1.0, float(np.max(np.abs(other))))
    return bool(np.all(np.abs(np.asarray(one) - other) <= tolerance * size))


def faults(text: str) -> tuple[list[str], int]:
    """Where a finite derivative is another one, and how many points were looked at."""
    f, found, count = function_of(text), [], 0
    for point in POINTS:
        x = np.array(point)
        with np.errstate(all="ignore"):
            try:
                wanted = expected(f, x)
                pairs = zip((grad, hessian), wanted, strict=True)
                made = [of(f)(x) for of, known in pairs if known is not None]
            except (AdjointgenError, np.linalg.LinAlgError, ArithmeticError, ValueError):
                continue
        count += len(made)
        for got, want, tolerance in zip(made, wanted, (FIRST, SECOND), strict=False):
            known = np.where(np.isfinite(got), got, want)
            if not agree(known, want, tolerance):
                found.append(f"{text} at {point}: {got}, not {want}")
    return found, count


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(4))
def test_a_finite_derivative_is_the_derivative(seed: int) -> None:
    rng, looked = random.Random(seed), 0
    for _ in range(6):
        found, count = faults(expression(rng))
        assert not found
        looked += count
    assert looked > 10


# A kink that the composition keeps, and conventions of operations that it has no part in.
KEPT = [
    ("np.abs(x[0]) + x[1]", None),
    ("np.linalg.norm(x)", None),
    ("np.abs(x[0]) ** 2 + x[1]", [[2.0, 0.0], [0.0, 0.0]]),
    ("np.hypot(x[0], x[1]) ** 2", [[2.0, 0.0], [0.0, 2.0]]),
]


@pytest.mark.parametrize(("text", "known"), KEPT)
def test_the_oracle_tells_kinks_from_smooth_points(text: str, known: Any) -> None:
    found = expected(function_of(text), np.zeros(2))[1]
    assert found is None if known is None else agree(found, known, SECOND)


def sinc(x):
    return np.sinc(x)


def test_sinc_near_zero() -> None:
    """Its derivatives by their series: `sum (-1)^k (pi x)^2k / (2k + 1)!`."""
    derivative: Any = sinc
    for order in range(1, 5):
        derivative = grad(derivative)
        for x in (0.0, 1e-300, 1e-17, -1e-9, 1e-6, -1e-4, 0.01, 0.09, -0.11, 0.3):
            terms = (
                (-1) ** k
                * math.pi ** (2 * k)
                / math.factorial(2 * k + 1)
                * math.perm(2 * k, order)
                * x ** (2 * k - order)
                for k in range((order + 1) // 2, 16)
            )
            assert derivative(x) == pytest.approx(math.fsum(terms), rel=1e-9)


if __name__ == "__main__":
    generator, total = random.Random(int(sys.argv[2])), 0
    for _ in range(int(sys.argv[1])):
        lines, number = faults(expression(generator))
        total += number
        print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{total} derivatives")
