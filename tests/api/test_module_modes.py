"""Modules with gradients, Jacobians, Hessians and products: against the complex step.

A Jacobian is compared entry by entry with the complex step of the function itself, a Hessian with
central differences of complex-step gradients.  Modules are made for one example, and called at
points of other lengths, of one entry and of coincidences.
"""

import math
import re
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import check, generate
from adjointgen.config import modes
from adjointgen.errors import AdjointgenError

H = 1e-30
MODES = ("gradient", "hvp", "jacobian", "hessian")


def module_of(source: str) -> ModuleType:
    """A written module, as import makes one."""
    made = ModuleType("made")
    # Numba has no place to keep what it compiles of a text.
    exec(compile(source.replace("cache=True, ", ""), "made.py", "exec"), vars(made))
    return made


def units(x: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The unit vectors in the space of an argument."""
    for at in np.ndindex(np.shape(x)):
        unit = np.zeros(np.shape(x))
        unit[at] = 1.0
        yield at, unit if np.ndim(x) else 1.0


def by_complex_step(f: Callable[..., Any], args: tuple[Any, ...], k: int) -> Any:
    """The Jacobian of an array or number by argument `k`."""
    shape = np.shape(f(*args))
    found = np.zeros(shape + np.shape(args[k]))
    for at, unit in units(args[k]):
        moved = [np.array(a, complex) if np.ndim(a) else a for a in args]
        moved[k] = args[k] + 1j * H * unit
        found[(..., *at)] = np.imag(f(*moved)) / H
    return found


def hessian_of(f: Callable[..., Any], args: tuple[Any, ...], j: int, k: int) -> Any:
    """The block by arguments `j` and `k`, by central differences of complex-step gradients."""
    step = 1e-5
    found = np.zeros(np.shape(args[j]) + np.shape(args[k]))
    for at, unit in units(args[k]):
        ends = []
        for sign in (1.0, -1.0):
            moved = [*args]
            moved[k] = args[k] + sign * step * unit
            ends.append(by_complex_step(f, tuple(moved), j))
        found[(..., *at)] = (ends[0] - ends[1]) / (2.0 * step)
    return found


def rosenbrock(x, a):
    return np.sum(a * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def smoothed(x, a):
    """In place, with a loop that reads what it wrote."""
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] * x[i] + np.sin(x[i])
    return np.sum(y**2)


def branched(x, a):
    total = 0.0
    for i in range(len(x)):
        if x[i].real > 0.5:
            total += a * x[i] ** 3
        else:
            total -= x[i] * x[0]
    return total


def bilinear(x, A):
    return x @ A @ x + np.sum(np.exp(A))


def rolled(x, a):
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = a * x[i] ** 2 + np.sin(x[i - 1])
    return y


def crossed(x, A):
    return A @ x + np.cos(A[0] * x[0])


def pair(x, a):
    return np.array([np.sum(x * x) * a, x[0] * x[-1]])


def grown(x, a):
    """A list that grows: its entries are followed one by one."""
    parts = []
    for i in range(len(x)):
        parts.append(a * x[i] ** 2)
    return np.array(parts) * x


def spaced(x, a):
    """Evenly spaced numbers have no form for many ends at once."""
    return np.sum(np.linspace(x[0], a * x[-1], 5) ** 3) * x[0]


def outer(x, a):
    return np.outer(x, np.sin(a * x))


X, MATRIX = np.array([0.3, 0.9, -0.4]), np.arange(9.0).reshape(3, 3) / 7.0
SCALARS = [(rosenbrock, 1.5), (smoothed, 0.7), (branched, 1.2), (bilinear, MATRIX)]
ARRAYS = [(rolled, 1.5), (crossed, MATRIX), (pair, 0.3), (outer, 0.8)]
POINTS = [X, np.ones(3), np.array([0.0, 1.0]), np.array([0.7]), np.linspace(-1.0, 1.0, 6)]
# The text is that of loops for each of the functions; compiled, it is that of half of them.
COMPILERS = ["python", pytest.param("numba", marks=pytest.mark.sampled(2))]


def at_points(second: Any) -> Iterator[tuple[Any, Any]]:
    for x in POINTS:
        yield x, second if not np.ndim(second) else np.resize(second, (len(x), len(x)))


def example(second: Any) -> tuple[Any, Any]:
    """Arguments with lengths that are no constants of a compiled program."""
    return np.linspace(0.2, 1.0, 40), second if not np.ndim(second) else np.resize(second, (40, 40))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("compile", COMPILERS)
@pytest.mark.parametrize("f, second", SCALARS, ids=lambda f: getattr(f, "__name__", ""))
def test_derivatives_of_numbers(f: Any, second: Any, compile: str) -> None:
    made = module_of(generate(f, modes=MODES, example=example(second), compile=compile).source)
    one = {mode: getattr(made, f"{f.__name__}_{mode}") for mode in ("grad", *MODES[1:])}
    rng = np.random.default_rng(0)
    for args in at_points(second):
        gradient = [by_complex_step(f, args, k) for k in (0, 1)]
        hessian = [[hessian_of(f, args, j, k) for k in (0, 1)] for j in (0, 1)]
        dots = tuple(rng.normal(size=np.shape(a)) if np.ndim(a) else 0.4 for a in args)
        products = [
            sum(np.tensordot(h, d, np.ndim(d)) for h, d in zip(row, dots, strict=True))
            for row in hessian
        ]
        close(one["grad"](*args), gradient, 1e-12)
        close(one["jacobian"](*args), gradient, 1e-12)
        close(one["hvp"](*args, *dots), products, 1e-8)
        for got, expected in zip(one["hessian"](*args), hessian, strict=True):
            close(got, expected, 1e-8)


@pytest.mark.parametrize("compile", COMPILERS)
@pytest.mark.parametrize("f, second", ARRAYS, ids=lambda f: getattr(f, "__name__", ""))
def test_jacobians_of_arrays(f: Any, second: Any, compile: str) -> None:
    both = module_of(generate(f, modes="jacobian", example=example(second), compile=compile).source)
    alone = module_of(
        generate(f, wrt="x", modes="jacobian", example=example(second), compile=compile).source
    )
    for args in at_points(second):
        expected = [by_complex_step(f, args, k) for k in (0, 1)]
        close(getattr(both, f"{f.__name__}_jacobian")(*args), expected, 1e-12)
        close([getattr(alone, f"{f.__name__}_jacobian")(*args)], expected[:1], 1e-12)


def close(found: Any, expected: Any, rtol: float) -> None:
    """Every block has the shape and the entries that are expected."""
    for got, right in zip(found, expected, strict=True):
        assert np.shape(got) == np.shape(right)
        np.testing.assert_allclose(
            got, right, rtol, rtol * (1.0 + np.max(np.abs(right), initial=0))
        )


def test_of_numbers_alone() -> None:
    def f(a, b):
        return a * math.sin(b), a / b

    made = module_of(generate(f, modes="jacobian", example=(0.5, 2.0)).source)
    (aa, ab), (ba, bb) = made.f_jacobian(0.5, 2.0)
    expected = [math.sin(2.0), 0.5 * math.cos(2.0), 0.5, -0.125]
    np.testing.assert_allclose([aa, ab, ba, bb], expected, 1e-14)
    alone = module_of(generate(f, wrt="b", modes="jacobian", example=(0.5, 2.0)).source)
    np.testing.assert_allclose(alone.f_jacobian(0.5, 2.0), expected[1::2], 1e-14)


Pair = namedtuple("Pair", "first second")


@dataclass
class Layer:
    weights: np.ndarray
    bias: float


def loss(layer, x):
    return np.sum(np.tanh(x @ layer["w"].weights + layer["w"].bias) ** 2)


def listed(xs):
    return sum(x**2 for x in xs)


def test_structures_have_gradients_of_their_form() -> None:
    at = {"w": Layer(np.array([0.2, -0.4]), 0.3)}, np.ones((3, 2))
    made = module_of(generate(loss, wrt="layer", modes="gradient, hvp", example=at).source)
    got = made.loss_grad(*at)
    assert type(got["w"]) is Layer

    def flat(w, b):
        return loss({"w": Layer(w, b)}, at[1])

    point = (at[0]["w"].weights, 0.3)
    close(
        [got["w"].weights, got["w"].bias], [by_complex_step(flat, point, k) for k in (0, 1)], 1e-12
    )
    dot = {"w": Layer(np.array([1.0, 2.0]), -1.0)}
    product = made.loss_hvp(*at, dot)["w"]
    rows = [[hessian_of(flat, point, j, k) for k in (0, 1)] for j in (0, 1)]
    expected = [r[0] @ dot["w"].weights + r[1] * dot["w"].bias for r in rows]
    close([product.weights, product.bias], expected, 1e-8)


def test_dtypes_are_those_of_the_argument() -> None:
    x = np.array([0.5, 1.5], np.float32)
    made = module_of(generate(rolled, wrt="x", modes="jacobian", example=(x, 2.0)).source)
    got = made.rolled_jacobian(x, 2.0)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, by_complex_step(rolled, (np.float64(x), 2.0), 0), 1e-6)


@pytest.mark.parametrize(
    "f, args, mode, code",
    [
        (rolled, (X, 1.0), "gradient", "AG404"),
        (rolled, (X, 1.0), "hessian", "AG404"),
        (listed, ([0.1, 0.2],), "jacobian", "AG404"),
    ],
)
def test_refusals(f: Any, args: Any, mode: str, code: str) -> None:
    with pytest.raises(AdjointgenError) as caught:
        generate(f, modes=mode, example=args)
    assert caught.value.code == code


@pytest.mark.parametrize("mode, at", [*product(MODES, ["wrong", "right"])])
def test_verification_finds_a_fault(mode: str, at: str) -> None:
    source = generate(smoothed, modes=mode, example=(X, 0.7)).source
    if at == "wrong":
        assert "np.cos" in source
        source = source.replace("np.cos", "np.sin")
    report = check(smoothed, (X, 0.7), module=module_of(source))
    assert report.ok is (at == "right"), str(report)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("compile", COMPILERS)
@pytest.mark.parametrize("f, second", [*SCALARS, *ARRAYS], ids=lambda f: getattr(f, "__name__", ""))
def test_directions_are_the_last_axis(f: Any, second: Any, compile: str) -> None:
    """Along the unit vectors a tangent gives the columns of a Jacobian, an adjoint the rows."""
    given = {"example": example(second), "compile": compile, "directions": 4}
    module = module_of(generate(f, wrt="x", modes="tangent, adjoint", **given).source)
    rng = np.random.default_rng(1)
    for args in at_points(second):
        jacobian = by_complex_step(f, args, 0)
        axes = jacobian.ndim - 1
        dots = rng.normal(size=(*np.shape(args[0]), 4))
        y, y_dot = getattr(module, f"{f.__name__}_tangent")(*args, dots)
        close([y, y_dot], [f(*args), np.tensordot(jacobian, dots, 1)], 1e-12)
        bars = rng.normal(size=(*np.shape(y), 4))
        y, x_bar = getattr(module, f"{f.__name__}_adjoint")(*args, bars)
        rows = [np.tensordot(bars[..., k], jacobian, axes) for k in range(4)]
        close([y, x_bar], [f(*args), np.stack(rows, axis=-1)], 1e-12)


@pytest.mark.parametrize("mode", ["tangent", "adjoint", "hvp"])
def test_verification_follows_every_direction(mode: str, tmp_path: Path) -> None:
    def is_right(text: str) -> bool:
        made = module_of(text)
        made.__file__ = str(tmp_path / "made.py")
        Path(made.__file__).write_text(text)
        return check(smoothed, (X, 0.7), module=made).ok

    source = generate(smoothed, modes=mode, example=(X, 0.7), directions=3).source
    assert is_right(source)
    wrong = re.sub(r"(return .*?\w+(?:_dot|_bar)\b)", r"\1 * np.array([1.0, 1.0, 2.0])", source)
    assert not is_right(wrong)


def test_every_mode_has_a_row() -> None:
    assert tuple(modes.TABLE) == modes.EVERY
    parts = [part for row in modes.TABLE.values() for part in row.parts]
    assert len({*parts}) == len(parts)


def test_split_sweeps_are_not_compiled() -> None:
    with pytest.raises(ValueError, match="mode split is not compiled"):
        generate(rolled, modes="split", example=(X, 1.5), compile="numba")


def test_directions_need_a_mode_with_seeds() -> None:
    with pytest.raises(ValueError, match="directions are of the modes tangent, adjoint, hvp"):
        generate(rolled, modes="jacobian", example=(X, 1.5), directions=2)


@pytest.mark.parametrize("f", [grown, spaced])
def test_directions_are_followed_one_by_one_where_they_have_to(f: Any) -> None:
    """The loop stands in the program, and gives what it would give at once."""
    is_number = f is spaced
    modes = "tangent, hessian, hvp" if is_number else "tangent, jacobian"
    made = generate(f, wrt="x", modes=modes, example=example(0.7), directions=3)
    module, rng = module_of(made.source), np.random.default_rng(2)
    assert "for k in range(" in made.source
    for x in POINTS:
        args = x, 0.7
        dots = rng.normal(size=(len(x), 3))
        jacobian = by_complex_step(f, args, 0)
        y, y_dot = getattr(module, f"{f.__name__}_tangent")(*args, dots)
        close([y, y_dot], [f(*args), np.tensordot(jacobian, dots, 1)], 1e-12)
        if is_number:
            hessian = hessian_of(f, args, 0, 0)
            close([module.spaced_hessian(*args)], [hessian], 1e-8)
            close([module.spaced_hvp(*args, dots)], [hessian @ dots], 1e-8)
        else:
            close([module.grown_jacobian(*args)], [jacobian], 1e-12)


def test_what_acts_is_not_repeated() -> None:
    def f(x):
        print(x[0])
        return grown(x, 1.0)

    with pytest.raises(AdjointgenError) as caught:
        generate(f, modes="jacobian", example=(X,))
    assert caught.value.code == "AG143"
