"""Source-to-source derivatives of Python functions: readable tangent and adjoint programs.

Names are loaded when they are first used, so that the import itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from adjointgen._version import __version__

if TYPE_CHECKING:
    from adjointgen.api.calls.batching import vmap
    from adjointgen.api.calls.checking import check
    from adjointgen.api.calls.flat_vectors import ravel
    from adjointgen.api.calls.jacobians import hessian, jacfwd, jacobian, jacrev
    from adjointgen.api.calls.modes import (
        adjoint,
        forward,
        grad,
        hvp,
        jvp,
        reverse,
        tangent,
        value_and_grad,
        vjp,
    )
    from adjointgen.api.calls.solver_calls import hessp
    from adjointgen.api.calls.sparse_derivatives import sparsity
    from adjointgen.api.calls.taylor_mode import taylor
    from adjointgen.api.calls.workspaces import workspace
    from adjointgen.api.inspect.stages import inspect
    from adjointgen.api.modules.module import DerivativeModule, generate
    from adjointgen.errors import AdjointgenError, DecidedWarning, DirectiveWarning
    from adjointgen.rules.user_rules import custom
    from adjointgen.tracing.handle import Trace, trace

_Any = TypeVar("_Any")

_HOMES = {
    "adjointgen.api.calls.batching": ("vmap",),
    "adjointgen.api.calls.checking": ("check",),
    "adjointgen.api.calls.flat_vectors": ("ravel",),
    "adjointgen.api.calls.modes": (
        "adjoint",
        "forward",
        "grad",
        "hvp",
        "jvp",
        "reverse",
        "tangent",
        "value_and_grad",
        "vjp",
    ),
    "adjointgen.api.calls.jacobians": ("hessian", "jacfwd", "jacobian", "jacrev"),
    "adjointgen.api.calls.solver_calls": ("hessp",),
    "adjointgen.api.calls.sparse_derivatives": ("sparsity",),
    "adjointgen.api.calls.taylor_mode": ("taylor",),
    "adjointgen.api.calls.workspaces": ("workspace",),
    "adjointgen.api.modules.module": ("DerivativeModule", "generate"),
    "adjointgen.api.inspect.stages": ("inspect",),
    "adjointgen.errors": ("AdjointgenError", "DecidedWarning", "DirectiveWarning"),
    "adjointgen.rules.user_rules": ("custom",),
    "adjointgen.tracing.handle": ("Trace", "trace"),
}
_PACKAGES = ("rules",)
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def stop_gradient(x: _Any) -> _Any:
    """`x`, with derivative zero. The identity when run plainly."""
    return x


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME_OF])


__all__ = [
    "AdjointgenError",
    "DecidedWarning",
    "DerivativeModule",
    "DirectiveWarning",
    "Trace",
    "__version__",
    "adjoint",
    "check",
    "custom",
    "forward",
    "generate",
    "grad",
    "hessian",
    "hessp",
    "hvp",
    "inspect",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "ravel",
    "reverse",
    "sparsity",
    "stop_gradient",
    "tangent",
    "taylor",
    "trace",
    "value_and_grad",
    "vjp",
    "vmap",
    "workspace",
]
