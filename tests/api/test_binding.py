"""Guards: two arguments have one program only if the frontend makes the same of both."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from adjointgen import grad
from adjointgen.api.arguments.argument_binding import guard, spelled
from adjointgen.frontend.domain.abstract_values import Fixed
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.type_inference import type_of

SAMPLES: Final[list[Any]] = [
    1.0,
    2.0,
    1,
    True,
    False,
    None,
    1j,
    "a",
    "b",
    (1.0,),
    (2.0,),
    (1,),
    (True,),
    ((1.0,), 2.0),
    ("1.0",),
    (0.0,),
    (-0.0,),
    (np.ones(2),),
    [1.0],
    [1.0, 2.0],
    [1, 2],
    [np.ones(2), np.ones(2)],
    [],
    ["a"],
    {},
    np.ones(()),
    np.ones(1),
    np.ones(2),
    np.ones((2, 1)),
    np.ones(2, "f4"),
    np.ones(2, "i8"),
    np.float64(1.0),
    np.float32(1.0),
    np.bool_(True),
    np.bool_(False),
    np.int64(1),
    np.ma.ones(2),
    np.ma.ones((2, 1)),
    math.sin,
]


def folded(value: Any) -> Any:
    """What the frontend makes of an argument: its type, or the constant that it is."""
    found = type_of("x", value)
    return repr(constant(found.value)) if isinstance(found, Fixed) else found


def test_guards_tell_apart_what_the_frontend_does() -> None:
    for a in SAMPLES:
        for b in SAMPLES:
            same_guard, same_words = guard(a) in {guard(b)}, spelled(guard(a)) == spelled(guard(b))
            assert same_words or not same_guard, (a, b)
            assert folded(a) == folded(b) or not same_words, (a, b)


def test_folded_arguments_are_not_taken_for_each_other() -> None:
    def choose(x: float, p: Any) -> float:
        return x * p[0] if p[1] else x * 3.0

    made = grad(choose)
    assert [made(1.0, (2.0, True)), made(1.0, (4.0, True)), made(1.0, (4.0, False))] == [2, 4, 3]

    def branch(x: float, p: Any) -> float:
        return x * 2.0 if p else x * 3.0

    made = grad(branch)
    assert [made(1.0, np.bool_(True)), made(1.0, np.bool_(False))] == [2.0, 3.0]
