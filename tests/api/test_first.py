"""`ADJOINTGEN_CHECK=first`: every first call of a program is held against the function.

Programs are made wrong on their way into memory, and each fault has to be found; programs as they
are agree.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import adjointgen as ag
from adjointgen.api.calls import generated
from adjointgen.errors import CheckFailed


@pytest.fixture(autouse=True)
def _on() -> Any:
    with patch.dict(os.environ, ADJOINTGEN_CHECK="first"):
        yield


def changed(monkeypatch: pytest.MonkeyPatch, *edits: tuple[str, str]) -> None:
    """Let every program be loaded with other text; where that stands."""
    load = generated.load

    def wrong(made: Any, *given: Any) -> Any:
        text = made.text
        for old, new in edits:
            text = text.replace(old, new)
        return load(made.__class__(text, *(getattr(made, n) for n in made.__slots__[1:])), *given)

    monkeypatch.setattr(generated, "load", wrong)


X = np.array([0.7, -1.2, 2.0])


def cubes(x: Any) -> Any:
    return np.sum(x**3)


def root(x: float) -> float:
    if x < 0.0:
        raise KeyError("negative")
    return x * x


def fill(x: Any, out: Any) -> None:
    out[1:] = x[1:] * x[0]


def several(x: Any) -> Any:
    return {"sum": np.sum(x), "all": [x * x, 3]}


@dataclass
class Spring:
    stiffness: float

    def energy(self, x: Any, *rest: float, shift: float = 0.0, **more: float) -> Any:
        return self.stiffness * np.sum((x - shift) ** 2) + sum(rest) + sum(more.values())


CALLS: dict[str, Callable[[], Any]] = {
    "grad": lambda: ag.grad(cubes)(X),
    "value_and_grad": lambda: ag.value_and_grad(cubes)(X),
    "jvp": lambda: ag.jvp(cubes, (X,), (X,)),
    "vjp": lambda: ag.vjp(cubes, X)[1](1.0),
    "tangent": lambda: ag.tangent(cubes)(X, X),
    "adjoint": lambda: ag.adjoint(cubes)(X),
    "jacobian": lambda: ag.jacobian(cubes)(X),
    "hessian": lambda: ag.hessian(cubes)(X),
    "hvp": lambda: ag.hvp(cubes, (X,), (X,)),
    "third": lambda: ag.grad(ag.grad(ag.grad(lambda x: x**4)))(1.5),
    "compiled": lambda: ag.grad(cubes, compile="numba")(X),
}


@pytest.mark.parametrize("name", CALLS)
def test_right_programs_agree(name: str) -> None:
    with patch.dict(os.environ, ADJOINTGEN_CHECK=""):
        wanted = CALLS[name]()
    assert all(
        np.array_equal(a, b) for a, b in zip(_leaves(CALLS[name]()), _leaves(wanted), strict=True)
    )


def _leaves(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("name", [n for n in CALLS if n != "third"])
def test_a_wrong_value_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, ("x**3", "(x**3 + 1e-9)"), ("x[i] ** 3", "(x[i] ** 3 + 1e-9)"))
    with pytest.raises(CheckFailed, match="value, generated") as caught:
        CALLS[name]()
    assert caught.value.code == "AG502"


def test_structures_methods_and_procedures_agree() -> None:
    ag.tangent(several)(X, X)
    ag.adjoint(several)(X, {"sum": 1.0, "all": [X, 0]})
    ag.tangent(fill)(X, np.zeros(3), X, np.zeros(3))
    assert np.array_equal(ag.grad(Spring(2.0).energy)(X, 1.0, shift=0.5, more=2.0), 4 * (X - 0.5))


FAULTS: dict[str, tuple[Callable[[], Any], tuple[str, str], str]] = {
    "another exception": (
        lambda: ag.grad(root)(-1.0),
        ('KeyError("negative")', "IndexError()"),
        "exception: the function gives KeyError",
    ),
    "no exception": (
        lambda: ag.grad(root)(-1.0),
        ('raise KeyError("negative")', "pass"),
        "the generated program a result",
    ),
    "an exception": (
        lambda: ag.grad(root)(1.0),
        ("x < 0.0", "x < 2.0"),
        "the function gives a result, the generated program KeyError",
    ),
    "an argument is written": (
        lambda: ag.tangent(fill)(X.copy(), np.zeros(3), X, np.zeros(3)),
        ("    out = out.copy()\n", "    x[0] = 1.0\n"),
        "arguments: the function gives unchanged",
    ),
    "an integer is another": (
        lambda: ag.tangent(several)(X, X),
        ("3]", "4]"),
        "value, generated",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call, edit, message = FAULTS[name]
    changed(monkeypatch, edit)
    with pytest.raises(CheckFailed, match=message):
        call()


def test_aliases_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(x: Any) -> Any:
        return 2.0 * x

    changed(monkeypatch, ("2.0 * x_dot", "x_dot"))
    with pytest.raises(CheckFailed, match="aliases") as caught:
        ag.tangent(twice)(X, X)
    assert "x_dot" in caught.value.help


def test_what_is_raised_is_raised() -> None:
    with pytest.raises(KeyError, match="negative"):
        ag.grad(root)(-1.0)


def test_a_program_is_compared_until_it_has_agreed(monkeypatch: pytest.MonkeyPatch) -> None:
    count = [0]

    def counted(x: float) -> float:
        count[0] += 1
        return x * x

    program = ag.value_and_grad(counted)
    for _ in range(3):
        program(3.0)
    # Once by the function itself, and once by each call where the program calls for the count.
    with patch.dict(os.environ, ADJOINTGEN_CHECK=""):
        before, plain = count[0], ag.value_and_grad(counted)
        count[0] = 0
        for _ in range(3):
            plain(3.0)
    assert before == count[0] + 1
    changed(monkeypatch, ("result = ", "result = 1.0 + "), ("x * x", "x * x + 1.0"))
    wrong = ag.value_and_grad(root)
    for _ in range(2):
        with pytest.raises(CheckFailed):
            wrong(3.0)


def test_arguments_that_cannot_be_copied_are_left_alone() -> None:
    def first(x: float, stream: Any) -> float:
        print(next(stream))
        return x * x

    stream = iter([2.0, 5.0])
    lock = threading.Lock()

    def locked(x: float, lock: Any) -> float:
        return x * x

    with pytest.warns(UserWarning, match=r"locked is not checked: \[0\]\[1\] cannot be copied"):
        assert ag.grad(locked)(1.0, lock) == 2.0
    generator = (v for v in [2.0, 5.0])
    with pytest.warns(UserWarning, match="cannot be copied"):
        ag.tangent(first, "x")(1.0, generator, 1.0)
    assert next(generator) == 5.0
    ag.tangent(first, "x")(1.0, stream, 1.0)
    assert next(stream) == 5.0


def test_noise_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum in another order differs by its rounding."""

    def cancelling(x: Any) -> Any:
        return np.sum(x + 1e9) - 3e9

    changed(monkeypatch, ("np.sum(x + 1000000000.0)", "np.sum((x + 1e9)[::-1] * 1.0)"))
    ag.value_and_grad(cancelling)(X / 3.0)


def test_nothing_is_imported_where_it_is_off() -> None:
    with patch.dict(os.environ, ADJOINTGEN_CHECK="off"):
        program = ag.grad(lambda x: x * x)
        program(1.0)
        (made,) = next(iter(program.generated.kept.known.values()))
        assert made.run.__module__ != "adjointgen.api.calls.first_call_check"
