"""Modules with Taylor coefficients: against Cauchy's integral of the function itself.

The coefficient of degree n is the mean of `f(x(z)) / z**n` over a circle around zero, which the
function computes with complex numbers.
"""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import check, generate
from adjointgen.cli import main
from adjointgen.errors import AdjointgenError

POINTS, RADIUS = 64, 0.05


def module_of(source: str) -> ModuleType:
    made = ModuleType("made")
    exec(compile(source, "made.py", "exec"), vars(made))
    return made


def growing(x, a):
    """In place, with a loop that reads what it wrote."""
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = a * np.exp(y[i - 1]) * x[i] / (1.0 + x[i] ** 2)
    return np.sum(y**2), y


def product(x, a):
    matrix = np.outer(np.sin(a * x), x)
    return matrix @ np.sqrt(2.0 + x)


def forked(x, a):
    total = 0.0
    for i in range(len(x)):
        if x[i].real > 0.3:
            total += a * x[i] ** 3
        else:
            total -= np.log(2.0 + x[i]) * x[0]
    return total


X = np.array([0.2, 0.9, -0.4, 0.6])


def cauchy(f: Any, x: Any, a: float, x_series: Any, a_series: Any, n: int) -> Any:
    """The coefficient of degree n of each result, one after the other."""
    total: Any = 0.0
    for k in range(POINTS):
        z = RADIUS * np.exp(2j * np.pi * k / POINTS)
        powers = z ** np.arange(1, len(x_series) + 1)
        found = f(x + powers @ x_series, a + powers @ a_series)
        found = found if isinstance(found, tuple) else (found,)
        total = total + np.concatenate([np.ravel(one) for one in found]) / z**n
    return total.real / POINTS


@pytest.mark.parametrize("f", [growing, product, forked])
def test_coefficients(f: Any) -> None:
    taylor = getattr(
        module_of(generate(f, modes="taylor", example=(X, 0.7)).source), f"{f.__name__}_taylor"
    )
    rng = np.random.default_rng(0)
    for order, x in [(1, X), (5, X), (7, X[:2]), (3, X[:1])]:
        x_series, a_series = rng.normal(size=(order, len(x))), rng.normal(size=order)
        y, series = taylor(x, 1.3, x_series, a_series)
        pairs = [(y, series)] if not isinstance(y, tuple) else list(zip(y, series, strict=True))
        for n in range(1, order + 1):
            got = np.concatenate([np.ravel(s[n - 1]) for _, s in pairs])
            expected = cauchy(f, x, 1.3, x_series, a_series, n)
            np.testing.assert_allclose(got, expected, 1e-6, 1e-7 * RADIUS**-n * 1e-6)


def test_by_one_argument_and_in_structures() -> None:
    def f(p, k):
        return np.sum(np.sin(p["w"]) * k) * p["b"]

    made = module_of(generate(f, wrt="p", modes="taylor", example=({"w": X, "b": 0.5}, 2.0)).source)
    t = np.zeros((3, 4))
    t[0] = 1.0
    _, series = made.f_taylor({"w": X, "b": 0.5}, 2.0, {"w": t, "b": np.array([1.0, 0.0, 0.0])})
    sine, cosine = np.sum(np.sin(X)), np.sum(np.cos(X))
    expected = [cosine + 2 * sine, -0.5 * sine + 2 * cosine, -cosine / 6 - sine]
    np.testing.assert_allclose(series, expected, 1e-13)


@pytest.mark.parametrize("f", [growing, product, forked])
def test_verification(f: Any) -> None:
    """Each coefficient of degree 1 to 4 is verified: a fault in any of them is found."""
    source = generate(f, modes="taylor", example=(X, 0.7)).source
    assert check(f, (X, 0.7), module=module_of(source)).ok
    for n in range(4):
        made = module_of(source)
        right = getattr(made, f"{f.__name__}_taylor")

        def wrong(x, a, x_series, a_series, right=right, n=n):
            y, series = right(x, a, x_series, a_series)
            last = series[-1] if isinstance(series, tuple) else series
            last[n] *= 1.0 + 1e-6
            return y, series

        setattr(made, right.__name__, wrong)
        assert not check(f, (X, 0.7), module=made).ok


def test_refusals() -> None:
    with pytest.raises(ValueError, match="mode taylor is not compiled"):
        generate(product, modes="taylor", example=(X, 0.7), compile="numba")

    def f(x):
        return [x[0], np.sin(x[1])]

    def g(x):
        parts = []
        for i in range(len(x)):
            parts.append(x[i] ** 2)
        return np.array(parts)

    module_of(generate(f, modes="taylor", example=(X,)).source)
    with pytest.raises(AdjointgenError) as caught:
        generate(g, modes="taylor", example=(X,))
    assert caught.value.code == "AG201"


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*given: str) -> object:
        with pytest.raises(SystemExit) as ended:
            main(given)
        return ended.value.code

    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text("import math\n\ndef f(x: float):\n    return math.exp(x) * x\n")
    assert run("generate", "model.py::f", "--mode", "taylor,tangent", "-o", "model_ad.py") == 0
    assert run("check", "model_ad.py") == 0
    assert run("verify", "model_ad.py", "--at", "x=0.5") == 0
    text = Path("model_ad.py").read_text()
    Path("model_ad.py").write_text(
        text.replace("return result, result_series", "return result, 2.0 * result_series")
    )
    assert "2.0 * result_series" in Path("model_ad.py").read_text()
    assert run("verify", "model_ad.py", "--at", "x=0.5") == 1
