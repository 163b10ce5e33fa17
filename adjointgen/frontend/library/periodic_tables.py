"""`np.interp(x, xp, fp, period=p)`, which is written out (`runtime/defined.py`)."""

from __future__ import annotations

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.functions.numpy_definitions import defined, holds_floats
from adjointgen.frontend.functions.specialization import outline
from adjointgen.rules.framework.builder import const

_NAMES = ("x", "xp", "fp", "left", "right", "period")


def _interp(call: Call) -> Abstract | None:
    given = dict(zip(_NAMES, call.args, strict=False)) | {**call.keywords}
    period = given.get("period", const(None))
    known = {"x", "xp", "fp"} <= given.keys() <= {*_NAMES}
    if period == const(None) or not known or call.ctx.outlines.primal:
        return None
    args = [given[name] for name in ("x", "xp", "fp", "period")]
    if not holds_floats(call.ctx, args[:3]):
        return None
    function = defined("numpy.interp_periodic")
    assert function is not None
    return outline(call.ctx, function, args, {}, call.node)


PERIODIC: dict[str, Special] = {"numpy.interp": _interp}
