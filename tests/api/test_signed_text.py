"""What a reviewer of a committed module would ask for: names, types, no arm after an exception."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjointgen import generate, grad


def unpacked(p: Any, x: float) -> Any:
    a, b, c = p
    return a * x * x + b * x + c


def refused(x: float, width: float) -> float:
    if x < 0.0:
        raise ValueError("x")
    if width <= 0.0:
        raise ValueError("width")
    return math.sin(x) * width


def each_refused(x: float, n: int) -> float:
    total = 0.0
    for k in range(n):
        if x > 1.0:  # noqa: SIM102
            if k > 2:
                raise ValueError("late")
        total += x**k
    return total


def scaled(v: Any) -> Any:
    r = np.exp(v - np.sum(v))
    return r / np.sum(r * np.tanh(r))


def called(v: Any) -> Any:
    return np.sum(scaled(v) * scaled(2.0 * v))


@dataclass
class Params:
    """Parameters of a filter."""

    A: Any
    q: float


def filtered(p: Params, rows: Any) -> Any:
    state, total = np.zeros(2), 0.0
    for row in rows:
        state = p.A @ state + p.q * row
        total = total + state @ state
    return total


def method(x: float, kind: str = "a", on: bool = True) -> float:
    return x * x if kind == "a" and on else x


def test_all_that_is_unpacked_has_its_name() -> None:
    body = generate(unpacked, "p", "adjoint", example=(np.ones(3), 2.0)).body
    assert "    a = p[0]\n    b = p[1]\n    c = p[2]\n" in body
    assert "p_bar[1] = b_bar" in body


def test_no_arm_of_the_reverse_sweep_is_for_a_test_that_raised() -> None:
    body = generate(refused, "x", "adjoint", types={"width": "float"}).body
    assert "test" not in body
    assert body.count("if ") == 2
    for n in range(3):
        slope = sum(k * 1.5 ** (k - 1) for k in range(1, n + 1))
        assert grad(each_refused)(1.5, n + 1) == pytest.approx(slope, rel=1e-13)
    with pytest.raises(ValueError, match="late"):
        grad(each_refused)(1.5, 4)


def test_what_is_recorded_has_one_name_and_a_type() -> None:
    body = generate(called, "v", "adjoint", example=(np.arange(3.0),)).body
    recorded = body.partition("return result, (")[2].partition(")")[0]
    assert recorded
    assert f"    {recorded} = tape" in body
    assert "Any" not in body
    assert "    # return r / np.sum(r * np.tanh(r))\n" in body


def test_a_module_is_for_other_lengths_and_says_how_structures_are_read(tmp_path: Path) -> None:
    p = Params(np.array([[0.5, 0.1], [0.0, 0.3]]), 0.7)
    module = generate(filtered, "p", "adjoint", example=(p, np.ones((3, 2))))
    assert "rows.shape[0] != 3" not in module.body
    assert "(total, p_bar)." in module.body
    assert "p_bar.A: float64 array (p.A.shape[0], p.A.shape[1]), returned" in module.body
    known: dict[str, Any] = {}
    exec(module.body, known)
    rows = np.arange(10.0).reshape(5, 2)
    value, p_bar = known["filtered_adjoint"](p, rows)
    assert value == pytest.approx(filtered(p, rows))
    h = 1e-6
    slope = filtered(Params(p.A, p.q + h), rows) - filtered(Params(p.A, p.q - h), rows)
    assert p_bar.q == pytest.approx(slope / (2.0 * h), rel=1e-6)


def test_fixed_arguments_have_their_type() -> None:
    body = generate(method, "x", "adjoint", example=(2.0,)).body
    assert 'kind: str = "a", on: bool = True' in body


@dataclass
class Model:
    """A matrix and a rate, as checkers know them."""

    A: np.ndarray  # type: ignore[type-arg]
    rate: float


def observed(m: Model, x: Any) -> Any:
    return m.rate * np.sum(m.A @ x)


def first_told(p: Any, b: Any) -> Any:
    return np.sum(p["k"] @ b)


def in_order(b: Any, a: Any) -> Any:
    return np.sum(a * b)


class Reading(NamedTuple):
    """An observation that may have no weight."""

    value: float
    weight: float | None


def of_dict(p: Any, x: Any) -> Any:
    return {"low": p["a"] @ x, "high": p["b"] @ x}


def weighed(r: Any, x: float) -> float:
    return float(r.value * x * (r.weight or 1.0))


def test_structures_have_types() -> None:
    made = generate(observed, "m", example=(Model(np.eye(2), 0.7), np.ones(2))).body
    assert f"if TYPE_CHECKING:\n    from {__name__} import Model\n" in made
    assert 'm: "Model", x: NDArray[np.float64], m_dot: "Model"' in made
    assert '-> tuple[float, "Model"]:' in made
    assert "Any" not in made
    two = {"a": np.ones(2), "b": np.ones(2)}
    made = generate(of_dict, "p", "adjoint", example=(two, np.ones(2))).body
    assert "p: dict[str, NDArray[np.float64]]" in made
    assert "-> tuple[dict[str, float], dict[str, NDArray[np.float64]]]:" in made
    made = generate(weighed, "r.value", "adjoint", example=(Reading(2.0, 0.5), 1.5)).body
    assert "r: Any" in made


def test_a_length_is_told_by_the_first_argument_that_has_it_and_tested_once() -> None:
    body = generate(first_told, "b", "adjoint", example=({"k": np.ones((1, 3))}, np.ones(3))).body
    assert body.count("shape[0] != 1") == 1
    body = generate(in_order, "b", "adjoint", example=(np.ones(3), np.ones(3))).body
    assert "a: float64 array (b.shape[0],), read only" in body
    assert "for b and a of one shape" in body


def test_the_text_of_a_module_with_types_runs() -> None:
    made = generate(observed, "m", "adjoint", example=(Model(np.eye(2), 0.7), np.ones(2)))
    known: dict[str, Any] = {}
    exec(made.body, known)
    _, m_bar = known["observed_adjoint"](Model(np.eye(2), 0.7), np.array([1.0, 2.0]))
    assert isinstance(m_bar, Model)
    assert m_bar.rate == pytest.approx(3.0)


def two_variables(x: Any, w: Any) -> Any:
    y = np.sin(x) * w
    z = y - x * w
    return y, z


def root_twice(x: float, t: float) -> float:
    a = math.log(x) / math.sqrt(t)
    return a * math.exp(-a * math.sqrt(t) * x)


def turned(A: Any, b: Any) -> Any:
    return np.sum(np.tanh(A.T @ b) * (A.T @ b))


def test_no_name_means_two_variables() -> None:
    module = generate(two_variables, "x", example=(np.ones(3), np.ones(3)))
    tangent, adjoint = module.body.split("def two_variables_adjoint")
    assert "z_dot = y_dot - " in tangent
    assert "y_bar = y_bar + z_bar" in adjoint or "y_bar += z_bar" in adjoint
    known: dict[str, Any] = {}
    exec(module.body, known)
    x, w, y_bar = np.linspace(0.1, 0.4, 3), np.array([1.0, 2.0, 3.0]), np.array([0.3, -0.2, 0.5])
    kept = y_bar.copy()
    _, x_bar = known["two_variables_adjoint"](x, w, y_bar, y_bar)
    assert x_bar == pytest.approx((2.0 * kept * np.cos(x) - kept) * w, rel=1e-13)
    assert (y_bar == kept).all()


def test_what_needs_a_name_is_computed_once() -> None:
    body = generate(root_twice, "x,t", "adjoint").body
    code = [line for line in body.split("\n") if "#" not in line]
    assert sum("math.sqrt(t)" in line for line in code) == 1
    slope = grad(root_twice, (0, 1))(1.3, 0.7)
    for k, step in enumerate(((1e-20j, 0.0), (0.0, 1e-20j))):
        x, t = 1.3 + step[0], 0.7 + step[1]
        a = np.log(x) / np.sqrt(t)
        value = a * np.exp(-a * np.sqrt(t) * x)
        assert slope[k] == pytest.approx(value.imag / 1e-20, rel=1e-13)


def test_a_transposed_matrix_is_named_after_it_and_not_turned_back() -> None:
    body = generate(turned, "A,b", "adjoint", example=(np.ones((2, 3)), np.ones(2))).body
    assert ".T.T" not in body
    assert "_T.T" not in body
    assert "T_A" not in body


def squared_in_place(u: Any, n: int) -> Any:
    for _ in range(n):
        u = u - 0.1 * (0.5 * u * u)
    return np.sum(u)


def test_a_square_has_one_term() -> None:
    made = generate(squared_in_place, "u", "adjoint", example=(np.ones(3), 2))
    reverse = made.body.partition("# Reverse sweep.")[2]
    assert reverse.count("u_bar +=") + reverse.count("u_bar -=") == 1
    u = np.array([0.3, -0.7, 1.2])
    slope = [squared_in_place(u + 1e-20j * e, 2).imag / 1e-20 for e in np.eye(3)]
    assert grad(squared_in_place)(u, 2) == pytest.approx(slope, rel=1e-13)
