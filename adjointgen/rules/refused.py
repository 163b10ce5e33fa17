"""Common functions that have no rule, each with what to write instead."""

from __future__ import annotations

from adjointgen.rules.declare import refuse
from adjointgen.rules.infer import floating_type

_DIGAMMA = (
    "its derivative needs the digamma function, which neither Python nor NumPy has; "
    "declare it with adjointgen.rules.elementwise and scipy.special.digamma"
)
_DECLARE = "declare a rule for it with adjointgen.rules"

for _name in ("math.gamma", "math.lgamma"):
    refuse(_name, because=_DIGAMMA, infer=floating_type)
refuse("math.dist", because="write math.hypot of the differences of the coordinates")
