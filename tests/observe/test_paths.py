"""Programs that are made without the paths that a call does not take."""

import contextlib
import json
import math
import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, hvp, jvp, tangent, value_and_grad
from adjointgen.errors import AdjointgenError, Span, Unsupported
from adjointgen.observe.isolated import observed
from adjointgen.observe.tracing import traced
from adjointgen.observe.unreached import grounds, paths_not_taken


def test_this_process_can_observe() -> None:
    """A library that a test started may have taken that away, from all tests after it."""
    assert observed(lambda: None) is not None


def slope(f: Callable[..., Any], *args: Any, h: float = 1e-5) -> Any:
    """Differences of fourth order by the first argument."""
    x, rest = args[0], args[1:]
    near, far = (float(f(x + k * h, *rest)) - float(f(x - k * h, *rest)) for k in (1, 2))
    return (8 * near - far) / (12 * h)


def falls_through(x: Any) -> Any:
    if x == 0.0:
        return 1.0, 2.0
    elif x > 0.0:
        return x, x * x


def pair(x: Any) -> Any:
    a, b = falls_through(x)
    return a * b


def other_kind(x: Any) -> Any:
    scale = 2.0 * x if x > 0 else "unknown"
    return scale * x


def either(x: Any, n: Any) -> Any:
    """Two paths that have derivatives, and cannot meet."""
    y = {"value": x * x} if n > 3 else [x, 2.0 * x]
    total = 0.0
    for key in y:
        total = total + (y[key] if n > 3 else key)
    return total


def parsed(x: Any, n: Any) -> Any:
    factor = json.loads(f"[{x}]")[0] * x if n > 3 else x
    return factor * x


def after_return(x: Any, n: Any) -> Any:
    if n <= 3:
        return x * x
    text = f"{x:.3f}"
    return float(text) * x


def short_circuit(x: Any, n: Any) -> Any:
    return (x * x) or json.loads(f"{x}") * n


def in_a_loop(x: Any, n: Any) -> Any:
    total = 0.0
    for k in range(n):
        if k == 1000:
            total = json.loads(f"{x}")
        total += x**k
    return total


def handled(x: Any, n: Any) -> Any:
    try:
        y = x / n
    except ZeroDivisionError:
        y = json.loads(f"{x}")
    return y * y


def looked_up(x: Any, n: Any) -> Any:
    for _ in range(n - 3):
        x = json.loads(f"{x}")
    return x * x


ONE_PATH = (pair, other_kind)
TWO_PATHS = (parsed, after_return, short_circuit, in_a_loop, handled, looked_up)


@pytest.mark.parametrize("f", ONE_PATH)
def test_the_path_of_the_call_is_differentiated(f: Callable[..., Any]) -> None:
    assert grad(f)(1.5) == pytest.approx(slope(f, 1.5))
    y, y_dot = jvp(f, (1.5,), (1.0,))
    assert (y, y_dot) == pytest.approx((f(1.5), slope(f, 1.5)))
    assert hvp(f, (1.5,), (1.0,)) == pytest.approx(slope(grad(f), 1.5), rel=1e-6)


@pytest.mark.parametrize("f", TWO_PATHS)
def test_a_path_that_cannot_be_differentiated_stays_refused(f: Callable[..., Any]) -> None:
    g = grad(f)
    assert g(1.5, 3) == pytest.approx(slope(f, 1.5, 3))
    beyond = {in_a_loop: 1001, handled: 0, short_circuit: 3}.get(f, 4)
    with pytest.raises((AdjointgenError, ZeroDivisionError)):
        g(0.0 if f is short_circuit else 1.0, beyond)
    assert g(2.5, 3) == pytest.approx(slope(f, 2.5, 3))


def test_the_program_says_which_paths_it_is_made_for() -> None:
    g = grad(parsed)
    g(1.5, 2)
    assert "raise NotImplementedError(\n" in g.source
    assert "no derivative of the path to" in (g.source)


def test_each_path_gets_a_program() -> None:
    g = grad(either)
    for _ in range(2):
        assert g(1.5, 5) == pytest.approx(3.0)
        assert g(1.5, 2) == pytest.approx(3.0)
        assert value_and_grad(either)(1.5, 5) == pytest.approx((2.25, 3.0))


def noted_first(x: Any, limit: float) -> Any:
    print(limit)
    return json.loads(f"[{x}]")[0] * x * x if limit > 3.0 else x * x


