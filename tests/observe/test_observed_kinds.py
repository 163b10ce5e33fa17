"""Programs that take values to be of the kinds which a run has shown, and code that is copied."""

import datetime as dt
import importlib.util
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, grad, hessian, jvp, tangent, value_and_grad
from adjointgen.errors import AdjointgenError
from adjointgen.observe.kinds import kinds

START = dt.date(2020, 1, 1)
TABLE = json.loads('{"a": [1.0, 2.5], "n": 3, "k": {"q": 2.0}, "m": [[1.0, 2.5], [3.0, 4.0]]}')
STATE: dict[str, Any] = {"k": 2, "A": np.eye(2)}
KEY = "k"


def slope(f: Callable[..., Any], x: float, h: float = 1e-5) -> float:
    """Differences of fourth order."""
    near, far = (float(f(x + k * h)) - float(f(x - k * h)) for k in (1, 2))
    return (8 * near - far) / (12 * h)


def schedule(start: Any, n: Any) -> Any:
    out: list[Any] = []
    d = start
    while len(out) < n:
        d = d + dt.timedelta(days=182)
        out.append(d)
    return out


def bond(y: Any) -> Any:
    total = 0.0
    for d in schedule(START, len(TABLE)):
        t = (d - START).days / 365.0
        total = total + 3.0 * math.exp(-y * t)
    return total


def parsed(x: Any, text: str = '{"a": [1.0, 2.5], "n": 3}') -> Any:
    table = json.loads(text)
    s = 0.0
    for v in table["a"]:
        s += v * x ** table["n"]
    return s


def matrix(x: Any) -> Any:
    A = np.array(json.loads("[[1.0, 2.5], [3.0, 4.0]]"))
    A[0, 0] = x
    return (A @ A).sum() * json.loads("[2.0]")[0]


def flows(r: Any) -> Any:
    dates = [START + dt.timedelta(days=30 * k) for k in range(5)]
    cf = {d: 5.0 for d in dates[1:]}  # noqa: C420
    return sum(c / (1 + r) ** ((d - START).days / 365) for d, c in cf.items())


def own_loop(y: Any, n: Any = 4) -> Any:
    out = []
    d = START
    while len(out) < n:
        d = d + dt.timedelta(days=182)
        if d.weekday() < 5:
            out.append((d - START).days / 365)
    total = 0.0
    for t in out:
        total = total + 3.0 * math.exp(-y * t)
    return total


def counted(x: Any, s: str = "abcab") -> Any:
    n: dict[str, Any] = {}
    for ch in sorted(s):
        n[ch] = n.get(ch, 0) + 1
    r = 0.0
    for _, v in n.items():
        r += v * x**v
    return r


def terms(x: Any, s: str = "2x^3 + 4x^1") -> Any:
    found = []
    for part in s.split("+"):
        c, _, e = part.strip().partition("x^")
        found.append((float(c), int(e)))
    return sum(c * x**e for c, e in found)


def chosen(x: Any) -> Any:
    dates = schedule(START, 3)
    return x ** max(dates, key=lambda d: d.day).month


