"""Common functions that have no rule, each with what to write instead."""

from __future__ import annotations

from adjointgen.rules.declare import refuse
from adjointgen.rules.infer import floating_type, object_type, same_type

_DIGAMMA = (
    "its derivative needs the digamma function, which neither Python nor NumPy has; "
    "declare it with adjointgen.rules.elementwise and scipy.special.digamma"
)
_DECLARE = "declare a rule for it with adjointgen.rules"

for _name in ("math.gamma", "math.lgamma"):
    refuse(_name, because=_DIGAMMA, infer=floating_type)
for _name in ("numpy.percentile", "numpy.quantile"):
    refuse(_name, because="interpolate between entries of np.sort(a)")
refuse("numpy.kron", because="write np.einsum('ij,kl->ikjl', a, b) and reshape it")
refuse("numpy.convolve", because="sum the products of shifted slices")
refuse("numpy.gradient", because="write the differences with slices", infer=same_type)
refuse("numpy.unique", because="sort, and select with a mask")
for _name in ("fft.fft", "fft.ifft"):
    refuse(f"numpy.{_name}", because=_DECLARE, infer=object_type)
refuse("math.dist", because="write math.hypot of the differences of the coordinates")
