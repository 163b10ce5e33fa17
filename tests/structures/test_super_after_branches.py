"""`super()` where the first parameter is read by nothing else that follows."""

from typing import Any

import pytest

from tests.structures.oracle import derivatives_agree


class Base:
    def __init__(self, a: Any) -> None:
        self.a = a

    def value(self) -> Any:
        return self.a

    @classmethod
    def made(cls, a: Any) -> Any:
        return cls(a, 0.1)  # type: ignore[call-arg]


class Derived(Base):
    def __init__(self, x: Any, limit: Any) -> None:
        y = x * 2.0 if x > limit else x
        if y > 3.0 * limit:
            y = y * x
        super().__init__(y)

    def value(self) -> Any:
        factor = 1.0
        if self.a > 0.0:
            factor = 2.0
        return super().value() * factor

    @classmethod
    def made(cls, a: Any) -> Any:
        if a > 0.3:
            a = a * a
        return super().made(a)

    def looped(self, n: int) -> Any:
        total = 0.0
        for k in range(n):
            if total > 1.0:
                total = total * 0.5
            total = total + k * super().value()
        return total


def after_a_branch(x: Any) -> Any:
    return Derived(x, 0.1).value()


def of_a_class(x: Any) -> Any:
    return Derived.made(x).value()


def in_a_loop(x: Any) -> Any:
    return Derived(x, 0.1).looped(5)


@pytest.mark.parametrize("f", [after_a_branch, of_a_class, in_a_loop], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.05, 0.4])
def test_the_object_is_there(f: Any, x: float) -> None:
    derivatives_agree(f, x)
