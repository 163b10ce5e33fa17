"""The operations on Taylor coefficients that programs of Taylor mode are written with.

Each is a function of `runtime/series.py`. They stand in programs that are not differentiated again.
"""

from __future__ import annotations

from adjointgen.ir.types import Type, broadcast
from adjointgen.rules.framework.declare import constant, refuse
from adjointgen.rules.framework.type_rules import Options, Types, result_dtype

_BECAUSE = "Taylor coefficients are not differentiated: ask for one degree more"


def _coefficients_type(types: Types, options: Options) -> Types:
    """The operands broadcast with the entries of coefficients: the last axes of these."""
    shapes = [t.shape for t in types if t.kind in ("scalar", "array")]
    shape = shapes[0]
    for other in shapes[1:]:
        shape = None if shape is None or other is None else broadcast(shape, other)
    return (Type(result_dtype(tuple(t for t in types if t.is_differentiable)), shape, "array"),)


def _rest_type(types: Types, options: Options) -> Types:
    return (types[-1],)


for _name, _signature in (
    ("series_slope", "x"),
    ("series_integral", "first, rest"),
):
    refuse(_name, _signature, [], because=_BECAUSE, infer=_rest_type, cost=4, runtime="series.py")
for _name, _signature in (
    ("series_product", "a, a_s, b, b_s"),
    ("series_quotient", "y, a_s, b, b_s"),
    ("series_exponential", "y, x_s"),
    ("series_oscillation", "y, z, x_s, sign"),
    ("series_logarithm", "x, x_s"),
    ("series_root", "y, x_s"),
    ("series_riccati", "y, x_s, sign"),
    ("series_composition", "slopes, x_s"),
    ("series_recurrence", "z, a, a_s, u_s, axis"),
    ("series_products", "z, a, a_s, axis"),
    ("series_power", "y, x, x_s, p"),
):
    refuse(
        _name,
        _signature,
        [],
        because=_BECAUSE,
        infer=_coefficients_type,
        cost=50,
        runtime="series.py",
    )
constant(
    "same_degrees",
    "n, m",
    [],
    infer=lambda types, options: (types[0],),
    because="it compares lengths",
    effect=True,
    runtime="series.py",
)
