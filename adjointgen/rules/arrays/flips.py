"""Arrays turned around along their axes: each is its own transpose, or that of the turn back."""

from __future__ import annotations

from adjointgen.rules.framework.batching import reduction
from adjointgen.rules.framework.declare import linear
from adjointgen.rules.framework.type_rules import Options, Types, as_array, fresh


def _whole_type(types: Types, options: Options) -> Types:
    return (as_array(types[0]),)


linear(
    "flip",
    "a, axis=None",
    ["numpy.flip"],
    {0: lambda y_bar, a, axis: y_bar.apply("flip", y_bar, axis=axis)},
    infer=_whole_type,
    view="whole",
    cost=0,
    domain=[("float64[3]",), ("float64[2,3]",), ("float64[2,3]", {"axis": 1})],
    shape_of=0,
    batch=reduction,
)
for _name in ("fliplr", "flipud"):
    linear(
        _name,
        "a",
        [f"numpy.{_name}"],
        {0: lambda y_bar, a, _name=_name: y_bar.apply(_name, y_bar)},
        infer=_whole_type,
        view="whole",
        cost=0,
        domain=[("float64[2,3]",)],
    )


def _turned_type(types: Types, options: Options) -> Types:
    shape = types[0].shape
    if shape is not None and options.get("k", 1) % 2:
        shape = (shape[1], shape[0], *shape[2:])
    return (fresh(types[0].dtype, shape),)


linear(
    "rot90",
    "a, k=1",
    ["numpy.rot90"],
    {0: lambda y_bar, a, k: y_bar.apply("rot90", y_bar, k=-k)},
    infer=_turned_type,
    view="whole",
    cost=0,
    domain=[("float64[2,3]",), ("float64[2,3]", {"k": 3})],
)