def test_nothing_is_done_twice(capsys: pytest.CaptureFixture[str]) -> None:
    g = grad(noted_first)
    assert g(1.5, 2.0) == 3.0
    assert capsys.readouterr().out == "2.0\n"
    with pytest.raises(Unsupported) as caught:
        g(1.5, 5.0)
    assert caught.value.code == "AG132"
    assert capsys.readouterr().out == "5.0\n"


def written_first(x: Any, limit: float) -> Any:
    x[0] = 2.0 * x[1]
    return (json.loads(f"[{x[0]}]")[0] if limit > 3.0 else x[0]) * x[0] * x[1]


def test_an_argument_is_not_written_twice() -> None:
    x = np.array([1.0, 2.0])
    g = grad(written_first)
    assert g(x, 2.0) == pytest.approx([0.0, 12.0 * 2.0**2])
    y = np.array([1.0, 2.0])
    with pytest.raises(AdjointgenError):
        g(y, 5.0)
    assert y == pytest.approx([1.0, 2.0])


def written_either(x: Any, n: int) -> Any:
    x[0] = 2.0 * x[1]
    return either(x[0] * x[1], n)


def test_another_program_starts_after_a_write_to_a_copy() -> None:
    g = grad(written_either)
    for n in (5, 2, 5):
        x = np.array([1.0, 3.0])
        expected = [0.0, 16.0 * 27.0] if n == 5 else [0.0, 36.0]
        assert g(x, n) == pytest.approx(expected)
        assert x == pytest.approx([1.0, 3.0])


def test_each_path_takes_seeds() -> None:
    pull, push = adjoint(either), tangent(either)
    for n, slope_ in ((5, 3.0), (2, 3.0), (5, 3.0)):
        assert pull(1.5, n, 2.0)[1] == pytest.approx(2.0 * slope_)
        assert push(1.5, n, x_dot=2.0)[1] == pytest.approx(2.0 * slope_)


def test_the_paths_around_a_place_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        "def f(x):\n    é = 'é'; y = g(x) if x > 9 else x\n"
        "    if x > 9:\n        y = x\n    return y\n"
    )
    Path("model.py").write_text(text, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(text, str(tmp_path / "model.py"), "exec"), names)
    notes = observed(lambda: names["f"](1.0))
    assert notes is not None
    paths = paths_not_taken(notes)
    assert len(paths) == 2
    column = text.splitlines()[1].index("g(x)")
    first = next(grounds(paths, Span("model.py", 2, column, 2, column + 4)))
    assert [path.key[0] for path in first] == [2]
    assert next(grounds(paths, Span("model.py", 4, 12, 4, 13)))[0].key[0] == 4


def swallowed(x: Any, n: Any) -> Any:
    try:
        y = parsed(x, n)
    except Exception:
        y = 0.0
    return y


def silenced(x: Any, n: Any) -> Any:
    y = x
    with contextlib.suppress(NotImplementedError):
        y = parsed(x, n)
    return y


@pytest.mark.parametrize("f", [swallowed, silenced])
def test_no_handler_of_the_users_catches_the_exit(f: Callable[..., Any]) -> None:
    try:
        found = grad(f)(1.5, 2)
    except AdjointgenError:
        return
    assert found == pytest.approx(slope(f, 1.5, 2))
    with pytest.raises(AdjointgenError):
        grad(f)(1.5, 5)


CACHE: dict[str, Any] = {}


def lazily(x: Any) -> Any:
    if "k" not in CACHE:
        CACHE["k"] = json.loads("2.0")
    return CACHE["k"] * x * x if isinstance(x, float) else json.loads(x)


def test_what_the_observed_run_does_is_not_kept() -> None:
    CACHE.clear()
    state = random.getstate()
    assert observed(lambda: (CACHE.update(a=1), random.random(), np.random.random())) is not None
    assert not CACHE and random.getstate() == state


def test_a_run_that_would_be_seen_is_none(tmp_path: Path) -> None:
    file = tmp_path / "seen.txt"
    assert observed(lambda: file.write_text("seen")) is None
    assert observed(lambda: os.mkdir(tmp_path / "folder")) is None
    assert not any(tmp_path.iterdir())
    opened = tmp_path / "open.txt"
    with open(opened, "w") as stream:
        assert observed(lambda: (stream.write("x" * 100_000), stream.flush())) is not None
    assert opened.read_text() == ""


