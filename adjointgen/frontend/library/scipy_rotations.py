"""`scipy.spatial.transform.Rotation`, of which the frontend has its own: one rotation at a time.

Where a float that is no constant goes into one of its constructors, what is made is an instance of
a class in `frontend/source/scipy_rotations.py`; else the call is copied.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named
from adjointgen.frontend.expressions.construction import construct
from adjointgen.frontend.functions.numpy_definitions import holds_floats, rank_of
from adjointgen.frontend.source.scipy_rotations import CONSTRUCTORS
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Const

HOMES: Final = ("scipy.spatial.transform", "scipy.spatial.transform._rotation")
RANKS: Final = {
    "from_quat": ("quat", 0, 1),
    "from_rotvec": ("rotvec", 0, 1),
    "from_matrix": ("matrix", 0, 2),
    "from_euler": ("angles", 1, 1),
}
"""The parameter that the numbers are given to, its position, and how many axes they have."""


def _made(how: str, cls: type) -> Special:
    name, place, rank = RANKS[how]

    def make(call: Call) -> Abstract | None:
        ctx = call.ctx
        given = call.take(name, place)
        floats = holds_floats(ctx, (*call.args, *call.keywords.values()))
        if ctx.outlines.primal or given is None or not floats:
            return None
        if rank_of(ctx, given) != (_axes(call) if how == "from_euler" else rank):
            return None
        assert isinstance(call.function, Named)
        made = Class(cls, call.function.text, call.function.line)
        return construct(ctx, made, list(call.args), dict(call.keywords), call.node)

    return make


def _axes(call: Call) -> int | None:
    """How many axes the angles of one rotation have: none, where it is about one axis."""
    seq = call.take("seq", 0)
    known = None if seq is None else content(call.ctx, seq)
    text = known.value if isinstance(known, Const) else None
    if not isinstance(text, str) or not re.fullmatch("[xyz]{1,3}|[XYZ]{1,3}", text):
        return None
    if any(a == b for a, b in pairwise(text)):
        return None
    return int(len(text) > 1)


ROTATIONS: dict[str, Special] = {
    f"{home}.Rotation.{how}": _made(how, cls) for home in HOMES for how, cls in CONSTRUCTORS.items()
}
