"""Declared derivatives of functions without source: called once, in place, and right."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from adjointgen import adjoint, check, grad, hvp, rules, tangent
from adjointgen.cli import main
from adjointgen.errors import AdjointgenError, Misuse

CALLS: list[str] = []


def advance(u: Any, dt: Any, n: Any) -> Any:
    CALLS.append("value")
    return u + n * dt * np.sin(u)


def advance_tangent(y: Any, u: Any, dt: Any, n: Any, u_dot: Any, dt_dot: Any) -> Any:
    CALLS.append("tangent")
    return u_dot + n * (dt_dot * np.sin(u) + dt * np.cos(u) * u_dot)


def advance_adjoint(y: Any, u: Any, dt: Any, n: Any, y_bar: Any) -> Any:
    CALLS.append("adjoint")
    return y_bar * (1.0 + n * dt * np.cos(u)), float(n * np.sum(y_bar * np.sin(u)))


def half(x: Any) -> Any:
    return 0.5 * np.sum(x * x)


def half_adjoint(y: Any, x: Any, y_bar: Any) -> Any:
    return y_bar * x


@pytest.fixture(autouse=True)
def declared() -> None:
    """The declarations, which are gone after each test as all rules are."""
    rules.opaque(
        advance,
        "u, dt, n",
        constants="n",
        result="u",
        tangent=advance_tangent,
        adjoint=advance_adjoint,
    )
    rules.opaque(half, "x", result="float", adjoint=half_adjoint)


def march(u: Any, dt: Any, steps: int) -> Any:
    for _ in range(steps):
        u = advance(u, dt, 2)
    return np.sum(u**2)


def twice(u: Any, dt: Any) -> Any:
    """The same call two times, one of which nothing reads."""
    a = advance(u, dt, 1)
    advance(u, dt, 1)
    return np.sum(a)


U = np.array([0.3, 0.0, 1.0])


def test_derivatives_are_those_of_differences() -> None:
    assert check(march, (U, 0.1, 3), wrt=("u", "dt")).ok
    assert check(march, (U[:1], 0.0, 0), wrt=("u", "dt")).ok


@pytest.mark.parametrize(
    "run, expected",
    [
        (lambda: grad(march)(U, 0.1, 3), ["value"] * 3 + ["adjoint"] * 3),
        (lambda: tangent(march, "u")(U, 0.1, 2, U), ["value", "tangent"] * 2),
        (lambda: grad(twice)(U, 0.1), ["value", "value", "adjoint"]),
    ],
    ids=["adjoint", "tangent", "unread"],
)
def test_each_call_runs_once(run: Any, expected: list[str]) -> None:
    run()
    CALLS.clear()
    run()
    assert expected == CALLS


def test_a_number_by_its_adjoint_alone() -> None:
    def f(x: Any) -> Any:
        return half(np.sin(x)) * x[0]

    x = np.array([0.5, -1.5])
    s = np.sin(x)
    expected = x[0] * s * np.cos(x) + np.array([0.5 * np.sum(s * s), 0.0])
    np.testing.assert_allclose(grad(f)(x), expected, 1e-14)
    with pytest.raises(AdjointgenError, match=r"no tangent of .*half is declared"):
        tangent(f)(x, x)


def test_second_order_asks_for_more_rules() -> None:
    with pytest.raises(AdjointgenError) as caught:
        hvp(march, (U, 0.1, 1), (U,))
    assert caught.value.code == "AG201"


def test_of_what_is_passive_it_is_a_call() -> None:
    def f(x: Any, u: Any) -> Any:
        return x * half(u)

    assert adjoint(f, "x")(2.0, np.ones(2), 1.0) == (2.0, 1.0)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"arguments": "a b", "result": "float", "adjoint": "m.g"}, "no name of an argument"),
        ({"arguments": "", "result": "float", "adjoint": "m.g"}, "no name of an argument"),
        (
            {"arguments": "a", "constants": "b", "result": "float", "adjoint": "m.g"},
            "no argument b",
        ),
        ({"arguments": "a", "result": "float"}, "needs a tangent or an adjoint"),
        ({"arguments": "a", "result": "b", "adjoint": "m.g"}, "neither an argument nor a type"),
    ],
)
def test_misuse(given: dict[str, str], said: str) -> None:
    with pytest.raises(Misuse, match=said):
        rules.opaque("m.f", **given)


PROJECT = """
[tool.adjointgen.rules."outside.area"]
arguments = "r, scale"
constants = "{constants}"
result = "r"
adjoint = "outside.area_adjoint"

[[tool.adjointgen.targets]]
source = "model.py::total"
output = "model_ad.py"
mode = "gradient"
"""
MODEL = """
from outside import area

def total(r: float, scale: float) -> float:
    return 2.0 * area(r, scale)
"""


def test_a_project_declares_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)

    def run(*words: str) -> Any:
        return CliRunner().invoke(main, words)

    def declare(constants: str) -> None:
        (tmp_path / "pyproject.toml").write_text(PROJECT.format(constants=constants))

    declare("")
    assert run("generate").exit_code == 0
    text = (tmp_path / "model_ad.py").read_text()
    assert "r_bar, scale_bar = outside.area_adjoint(area, r, scale, 2.0)" in text
    assert run("check").exit_code == 0
    declare("scale")
    assert run("check").exit_code == 1
    declare("nosuch")
    assert run("check").exit_code == 2