def test_a_run_that_raises_tells_nothing() -> None:
    assert observed(lambda: 1 / 0) is None


def test_a_long_run_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjointgen.observe.isolated.LONGEST", 0.2)
    assert observed(lambda: time.sleep(30.0)) is None


def test_another_thread_goes_on() -> None:
    stop, counts = threading.Event(), [0]

    def count() -> None:
        while not stop.is_set():
            counts[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        assert grad(parsed)(1.5, 2) == 3.0
    finally:
        stop.set()
        thread.join()


def test_observation_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJOINTGEN_OBSERVE", "off")
    with pytest.raises(AdjointgenError):
        grad(parsed)(1.5, 2)


def recursive(x: Any, n: int) -> Any:
    if n == 0:
        return x
    if n > 100:
        return json.loads(f"{x}")
    return x * recursive(math.sin(x), n - 1)


def test_recursion() -> None:
    assert grad(recursive)(1.5, 3) == pytest.approx(slope(recursive, 1.5, 3))


def integer_on_one_path(x: float, n: int) -> float:
    v = 1 if n > 2 else 2.5
    if isinstance(v, int | float):
        x = x * v
    return x * x if isinstance(v, int) else x * x * x


def test_the_class_of_a_number_is_that_on_the_path() -> None:
    g = value_and_grad(integer_on_one_path)
    assert g(0.7, 3) == pytest.approx((0.49, 1.4))
    assert g(0.7, 1) == pytest.approx((1.75**3, 3 * 1.75**2 * 2.5))


class Option:
    """Some attributes are set on one path alone, and there is no `else`."""

    def __init__(self, spot: Any, rate: Any = None) -> None:
        for name in ("price", "delta"):
            self.__dict__[name] = None
        self.spot = spot
        if rate:
            self.rate = rate / 2.0
            self.price = self.spot * self.rate
        if spot > 1.0:
            self.delta = self.spot**2


def priced(x: Any) -> Any:
    option = Option(x, rate=x + 1.0)
    return option.price * x + option.__dict__["delta"]


def half_priced(x: Any) -> Any:
    option = Option(x, rate=x - 2.0)
    return x if option.price is None else option.price


@pytest.mark.parametrize("f", [priced, half_priced])
def test_attributes_of_one_path(f: Callable[..., Any]) -> None:
    assert grad(f)(2.5) == pytest.approx(slope(f, 2.5), rel=1e-8)


def test_a_test_without_else_that_fails_is_the_path_of_the_call() -> None:
    assert grad(half_priced)(2.0) == 1.0
    assert grad(half_priced)(3.0) == pytest.approx(slope(half_priced, 3.0), rel=1e-8)


def last_of_all(x: Any, kept: list[Any]) -> None:
    if x > 2:
        kept.append(x)


def named(x: Any, kept: list[Any]) -> None:
    if x:
        kept.append(x)


def in_order(x: Any, kept: list[Any]) -> bool:
    for p in (x, *kept):
        if p is None:
            continue
        if not 0.0 <= p <= 1.0:
            return False
    return True


def counted_down(x: Any, kept: list[Any]) -> None:
    while x:
        x -= 1
        if x > 5:
            x = 0


def joined(x: Any, kept: list[Any]) -> None:
    if x and kept:
        kept.append(x)
    if not x:
        kept.append(1)


@pytest.mark.parametrize(
    ("f", "x", "fails"),
    [
        (last_of_all, 3, {"x > 2"}),
        (last_of_all, 1, set()),
        (named, 1, {"x"}),
        (named, 0, set()),
        (in_order, 0.5, set()),
        (in_order, 1.5, {"not 0.0 <= p <= 1.0"}),
        (in_order, None, {"p is None"}),
        (counted_down, 3, set()),
        (counted_down, 9, {"x > 5"}),
        (joined, 1, set()),
        (joined, 0, {"not x"}),
    ],
)
def test_tests_that_did_not_fail(f: Callable[..., Any], x: Any, fails: set[str]) -> None:
    """Where nothing follows in the text, and where a loop goes on, a failed test is passed by."""
    paths = [p for p in paths_not_taken(traced(lambda: f(x, []))) if p.begins == "else"]
    first = f.__code__.co_firstlineno
    own = [p.said for p in paths if first <= p.key[0] < first + 7]
    assert {said.partition("`")[2].partition("`")[0] for said in own} == fails
