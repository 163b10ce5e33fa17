"""Dicts whose keys a run has shown: `**d`, `dict(d)` and `d.update(...)` take their entries."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from adjointgen import AdjointgenError, grad, hessian, value_and_grad

TEXT = '{"earth": {"a": 1.5, "e": 0.25, "E": 2.0}}'
STATE: dict[str, Any] = {"text": TEXT}


def elements() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(STATE["text"])["earth"]
    found.update({"n": 2.0})
    return found


def distance(**el: Any) -> Any:
    return el["a"] * el["e"] + el["E"]


def spread(x: Any) -> Any:
    return x * x * distance(**elements())


def copied(x: Any) -> Any:
    d = dict(elements())
    d["e"] = x
    return distance(**d) * x


def displayed(x: Any) -> Any:
    d = {**elements(), "a": x}
    return distance(**d) * x


def updated(x: Any) -> Any:
    d = {"a": 2.0}
    d.update(elements())
    d["E"] = x * x
    return distance(**d)


def by_name(a: Any, n: Any, e: Any = 0.0, E: Any = 0.0) -> Any:
    return a * e**2 + E * n


def as_parameters(x: Any) -> Any:
    return x * by_name(**elements())


def slope(f: Callable[..., Any], x: float, h: float = 1e-3) -> float:
    near, far = (float(f(x + k * h)) - float(f(x - k * h)) for k in (1, 2))
    return (8 * near - far) / (12 * h)


@pytest.mark.parametrize("f", [spread, copied, displayed, updated, as_parameters])
def test_entries_of_a_dict_that_is_made_at_run_time(f: Callable[..., Any]) -> None:
    value, found = value_and_grad(f)(0.7)
    assert value == f(0.7)
    assert found == pytest.approx(slope(f, 0.7), rel=1e-9)
    assert hessian(f)(0.7) == pytest.approx(slope(grad(f), 0.7), rel=1e-8, abs=1e-9)


def test_a_program_says_that_there_are_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = grad(copied)
    derivative(2.0)
    scope = dict(vars(__import__(__name__, fromlist=["x"])))
    exec(derivative.source, scope)
    assert scope["copied_grad"](2.0) == pytest.approx(slope(copied, 2.0))
    monkeypatch.setitem(STATE, "text", '{"earth": {"e": 0.5, "a": 3.0, "E": 1.0}}')
    with pytest.raises(NotImplementedError, match="has other keys"):
        scope["copied_grad"](2.0)


def test_behind_a_change_that_cannot_be_undone_it_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    derivative = grad(spread)
    assert derivative(2.0) == pytest.approx(9.5)
    monkeypatch.setitem(STATE, "text", '{"earth": {"e": 0.5, "a": 3.0, "E": 1.0}}')
    with pytest.raises(AdjointgenError) as raised:
        derivative(2.0)
    assert raised.value.code == "AG132"


def of_other_kinds(x: Any) -> Any:
    return x * distance(**json.loads('{"a": "p", "e": 3, "E": "q"}'))


def not_all_texts(x: Any) -> Any:
    return x * sum(dict(eval("{1: 2.0, 'a': 3.0}")).values())


@pytest.mark.parametrize("f", [of_other_kinds, not_all_texts])
def test_what_is_not_known_stays_refused(f: Callable[..., Any]) -> None:
    with pytest.raises((AdjointgenError, TypeError)):
        grad(f)(0.7)