PROGRAMS = (bond, parsed, matrix, flows, own_loop, counted, terms, chosen)


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_that_a_run_knows(f: Callable[..., Any]) -> None:
    value, slope_ = value_and_grad(f)(0.7)
    assert value == f(0.7)
    assert slope_ == pytest.approx(slope(f, 0.7), rel=1e-8)
    assert jvp(f, (0.7,), (2.0,))[1] == pytest.approx(2.0 * slope_, rel=1e-12)
    curvature = slope(grad(f), 0.7)
    assert hessian(f)(0.7) == pytest.approx(curvature, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("f", [bond, parsed, matrix, flows, own_loop, chosen])
def test_nothing_is_observed_where_that_is_switched_off(
    f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJOINTGEN_OBSERVE", "off")
    with pytest.raises(AdjointgenError):
        grad(f)(0.7)


def test_what_is_taken_to_hold_is_said_and_tested() -> None:
    derivative = grad(bond)
    derivative(0.7)
    source = derivative.source
    assert "no derivative where `(d - START).days` is no int" in source.split('"""')[1]
    assert " is not int:" in source
    assert "while " in source or "for k in range(" in source, "a loop stays one"


def stated(x: Any) -> Any:
    return x * json.loads(json.dumps(STATE[KEY]))


@pytest.mark.parametrize("now", [2.5, 7, True, -0.0])
def test_a_value_of_another_kind_gets_a_program_of_its_own(
    now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    derivative = grad(stated)
    assert derivative(1.0) == 2.0
    monkeypatch.setitem(STATE, KEY, now)
    assert derivative(1.0) == now
    monkeypatch.setitem(STATE, KEY, 2)
    assert derivative(1.0) == 2.0


@pytest.mark.parametrize("now", ["s", None, [1.0]])
def test_what_is_no_number_is_refused(now: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = grad(stated)
    assert derivative(1.0) == 2.0
    monkeypatch.setitem(STATE, KEY, now)
    with pytest.raises((AdjointgenError, TypeError)):
        derivative(1.0)


def held_array(x: Any) -> Any:
    A = getattr(sys.modules[__name__], "STATE")["A"]  # noqa: B009
    B = A * x
    A[0, 1] += 1.0
    return (A @ B).sum()


def in_an_object(x: Any) -> Any:
    d = json.loads('{"q": 2.0}')
    d["p"] = x
    return d["p"] * d["q"]


def grown(x: Any, s: str = "abc") -> Any:
    rows: list[Any] = json.loads("[]")
    for ch in s:
        rows.append(x * ord(ch))
    return rows[0] * rows[1]


def caught(x: Any) -> Any:
    try:
        return json.loads("3") * x
    except NotImplementedError:
        return x


@pytest.mark.parametrize("f", [held_array, in_an_object, grown, caught])
def test_what_could_be_wrong_stays_refused(f: Callable[..., Any]) -> None:
    before = STATE["A"].copy()
    with pytest.raises(AdjointgenError):
        grad(f)(0.7)
    assert np.array_equal(STATE["A"], before), "no effect of the run is seen"


def test_a_module_says_where_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        'import json\n\nCONFIG = {"k": "3"}\n\n\n'
        'def f(x):\n    k = json.loads(CONFIG["k"])\n    return x * k\n'
    )
    path = tmp_path / "kinds_model.py"
    path.write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    made = generate(f"{path}::f", wrt="x", modes=("adjoint",), example=(0.5,))
    out = tmp_path / "kinds_model_ad.py"
    made.write(out)
    spec = importlib.util.spec_from_file_location("kinds_model_ad", out)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.f_adjoint(0.5, 1.0) == (1.5, 3.0)
    module.CONFIG["k"] = "4"
    assert module.f_adjoint(0.5, 1.0) == (2.0, 4.0)
    module.CONFIG["k"] = "4.0"
    with pytest.raises(NotImplementedError, match=r"kinds_model\.py:[78]: no derivative where"):
        module.f_adjoint(0.5, 1.0)


def test_kinds_that_change_are_not_noted() -> None:
    def mixed() -> float:
        total = 0.0
        for v in TABLE["a"]:
            total += v
        for v in [1, 2.0]:
            total += v
        return total

    found = {place[0]: set[str]() for (_, place) in kinds(mixed)}
    for (_, place), kind in kinds(mixed).items():
        found[place[0]].add(kind)
    lines = sorted(found)
    assert found, "the function was probed"
    assert mixed() == 6.5
    assert len(lines) >= 2


def test_a_tangent_is_made_by_the_same_notes() -> None:
    assert tangent(bond)(0.7, 1.0)[1] == pytest.approx(slope(bond, 0.7), rel=1e-8)
