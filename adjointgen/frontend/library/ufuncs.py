"""Calls that are other operations under another name: methods of ufuncs, logarithms to a base.

`np.add.reduce(a)` is `np.sum(a, axis=0)`, `np.add.accumulate(a)` is `np.cumsum(a, axis=0)`, and
`math.log(x, base)` is computed as `math.log(x) / math.log(base)`, by Python too.
"""

from __future__ import annotations

from typing import Any

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import read
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE


def _along_an_axis(op: str, running: bool = False) -> Special:
    """A reduction or running total along the first axis, or the one that is named."""

    def apply(call: Call) -> Abstract | None:
        array = read(call.ctx, call.args[0])
        known = set(call.keywords) <= ({"axis"} if running else {"axis", "keepdims"})
        if not known or len(call.args) > 2 or array.type.kind not in ("array", "list"):
            return None
        axis = static(call.ctx, call.take("axis", 1, const(0)) or const(0), "axis")
        if running and axis is None:
            return None
        options: dict[str, Any] = {} if axis is None else {"axis": axis}
        if "keepdims" in call.keywords:
            options["keepdims"] = bool(static(call.ctx, call.keywords["keepdims"], "keepdims"))
        elif array.type.rank == 1 and axis == 0 and not running:
            options = {}
        return call.ctx.apply(op, array, **options)

    return apply


def _outer(name: str) -> Special:
    """`np.add.outer(a, b)`: the axes of the second after those of the first."""

    def apply(call: Call) -> Abstract | None:
        row = TABLE.find(name)
        if len(call.args) != 2 or call.keywords or row is None:
            return None
        a, b = (numeric(call.ctx, read(call.ctx, arg)) for arg in call.args)
        if any(o.type.is_array and o.type.rank is None for o in (a, b)):
            return None
        if a.type.is_array and b.type.rank:
            index = ", ".join([":"] * (a.type.rank or 0) + ["None"] * b.type.rank)
            a = call.ctx.apply("load", a, index=index)
        options = {} if row.spellings[0] == name or row.symbol else {"spelling": name}
        return call.ctx.apply(row.name, a, b, **options)

    return apply


_PAIRS = ("add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "hypot")


def _logarithm(call: Call) -> Abstract | None:
    """With one argument it is a row."""
    if len(call.args) != 2 or call.keywords:
        return None
    ctx = call.ctx
    x, base = (read(ctx, arg) for arg in call.args)
    if not (x.type.is_scalar and base.type.is_scalar):
        return None
    top = ctx.apply("log", x, spelling="math.log")
    return ctx.apply("div", top, ctx.apply("log", base, spelling="math.log"))


UFUNCS: dict[str, Special] = {
    "math.log": _logarithm,
    **{f"numpy.{name}.outer": _outer(f"numpy.{name}") for name in (*_PAIRS, "arctan2")},
    "numpy.add.reduce": _along_an_axis("sum"),
    "numpy.multiply.reduce": _along_an_axis("prod"),
    "numpy.maximum.reduce": _along_an_axis("amax"),
    "numpy.minimum.reduce": _along_an_axis("amin"),
    "numpy.add.accumulate": _along_an_axis("cumsum", running=True),
    "numpy.multiply.accumulate": _along_an_axis("cumprod", running=True),
}
