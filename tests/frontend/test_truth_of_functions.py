"""Classes and functions on the right of `and` and `or` in a test: what counts is their truth.

Packages ask so whether an optional part was imported.
"""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from adjointgen import grad


class Doubled:
    def __init__(self, x: float) -> None:
        self.x = 2.0 * x


CONFIG = SimpleNamespace(name="Fast")
MISSING = None


def a_class(x: float) -> float:
    name = CONFIG.name.lower()
    if name == "fast" and Doubled:
        return Doubled(x).x * x
    if name == "slow" or Doubled:
        return x
    return 0.0 * x


def a_function(x: float) -> float:
    name = CONFIG.name.lower()
    return x * x if (name == "slow" and a_class) or name == "fast" else 3.0 * x


def what_is_missing(x: float) -> float:
    name = CONFIG.name.lower()
    if name == "fast" and MISSING:
        return x**3
    return 5.0 * x


@pytest.mark.parametrize("name", ["Fast", "SLOW", "other"])
@pytest.mark.parametrize("f", [a_class, a_function, what_is_missing])
def test_the_path_is_that_of_python(
    f: Callable[[float], float], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CONFIG, "name", name)
    monkeypatch.setenv("ADJOINTGEN_OBSERVE", "off")
    slope = (f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6
    assert grad(f)(1.5) == pytest.approx(slope, rel=1e-8)
