"""The public `check`: a function's generated programs, verified at a point.

    tangent   f, x, x_dot -> y, y_dot          one seed for each differentiated argument
    adjoint   f, x, y_bar -> y, x_bar          one seed for each float-valued leaf of the result

`verify/` knows nothing of how programs are made; this is where the two meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.api.binding import Binder, wrt_names
from adjointgen.api.derivative import Derivative
from adjointgen.api.modes import adjoint, tangent
from adjointgen.errors import TypeMismatch
from adjointgen.frontend.lower import type_of
from adjointgen.ir.types import Type
from adjointgen.verify.report import Report
from adjointgen.verify.verify import verify


def check(
    f: Callable[..., Any],
    args: Sequence[Any] | Mapping[str, Any],
    wrt: Any = ...,
    seed: int = 0,
    *,
    disable: Sequence[str] = (),
) -> Report:
    """Compare tangent and adjoint of a function with differences, and with each other.

    `args` are the arguments of one call, in order or by name. The report prints as a table, and
    `.raise_on_failure()` raises CheckFailed (AG501) where a derivative is not right. Raises what
    `tangent` and `adjoint` raise where the function cannot be differentiated.
    """
    plain = f.primal if isinstance(f, Derivative) else f
    binder = Binder(plain)
    values = binder.bind((), args) if isinstance(args, Mapping) else binder.bind(tuple(args), {})
    chosen = _chosen(binder.names, values, wrt_names(binder.names, wrt)[0])
    forward, back = tangent(plain, chosen, disable=disable), adjoint(plain, chosen, disable=disable)

    def run_tangent(given: Sequence[Any], dots: Sequence[Any]) -> Any:
        return forward(*given, *dots)

    def run_adjoint(given: Sequence[Any], y_bar: Any) -> Any:
        y, *bars = back(*given, *_leaves(y_bar))
        return y, tuple(bars)

    positions = [binder.names.index(name) for name in chosen]
    return verify(plain, run_tangent, run_adjoint, values, sorted(positions), seed)


def _chosen(
    names: Sequence[str], values: Sequence[Any], wrt: tuple[str, ...] | None
) -> tuple[str, ...]:
    """What is differentiated: as told, or every argument of floating-point numbers.

    Raises TypeMismatch (AG403) where an argument holds none.
    """
    types = {name: type_of(name, value) for name, value in zip(names, values, strict=True)}
    floats = {n: t for n, t in types.items() if isinstance(t, Type) and t.is_differentiable}
    if not floats or not floats.keys() >= set(wrt or ()):
        other = ", ".join(name for name in wrt or names if name not in floats)
        raise TypeMismatch(
            f"{other or 'nothing'} holds no floating-point numbers, so it has no derivative",
            code="AG403",
            help="pass floats, or leave it out of wrt",
        )
    return wrt if wrt is not None else tuple(floats)


def _leaves(tree: Any) -> Iterator[Any]:
    """The float-valued leaves of a result, in order."""
    if isinstance(tree, tuple | list):
        for entry in tree:
            yield from _leaves(entry)
    elif np.asarray(tree).dtype.kind in "fc":
        yield tree
