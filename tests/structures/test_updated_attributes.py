"""`self.__dict__.update(...)` and `vars(self).update(...)` of objects that a function makes."""

from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, value_and_grad
from tests.structures.oracle import derivatives_agree


class Config:
    shift = 1.0

    def __init__(self, **kwds: Any) -> None:
        self.__dict__.update(kwds)

    @property
    def fixed(self) -> float:
        return 3.0


class Merged:
    def __init__(self, base: Any, **kwds: Any) -> None:
        defaults = {"a": 1.0, "b": 2.0}
        self.a = base
        vars(self).update(defaults)
        self.__dict__.update(kwds, c=base * 2.0)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value * 10.0)


def kept(x: Any) -> Any:
    config = Config(a=x, b=x * x, shift=x)
    return config.a * config.b + config.shift


def past_its_own_setter(x: Any) -> Any:
    merged = Merged(x, b=x * x)
    return merged.a * merged.b + merged.c


def under_a_property(x: Any) -> Any:
    config = Config(fixed=x, other=x)
    return config.fixed * config.other


def one_storage(x: Any) -> Any:
    values = np.array([x, 1.0])
    config = Config(values=values)
    values[0] = x * x
    return np.sum(config.values)


@pytest.mark.parametrize(
    "f", [kept, past_its_own_setter, under_a_property, one_storage], ids=lambda f: f.__name__
)
def test_the_entries_are_attributes(f: Any) -> None:
    derivatives_agree(f, 0.4)


def other_keys(x: Any) -> Any:
    config = Config()
    config.__dict__.update({"not a name": x, "a": x})
    return config.a * config.__dict__["not a name"]


def test_keys_that_are_no_names_are_refused_or_right() -> None:
    try:
        found = value_and_grad(other_keys)(0.4)
    except AdjointgenError:
        return
    assert found == pytest.approx((0.16, 0.8))
