"""The greater and the smaller of two numbers: 0.5 for each where they are equal."""

from __future__ import annotations

from collections.abc import Mapping
from operator import gt, lt
from typing import Any

import numpy as np

from adjointgen.rules.framework.batching import of_two
from adjointgen.rules.framework.declare import elementwise
from adjointgen.rules.framework.shape_helpers import in_dtype_of, is_given
from adjointgen.rules.framework.type_rules import Types, elementwise_type


def _share(y: Any, tie: Any, greater: Any) -> Any:
    """0.5 where two operands are equal, else whether this one decides."""
    return in_dtype_of(y, np.where(tie, 0.5, greater))


_GREATER, _LESSER = ("maximum", "max"), ("minimum", "min")
_TIES = "0.5 for each where they are equal"
elementwise(
    "maximum",
    "a, b",
    ["numpy.maximum"],
    lambda y, a, b: _share(y, a == b, a > b),
    lambda y, a, b: _share(y, a == b, b > a),
    opposites=_LESSER,
    on=(-3, 3),
    edge=_TIES,
    loop="entries",
    entries="chosen",
)
elementwise(
    "minimum",
    "a, b",
    ["numpy.minimum"],
    lambda y, a, b: _share(y, a == b, a < b),
    lambda y, a, b: _share(y, a == b, b < a),
    opposites=_GREATER,
    on=(-3, 3),
    edge=_TIES,
    loop="entries",
    entries="chosen",
)
elementwise(
    "fmax",
    "a, b",
    ["numpy.fmax"],
    lambda y, a, b: _share(y, a == b, (a > b) | np.isnan(b)),
    lambda y, a, b: _share(y, a == b, (b > a) | np.isnan(a)),
    on=(-3, 3),
    edge=f"{_TIES}; 1 for the other of a NaN",
    loop="entries",
    entries="chosen",
)
elementwise(
    "fmin",
    "a, b",
    ["numpy.fmin"],
    lambda y, a, b: _share(y, a == b, (a < b) | np.isnan(b)),
    lambda y, a, b: _share(y, a == b, (b < a) | np.isnan(a)),
    on=(-3, 3),
    edge=f"{_TIES}; 1 for the other of a NaN",
    loop="entries",
    entries="chosen",
)


def _shares(decides: Any) -> tuple[Any, Any]:
    """0.5 where two numbers are equal, else by which one decides: without NumPy's calls."""

    def share(a: Any, b: Any, then: float) -> Any:
        other = a.apply("select", decides(b, a), then, 1.0 - then)
        return a.apply("select", a == b, 0.5, other)

    return lambda y, a, b: share(a, b, 0.0), lambda y, a, b: share(a, b, 1.0)


_CHOSEN: Any = {"on": (-3, 3), "edge": _TIES, "entries": "chosen"}
_MAX: Any = {"noun": "larger", "opposites": _LESSER} | _CHOSEN
_MIN: Any = {"noun": "smaller", "opposites": _GREATER} | _CHOSEN
elementwise("max", "a, b", ["builtins.max"], *_shares(gt), **_MAX, batch=of_two("gt"))
elementwise("min", "a, b", ["builtins.min"], *_shares(lt), **_MIN, batch=of_two("lt"))


def _clip_inside(y: Any, a: Any, low: Any = None, high: Any = None) -> Any:
    """1 in the closed interval."""
    tests = [low <= a] if is_given(low) else []
    tests += [a <= high] if is_given(high) else []
    return tests[0] & tests[1] if len(tests) == 2 else tests[0]


def _clip_low(y: Any, a: Any, low: Any, high: Any = None) -> Any:
    """NumPy applies the upper bound last, so it wins where the bounds are crossed."""
    return (a < low) & (low <= high) if is_given(high) else a < low


def _clip_high(y: Any, a: Any, low: Any, high: Any) -> Any:
    return (a > high) | (low > high) if is_given(low) else a > high


def _clip_type(types: Types, options: Mapping[str, Any]) -> Types:
    """That of the bounds which are given, too."""
    return elementwise_type(tuple(t for t in types if t.kind != "object"), options)


elementwise(
    "clip",
    "a, a_min=, a_max=",
    ["numpy.clip", ".clip"],
    _clip_inside,
    _clip_low,
    _clip_high,
    on=((-3, 3), (-1.5, -0.5), (0.5, 1.5)),
    infer=_clip_type,
    edge="1 by the argument at the bounds themselves",
    entries="chosen",
)
