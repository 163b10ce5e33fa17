"""Instances in text that is copied: what is asked of them is lowered, the rest stays."""

from typing import Any

import pytest

from adjointgen import grad


class Disc:
    """An object that is made inside of a function."""

    def __init__(self, radius: Any) -> None:
        self.radius = radius
        assert self.radius > 0.0, f"a radius of {self.radius}"
        assert self.area() > 0.0, "no area"

    def area(self) -> Any:
        return 3.0 * self.radius**2


def area(x: Any) -> Any:
    disc = Disc(x)
    if disc.area() > 100.0:
        raise ValueError(f"too large: {disc.radius} has {disc.area()}")
    return disc.area() * disc.radius


def test_assertions_and_messages_about_an_instance() -> None:
    assert grad(area)(2.0) == 36.0
    with pytest.raises(AssertionError, match=r"a radius of -1\.0"):
        grad(area)(-1.0)
    with pytest.raises(ValueError, match=r"too large: 10\.0 has 300\.0"):
        grad(area)(10.0)
