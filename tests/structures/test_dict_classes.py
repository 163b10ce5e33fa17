"""Classes below `dict`: what they hold, what they say of it themselves, which are left alone."""

import collections
from typing import Any

import pytest

from adjointgen import AdjointgenError, value_and_grad
from tests.structures.oracle import derivatives_agree


class Params(dict[str, Any]):
    def total(self) -> Any:
        return sum(self.values())

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error


class Scaled(dict[str, Any]):
    def __init__(self, *args: Any, **kwds: Any) -> None:
        super().__init__(*args, **kwds)
        self.count = len(self)

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value * 2.0)

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(key) + 1.0


class Made(dict[str, Any]):
    def __init__(self, x: Any) -> None:
        dict.__init__(self, a=x)
        dict.__setitem__(self, "b", x * x)
        self.update(c=3.0)


class Filling(dict[str, Any]):
    def __missing__(self, key: str) -> float:
        return 5.0


class Ordered(collections.OrderedDict[str, Any]):
    pass


class Counting(collections.defaultdict[str, Any]):
    pass


def read_and_written(x: Any) -> Any:
    params = Params(a=x)
    params["b"] = x * x
    return params.total() * params["a"] * params.b


def by_its_own_methods(x: Any) -> Any:
    scaled = Scaled({"u": x}, v=2.0)
    scaled["w"] = x
    return scaled["u"] * scaled["w"] + scaled.count * x + scaled.get("v") + sum(scaled.values())


def by_those_of_dict(x: Any) -> Any:
    made, total = Made(x), 0.0
    for key in made:
        total += made[key] * len(key)
    for _, value in made.items():
        total += value * value
    return total + len(made) + ("a" in made) * x + (x if "z" in made else 2.0 * x)


def copied(x: Any) -> Any:
    params = Params(a=x, b=2.0)
    other = dict(params)
    other["a"] = 7.0
    third = {**params, "c": x}

    def added(**kwds: Any) -> Any:
        return sum(kwds.values())

    return params["a"] * other["b"] + third["a"] * third["c"] + added(**params)


def aliased(x: Any) -> Any:
    params = Params(a=x)
    other = params
    other["a"] = x**3
    return params["a"] * params.pop("a") + len(params) + params.setdefault("n", x)


def on_paths(x: Any) -> Any:
    params = Params(a=x) if x > 0.1 else Params(a=2.0 * x)
    if x > 0.2:
        params["a"] = params["a"] * 3.0
    return params["a"] * x + (5.0 if params else 0.0) + isinstance(params, dict) * x


CASES = (read_and_written, by_its_own_methods, by_those_of_dict, copied, aliased, on_paths)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_an_instance_is_its_entries(f: Any) -> None:
    derivatives_agree(f, 0.4)


def filling(x: Any) -> Any:
    held = Filling(a=x)
    return held["a"] * held["b"]


def of_collections(x: Any) -> Any:
    ordered, counting = Ordered(a=x), Counting(float)
    counting["q"] += x
    return ordered["a"] * counting["q"] + counting["zz"]


def missing(x: Any) -> Any:
    params = Params(a=x)
    return x * x if "b" not in params and not hasattr(params, "b") else params.b


@pytest.mark.parametrize("f", [filling, of_collections, missing])
def test_entries_that_are_made_up_are_refused_or_right(f: Any) -> None:
    try:
        found = value_and_grad(f)(0.4)
    except AdjointgenError:
        return
    wanted = (f(0.4 + 1e-6) - f(0.4 - 1e-6)) / 2e-6
    assert found == pytest.approx((f(0.4), wanted), rel=1e-6)


def test_a_key_that_is_not_there_fails_or_is_refused() -> None:
    with pytest.raises((KeyError, AttributeError, AdjointgenError)):
        value_and_grad(lambda x: Params(a=x).c)(0.4)
