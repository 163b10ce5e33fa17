"""Compiled programs of structures: Python takes them apart, and what it calls is compiled."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjointgen import adjoint, generate, grad, hvp, tangent, value_and_grad
from adjointgen.errors import AdjointgenError, Unsupported

X = np.array([[0.3, -0.7], [1.1, 0.2], [0.0, 0.5]])
W = np.array([[0.4, -0.3], [0.9, 0.1]])


@dataclass
class Layer:
    w: np.ndarray
    b: float


class Pair(NamedTuple):
    first: np.ndarray
    second: float


class Model:
    def __init__(self, w: np.ndarray, rate: float) -> None:
        self.w, self.rate = w, rate

    def loss(self, x: np.ndarray) -> Any:
        return np.sum(np.tanh(x @ self.w) ** 2) * self.rate


def of_dict(p: Any, x: Any) -> Any:
    return np.sum(np.tanh(x @ p["w"] + p["b"]))


def of_nested(p: Any, x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += np.sin(x[i] @ p["layers"][0][0][0]) * p["layers"][1][1] + p["scale"] * x[i, 0]
    return total


def of_instance(layer: Layer, x: Any) -> Any:
    return np.sum(np.exp(x @ layer.w)) * layer.b


def of_named(p: Pair, x: Any) -> Any:
    return np.sum(x @ p.first) * p.second


def gives_dict(x: Any, k: float) -> Any:
    return {"square": np.sum(x * x) * k, "all": [x * k, x[0] + k]}


def writes(p: Any, x: Any) -> Any:
    for i in range(len(x)):
        p["w"][i % 2] = p["w"][i % 2] * x[i, 0] + p["b"]
    return np.sum(p["w"])


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "dict": (of_dict, ({"w": W, "b": np.array([0.5, -1.0])}, X)),
    "nested": (of_nested, ({"layers": [(W, 1.5), (W + 1.0, 0.5)], "scale": 2.0}, X)),
    "instance": (of_instance, (Layer(W, 0.7), X)),
    "named": (of_named, (Pair(W, 0.3), X)),
    "method": (Model.loss, (Model(W, 0.6), X)),
    "writes": (writes, ({"w": W, "b": 0.25}, X)),
}


def copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with arrays of their own."""
    import copy

    return copy.deepcopy(args)


def flat(value: Any) -> list[Any]:
    """The numbers and arrays of a structure, those of instances in the order of their names."""
    if hasattr(value, "__dict__"):
        value = dict(sorted(vars(value).items()))
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def same(found: Any, wanted: Any) -> None:
    for one, other in zip(flat(found), flat(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_first_order(name: str) -> None:
    f, args = CASES[name]
    mine, theirs = copied(args), copied(args)
    same(value_and_grad(f, compile="numba")(*mine), value_and_grad(f)(*theirs))
    same(mine, theirs)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["dict", "nested", "instance", "named"])
def test_second_order(name: str) -> None:
    f, args = CASES[name]
    found = tangent(grad(f), compile="numba")(*args, args[0])
    same(found, tangent(grad(f))(*args, args[0]))
    same(found[1], hvp(f, args, (args[0],)))


def test_results_that_are_structures() -> None:
    seeds = {"square": 0.5, "all": [np.ones_like(X), np.array([2.0, 1.0])]}
    found = adjoint(gives_dict, compile="numba")(X, 0.7, seeds)
    same(found, adjoint(gives_dict)(X, 0.7, seeds))
    assert list(found[0]) == ["square", "all"]


@pytest.mark.parametrize("name", ["dict", "instance", "nested"])
def test_modules(name: str, tmp_path: Path) -> None:
    f, args = CASES[name]
    text = generate(f, modes="tangent,adjoint", wrt=0, example=args, compile="numba").source
    module = loaded(text, tmp_path / f"{name}_ad.py")
    same(getattr(module, f"{f.__name__}_adjoint")(*args), adjoint(f, 0)(*args, 1.0))
    same(getattr(module, f"{f.__name__}_tangent")(*args, args[0]), tangent(f, 0)(*args, args[0]))
    checks = ", boundscheck=True" if name == "nested" else ""
    assert f'@njit(cache=True, error_model="numpy"{checks})\ndef _{f.__name__}_adjoint(' in text
    assert f"\n\n\ndef {f.__name__}_adjoint(" in text


def test_a_module_of_a_list_is_refused() -> None:
    def product(values: list[float]) -> float:
        return values[0] * values[1]

    with pytest.raises(Unsupported, match=r"AG140.*returns a list"):
        generate(product, example=([1.0, 2.0],), compile="numba", modes="adjoint")


def test_other_keys_are_an_error(tmp_path: Path) -> None:
    text = generate(of_dict, wrt=0, example=CASES["dict"][1], compile="numba").source
    module: Any = loaded(text, tmp_path / "keys_ad.py")
    more = {"w": W, "b": np.array([0.5, -1.0]), "c": 1.0}
    with pytest.raises(ValueError, match="another structure of p"):
        module.of_dict_adjoint(more, X)


def loaded(text: str, file: Path) -> ModuleType:
    file.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Counting:
    """An object that its method changes."""

    def __init__(self) -> None:
        self.calls = 0

    def square(self, x: float) -> float:
        """The square of `x`."""
        self.calls += 1
        return x * x


def test_a_method_that_changes_its_object_is_refused() -> None:
    counting = Counting()
    with pytest.raises(AdjointgenError, match="AG140"):
        grad(counting.square, compile="numba")(2.0)
    assert counting.calls == 0
