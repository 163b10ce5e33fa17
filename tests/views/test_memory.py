"""The predicted peak of memory of adjoints, against what `tracemalloc` measures."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, inspect
from adjointgen.errors import Misuse

U = np.linspace(0.3, 1.0, 60_000)
W = np.full((250, 250), 0.01)


def heat(u0: Any, k: Any, steps: int) -> Any:
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += k * np.sin(u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u @ u


def rk4(y0: Any, h: Any, steps: int) -> Any:
    y = y0
    for _ in range(steps):
        a = np.sin(y)
        b = np.sin(y + 0.5 * h * a)
        c = np.sin(y + 0.5 * h * b)
        d = np.sin(y + h * c)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return np.sum(y * y)


def perceptron(first: Any, second: Any, x: Any) -> Any:
    h = np.tanh(x @ first)
    g = np.tanh(h @ second)
    return np.sum(g * g)


def relaxed(u0: Any, k: Any) -> Any:
    x = u0
    while np.max(np.abs(x)) > 0.4:
        x = np.sin(x) * k
    return np.sum(x)


def root(u0: Any, k: Any) -> Any:
    x, y = u0, 1.0
    while abs(y * y - k) > 1e-13:
        y = 0.5 * (y + k / y)
        x = np.sin(x) * y + x
    return y * np.sum(x)


def nested(u0: Any, k: Any, steps: int) -> Any:
    total = 0.0
    for r in range(4):
        x = u0 * (1.0 + r)
        for _ in range(steps + r):
            x = np.cos(x) * k + x[::-1]
        total += np.sum(x**2)
    return total


def straight(x: Any, a: Any) -> Any:
    y = np.exp(x) * a
    z = np.sin(y) + x
    return np.sum(z / (1.0 + y * y))


def branching(x: Any, a: Any, steps: int) -> Any:
    for _ in range(steps):
        if np.sum(x) > 1e9:
            x = x * a
        else:
            y = np.sin(x)
            x = y * a
    return np.sum(x)


def wave(u: Any, k: Any) -> Any:
    for _ in range(3):
        u = u + 0.1 * np.sin(u * k)
    return u


def called(x: Any, k: Any, steps: int) -> Any:
    u = x
    for _ in range(steps):
        u = wave(u, k) * wave(u * u, k)
    return np.sum(u * u)


def numbers(x: float, a: float, steps: int) -> float:
    for _ in range(steps):
        x = math.sin(x) * a + x
    return x


def vectors(x: Any, a: Any, steps: int) -> Any:
    for _ in range(steps):
        x = np.sin(x) * a
    return x


PROGRAMS = (
    (heat, (U, 0.1, 30), ""),
    (heat, (U[:1000].copy(), 0.1, 2000), ""),
    (rk4, (U, 0.01, 8), ""),
    (perceptron, (W, W, W), ""),
    (relaxed, (U, 0.9), ""),
    (root, (U, 0.7), ""),
    (nested, (U, 0.3, 5), ""),
    (straight, (U, 0.3), ""),
    (branching, (U, 0.3, 12), ""),
    (called, (U, 0.3, 4), ""),
    (numbers, (0.1, 0.2, 20_000), ""),
    (vectors, (U, 0.3, 10), ""),
    (heat, (U, 0.1, 40), "log"),
    (heat, (U, 0.1, 40), "binomial, snapshots=4"),
    (heat, (U, 0.1, 40), "periodic, period=5"),
    (heat, (U, 0.1, 40), 'memory="4 MB"'),
    (heat, (U, 0.1, 40), 'disk="FOLDER", snapshots=3'),
    (rk4, (U, 0.01, 20), "log"),
    (nested, (U, 0.3, 5), "log"),
    (root, (U, 0.7), "binomial, snapshots=2"),
)


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "f, args, schedule",
    PROGRAMS,
    ids=[f"{p[0].__name__}-{p[2][:8]}-{k}" for k, p in enumerate(PROGRAMS)],
)
def test_the_predicted_peak_is_the_measured_one(
    f: Any, args: tuple[Any, ...], schedule: str, tmp_path: Path
) -> None:
    where = schedule.replace("FOLDER", tmp_path.as_posix())
    peak = inspect(f, *args, checkpoint=where).measure()
    assert peak.predicted is not None and peak.measured is not None and not peak.note
    assert peak.predicted == pytest.approx(peak.measured, rel=0.03)


def test_the_arguments_are_left_as_they_are() -> None:
    u = U.copy()

    def overwrites(u: Any, k: Any) -> Any:
        u[1:] *= np.sin(u[:-1]) * k
        return u @ u

    inspect(overwrites, u, 0.3).measure()
    assert np.array_equal(u, U)


def test_a_longer_run_is_predicted_without_running_it() -> None:
    one, ten = (inspect(heat, U, 0.1, steps).peak.predicted for steps in (100_000, 1_000_000))
    assert one is not None and ten is not None
    assert ten / one == pytest.approx(10.0, rel=0.01)
    assert one == pytest.approx(2 * 8 * len(U) * 100_000, rel=0.01)


def test_what_nobody_can_know_is_said() -> None:
    def chosen(x: Any, first: Any) -> Any:
        return np.sum(np.sin(x[first[0] : first[1]]))

    peak = inspect(chosen, U, np.array([3, 7])).peak
    assert "some lengths are not known" in str(peak)

    def repeated(x: Any, often: Any) -> Any:
        for _ in range(int(often[0])):
            x = np.sin(x)
        return np.sum(x)

    peak = inspect(repeated, U, np.array([3, 7])).peak
    assert peak.predicted is None and "how often does the loop of line" in str(peak)


def test_memory_is_that_at_arguments() -> None:
    with pytest.raises(AdjointgenError) as caught:
        inspect(numbers).peak  # noqa: B018
    assert caught.value.code == "AG415"


def test_the_directive_that_removes_a_value() -> None:
    def stepped(x: Any, k: Any) -> Any:
        u = x
        for _ in range(4):
            t = np.exp(np.sin(u) * u)
            u = u + 0.1 * np.tanh(t) * t * k
            u = wave(u, k)
        return np.sum(u * u)

    rows = inspect(stepped, U[:5], 0.3).tape.splitlines()[1:]
    told = {row.split()[0]: row.rsplit("  ", 1)[1] for row in rows}
    first = stepped.__code__.co_firstlineno
    assert told["t_tape_2"] == f"recompute(t) above line {first + 3}"
    assert told["u_tape"] == "none" or told["u_tape"].startswith("checkpoint(log) above")
    assert told["wave_tape_tape"] == f"joint above line {first + 5}"
    assert told["held"] == "none"


def test_a_derivative_is_inspected_as_its_function() -> None:
    def square(x: float) -> float:
        return x * x

    assert inspect(grad(square), 2.0).ssa == inspect(square, 2.0).ssa
    with pytest.raises(Misuse, match="AG415"):
        inspect("model.py::square", 2.0)
