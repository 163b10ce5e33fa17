"""One axis rolled before another: `np.rollaxis`, in terms of `np.moveaxis`."""

from __future__ import annotations

from typing import Any

from adjointgen.rules.arrays.reshaping import moved_type
from adjointgen.rules.framework.declare import linear
from adjointgen.rules.framework.shape_helpers import rank_of
from adjointgen.rules.framework.type_rules import Options, Types, fresh


def _rolled_type(types: Types, options: Options) -> Types:
    (a,) = types
    if a.shape is None:
        return (fresh(a.dtype, None),)
    rank = len(a.shape)
    axis, start = options["axis"] % rank, options.get("start", 0) % (rank + 1)
    return moved_type(types, {"source": axis, "destination": start - (start > axis)})


def _rolled_back(y_bar: Any, a: Any, axis: int, start: int) -> Any:
    rank = rank_of(a, "rollaxis")
    axis, start = axis % rank, start if start >= 0 else start + rank
    return y_bar.apply("moveaxis", y_bar, source=start - (start > axis), destination=axis)


linear(
    "rollaxis",
    "a, axis=None, start=0",
    ["numpy.rollaxis"],
    {0: _rolled_back},
    infer=_rolled_type,
    view="whole",
    cost=0,
    domain=[
        ("float64[2,3,4]", {"axis": 2}),
        ("float64[2,3,4]", {"axis": 0, "start": 2}),
        ("float64[2,3,4]", {"axis": 1, "start": 3}),
    ],
)
