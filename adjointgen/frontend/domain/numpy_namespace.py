"""SciPy's module that wraps NumPy, the one that its functions compute with.

Most of what it has is NumPy's own, or computes what NumPy's function of the same name does.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Final

from adjointgen.frontend.domain.abstract_values import Module, Named

COMPAT: Final = "scipy._lib.array_api_compat"
WRAPPED: Final = f"{COMPAT}.numpy"
NAMESPACE: Final = Module(WRAPPED, WRAPPED, f"import {WRAPPED}")
_NUMPY: Final = Module("numpy", "np", "import numpy as np")
PLACED: Final = (
    *("asarray", "astype", "arange", "empty", "empty_like", "eye", "full", "full_like"),
    *("linspace", "ones", "ones_like", "zeros", "zeros_like"),
)
"""What takes a device."""
_AS_NUMPY: Final = (
    *(*PLACED, "cumulative_sum", "cumulative_prod", "permute_dims", "reshape", "nonzero"),
    *("matmul", "matrix_transpose", "tensordot", "sign", "finfo", "iinfo"),
    *("floor", "ceil", "trunc"),
)
"""Functions of the wrapper that compute what NumPy's of that name do."""


def home_of(owner: Module, name: str) -> Module:
    """The module that a member of the wrapper is to be looked up in."""
    if owner.name != WRAPPED:
        return owner
    there, numpys = (getattr(sys.modules.get(home), name, None) for home in (WRAPPED, "numpy"))
    same = there is not None and there is numpys and not isinstance(there, ModuleType)
    return _NUMPY if same or (numpys is not None and name in _AS_NUMPY) else owner


def own_function(owner: Module, name: str) -> Named | None:
    """A function of the wrapper's own, which says that it is the one that it wraps."""
    if not f"{owner.name}.".startswith(f"{WRAPPED}."):
        return None
    found = getattr(sys.modules.get(owner.name), name, None)
    if not isinstance(found, FunctionType) or not hasattr(found, "__wrapped__"):
        return None
    return Named(f"{owner.name}.{name}", f"{owner.text}.{name}", owner.line)


def asks_namespace(value: object) -> bool:
    """Whether this is a function of SciPy's that computes in the namespace of its arguments."""
    if not isinstance(value, FunctionType):
        return False
    names = (*value.__code__.co_names, *value.__code__.co_varnames)
    home = str(value.__globals__.get("__name__", "")).partition(".")[0]
    return home == "scipy" and ("array_namespace" in names or "xp" in names)
