"""Operations of derivatives alone, whose value has a switch that their own derivative must not see.

A slope may be infinite where a choice of the program has made the derivative that meets it zero;
then the product is zero (`zero_times_infinity.py`). Written with a test, `bar * slope if bar != 0.0
else 0.0` has a second derivative that is zero wherever `bar` is zero by coincidence, as in every
least-squares problem with a vanishing residual: a test has no derivative, and its arms are taken
one at a time. So the switch is one operation with a rule. It is `written` with the test only when
nothing is left to differentiate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.series import product
from adjointgen.rules.framework.shape_helpers import always, op
from adjointgen.rules.framework.type_rules import elementwise_type

Options = Mapping[str, Any]
Args = Sequence[Any]


def _sum(terms: Sequence[Any]) -> Any:
    first, *rest = (t for t in terms if t is not None)
    return first + rest[0] if rest else first


def _scaled_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`bar_dot * slope + bar * slope_dot`, each zero where its first factor is.

    Where `bar` is zero by a choice, so is `bar_dot`, and `slope` and `slope_dot` may be infinite.
    """
    bar, slope = args
    bar_dot, slope_dot = dots
    return _sum(
        [
            None if bar_dot is None else op("scaled", bar_dot, slope),
            None if slope_dot is None else op("scaled", bar, slope_dot),
        ]
    )


def _scaled_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    bar, slope = args
    return [op("scaled", y_bar, slope), op("scaled", bar, y_bar)]


def _scaled_in_full(bar: Any, slope: Any, *, leads: bool = True) -> Any:
    """With the test; `leads` says which factor of the product comes first."""
    product = bar * slope if leads else slope * bar
    return bar.apply("select", bar.apply("ne", bar, 0.0), product, 0.0)


general(
    "through",
    "value, same",
    [],
    lambda b, y, args, dots, options: dots[1],
    lambda b, y, y_bar, args, options: [None, y_bar],
    infer=lambda types, options: types[:1],
    code="_1_",
    cost=0,
    domain=[("float64", "float64")],
)


general(
    "scaled",
    "bar, slope, leads=True",
    [],
    _scaled_tangent,
    _scaled_adjoint,
    infer=elementwise_type,
    written=_scaled_in_full,
    series=product,
    steep=always,
    cost=3,
    domain=[
        ("float64", "float64"),
        ("float64[3]", "float64"),
        ("float64[3]", "float64[3]"),
        ("float64[2,3]", "float64[3]"),
        ([0.0, 1.5, 0.0], "float64[3]"),
    ],
    entries="chosen",
    gives_zero=True,
)
