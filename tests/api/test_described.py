"""Descriptions: what differs for a generated program differs in words."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pytest

from adjointgen.api.cache.stable_description import described
from adjointgen.watch import MISSING


class Plain:
    """A class of nothing."""


def one(x: float) -> float:
    return x


def other(x: float) -> float:
    return x


TOLD_APART: Final[list[Any]] = [
    MISSING,
    None,
    True,
    1,
    1.0,
    -0.0,
    0.0,
    math.nan,
    1j,
    "1",
    "None",
    (),
    (1,),
    (1.0,),
    ((1,),),
    ("1",),
    math,
    np,
    math.sin,
    np.sin,
    np.sum,
    abs,
    one,
    other,
    lambda x: x,
    lambda x: 2 * x,
    Plain,
    Plain(),
    {},
    [],
    np.zeros(1),
    np.zeros(1, "f4"),
    np.zeros((1, 1)),
    np.float64(1.0),
    np.float32(1.0),
]


def test_descriptions_tell_apart_what_is_not_the_same() -> None:
    words = [described(value) for value in TOLD_APART]
    assert None not in words
    assert len(set(words)) == len(words)
    assert [described(value) for value in TOLD_APART] == words


@pytest.mark.parametrize(
    ("a", "b"),
    [(np.zeros(3), np.ones(4)), ({"a": 2.0}, {"a": 1.0}), ([1.0], [2.0]), (Plain(), Plain())],
)
def test_what_is_read_at_run_time_is_told_by_its_class(a: object, b: object) -> None:
    assert described(a) == described(b)


@pytest.mark.parametrize(
    "value", [np.frompyfunc(abs, 1, 1), np.random.RandomState(1).uniform, [].append]
)
def test_what_has_no_description(value: object) -> None:
    assert described(value) is None
