"""Common functions that have no rule, each with what to write instead."""

from __future__ import annotations

from adjointgen.rules.declare import refuse
from adjointgen.rules.infer import floating_type

_DIGAMMA = (
    "its derivative needs the digamma function, which neither Python nor NumPy has; "
    "use scipy.special.gamma or gammaln, whose derivatives SciPy has"
)

for _name in ("math.gamma", "math.lgamma"):
    refuse(_name, because=_DIGAMMA, infer=floating_type)
refuse("numpy.roots", because="at a root r of p, r_bar goes to p by the implicit function theorem")
refuse("numpy.histogram", because="np.bincount of np.digitize has a derivative by its weights")
refuse("math.dist", because="write math.hypot of the differences of the coordinates")
