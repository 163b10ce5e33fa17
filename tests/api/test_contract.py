"""The docstring of a program: structures, parts, names that come twice, the user's own."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjointgen import adjoint, generate, grad


@dataclass
class Decay:
    rate: float
    count: int


def swing(q: Any, p: Any, step: float) -> Any:
    """Position and momentum after a step.

    The scheme is symplectic.
    """
    p = p - step * q
    return q + step * p, {"p": p}


def faded(d: Decay, x: float) -> float:
    return x * d.rate**d.count


def steered(x: Any, weight: Any, power: Any = 2, inner: Any = True, how: Any = "sin") -> Any:
    slope = 2.0 if inner else 3.0 if weight is None else weight
    return slope * np.linalg.norm([x, 1.0], ord=power) + (np.sin(x) if how == "sin" else x)


def doc(function: Any) -> str:
    return function.source.split('"""')[1]


def test_results_are_written_in_their_structure() -> None:
    f = adjoint(swing, ("q", "p"))
    ones = np.ones(2)
    f(ones, ones, 0.5, (ones, {"p": ones}))
    lines = [line.strip() for line in doc(f).split("\n")]
    assert lines[0].endswith(': ((result_1, {"p": p}), q_bar, p_bar).')
    assert lines[2] == "Position and momentum after a step."
    assert sum(line.startswith("p:") for line in lines) == 1
    assert "p: float64 array (p.shape[0],), differentiated, read only; returned anew" in lines


def test_parts_of_a_structure_are_written_as_they_are_read() -> None:
    f = grad(faded)
    f(Decay(0.5, 3), 2.0)
    text = doc(f)
    assert "    d.rate: float, differentiated\n    d.count: int\n" in text
    assert "    d:" not in text


def test_one_result_has_no_parentheses() -> None:
    text = generate(faded_by, "x", "adjoint").source
    assert "(result, x_bar)." in text
    f = grad(faded_by)
    f(0.5)
    assert doc(f).startswith("Gradient of `faded_by`: x_bar.\n")


def faded_by(x: float) -> float:
    return x * x


def test_lengths_that_are_not_known_are_not_listed() -> None:
    text = generate(chosen, "x", "tangent", types={"x": "float64[:]"}).source
    assert "?" not in text and "result: float64 array of rank 1, returned" in text


def chosen(x: Any) -> Any:
    return x[x > 0.5]


def test_the_gradient_by_a_number_is_a_number_where_the_program_makes_an_array_of_it() -> None:
    def rotated(x):
        a = np.asarray(x)
        rows = np.zeros((*a.shape, 2))
        rows[..., 0] = np.cos(a)
        rows[..., 1] = np.sin(a)
        return np.sum(rows**3)

    found = grad(rotated)(0.3)
    assert isinstance(found, float), type(found)
    c, s = np.cos(0.3), np.sin(0.3)
    np.testing.assert_allclose(found, 3.0 * s * c * (s - c), rtol=1e-13)


def test_what_is_fixed_is_said_by_its_type() -> None:
    made = generate(steered, example=((0.5, None), {"power": 3, "inner": False}))
    lines = [line.strip() for line in doc(made).split("\n")]
    wanted = ("weight: None", "power: int", "inner: bool", "how: str")
    assert all(line in lines for line in wanted)
    assert "x: float, differentiated" in lines
