"""Functions that a method defines, and an object or list keeps."""

from typing import Any

import pytest

from tests.structures.oracle import derivatives_agree


class Law:
    def __init__(self, x: Any, n: int) -> None:
        scale = x * n
        self.law = lambda t: t * scale
        if n > 2:
            scale = scale + 1.0

        def power(t: Any) -> Any:
            return t**n * x

        self.powers = [power, lambda t: power(t) * scale]
        self.table = {"twice": lambda t: 2.0 * t * x}

    def value(self, t: Any) -> Any:
        return self.law(t) + self.powers[1](t) * self.table["twice"](t)


def kept(x: Any) -> Any:
    return Law(x, 2).value(x) + Law(2.0 * x, 3).value(1.5)


def called_outside(x: Any) -> Any:
    one, other = Law(x, 2), Law(x * x, 1)
    return one.law(other.law(x)) + one.powers[0](2.0)


def register(handlers: Any, x: Any) -> None:
    handlers.append(lambda t: t * x)


def put_into_a_list(x: Any) -> Any:
    handlers: list[Any] = []
    register(handlers, x)
    register(handlers, x * x)
    return sum(handler(x) for handler in handlers) * handlers[0](2.0)


@pytest.mark.parametrize("f", [kept, called_outside, put_into_a_list], ids=lambda f: f.__name__)
def test_they_read_what_their_method_bound(f: Any) -> None:
    derivatives_agree(f, 0.7)
