"""What operations mean: one row each, from which tangent, adjoint and types all follow.

`elementwise`, `linear`, `constant`, `refuse`, `opaque`, `custom`, `implicit` and `fixed_point` are
the words for users' own rules.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjointgen.rules.opaque_rules import opaque
    from adjointgen.rules.user_rules import (
        constant,
        custom,
        elementwise,
        fixed_point,
        implicit,
        linear,
        refuse,
    )

_HOME = "adjointgen.rules.user_rules"
_HOMES = {"opaque": "adjointgen.rules.opaque_rules"}
__all__ = [
    "constant",
    "custom",
    "elementwise",
    "fixed_point",
    "implicit",
    "linear",
    "opaque",
    "refuse",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, _HOME)), name)
