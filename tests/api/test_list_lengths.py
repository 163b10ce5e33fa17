"""A written module that is made for a list of one entry takes no other list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from adjointgen import generate


@dataclass
class Holder:
    a: float
    factors: list[float]


def of_list(factors: Any) -> Any:
    s = 1.0
    for v in factors:
        s = s * v
    return s


def of_object(held: Any) -> Any:
    s = held.a
    for v in held.factors:
        s = s * v
    return s


def of_dict(held: Any) -> Any:
    return of_list(held["factors"]) * held["a"]


def of_tuple(held: Any) -> Any:
    return of_list(held[1]) * held[0]


@pytest.mark.parametrize(
    ("f", "made_of"),
    [
        (of_list, lambda factors: factors),
        (of_object, lambda factors: Holder(1.5, factors)),
        (of_dict, lambda factors: {"a": 1.5, "factors": factors}),
        (of_tuple, lambda factors: (1.5, factors)),
    ],
)
def test_other_lengths_raise(f: Callable[..., Any], made_of: Any) -> None:
    example = made_of([2.0])
    text = generate(f, 0, "primal,tangent,adjoint", example=(example,)).source
    made: dict[str, Any] = {}
    exec(text, made)
    name = f.__name__
    assert made[f"{name}_primal"](example) == made[f"{name}_adjoint"](example)[0] == f(example)
    other = made_of([2.0, 3.0])
    for program in ("primal", "adjoint"):
        with pytest.raises(ValueError, match="differentiated for"):
            made[f"{name}_{program}"](other)
    with pytest.raises(ValueError, match="differentiated for"):
        made[f"{name}_tangent"](other, other)


def in_order(held: Any) -> Any:
    s = 0.0
    for value in held.values():
        s = s * value + value
    return s


def by_name(held: Any) -> Any:
    return held["a"] * held["b"]


def test_the_order_of_keys_is_tested_where_it_matters() -> None:
    example, other = {"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}
    made: dict[str, Any] = {}
    for f in (in_order, by_name):
        exec(generate(f, 0, "primal,adjoint", example=(example,)).source, made)
    for program in ("primal", "adjoint"):
        made[f"in_order_{program}"](example)
        with pytest.raises(ValueError, match="structure of held"):
            made[f"in_order_{program}"](other)
    assert made["by_name_primal"](other) == made["by_name_adjoint"](other)[0] == 2.0
