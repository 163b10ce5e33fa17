"""Arguments with a `__getattr__`: nothing but the function asks it for a name."""

from typing import Any

import pytest

from adjointgen import value_and_grad

ASKED: list[str] = []


class Made:
    """An object that notes what its class does not have."""

    def __init__(self) -> None:
        self.k = 2.0

    def __getattr__(self, name: str) -> float:
        ASKED.append(name)
        if name.startswith("__"):
            raise AttributeError(name)
        return 3.0


class Keys(dict[str, float]):
    def __getattr__(self, name: str) -> float:
        ASKED.append(name)
        return self[name]


def of_attribute(g: Any, x: float) -> float:
    return float(g.k) * x


def of_key(g: Any, x: float) -> float:
    return float(g["k"]) * x


@pytest.mark.parametrize("f", [of_attribute, of_key])
def test_arguments_are_not_asked(f: Any) -> None:
    given = Made() if f is of_attribute else Keys(k=2.0)
    ASKED.clear()
    call = value_and_grad(f, wrt="x")
    assert [call(given, x) for x in (1.3, 0.7)] == [(2.6, 2.0), (1.4, 2.0)]
    assert not ASKED
