"""The public `check`: a function's generated programs, verified at a point.

    tangent   f, x, x_dot -> y, y_dot          one seed for each differentiated argument
    adjoint   f, x, y_bar -> y, x_bar          one seed for each float-valued leaf of the result

`verify/` knows nothing of how programs are made; this is where the two meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np

from adjointgen.api.arguments.argument_binding import Binder, called
from adjointgen.api.arguments.pack_structures import written_parts
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.modes import adjoint, tangent
from adjointgen.api.programs.warnings_told import told_in
from adjointgen.api.specialize.load_program import Made
from adjointgen.errors import TypeMismatch
from adjointgen.frontend.domain.structures import holds_floats, is_dataclass
from adjointgen.frontend.lower import type_of
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
    plain = f.primal if isinstance(f, Derivative) else called(f)
    binder = Binder(plain)
    values = binder.bind((), args) if isinstance(args, Mapping) else binder.bind(tuple(args), {})
    names = binder.wrt(wrt)[0]
    chosen = _chosen(binder, values, names)
    forward, back = tangent(plain, chosen, disable=disable), adjoint(plain, chosen, disable=disable)

    def run_tangent(given: Sequence[Any], dots: Sequence[Any]) -> Any:
        return forward.apply((*binder.owner, *given), *dots)

    def run_adjoint(given: Sequence[Any], y_bar: Any) -> Any:
        y, *bars = back.apply((*binder.owner, *given), *_leaves(y_bar))
        return y, tuple(bars)

    start = len(binder.owner)
    positions = [binder.names.index(name) - start for name in chosen]
    made = forward.generated.special(values).made
    primal = _flat(plain, binder, made)
    report = verify(primal, run_tangent, run_adjoint, values[start:], positions, seed)
    return report.with_notes(told_in(made.text))


def _flat(f: Callable[..., Any], binder: Binder, made: Made) -> Callable[..., Any]:
    """A function that takes one argument for every parameter, and returns what it writes to."""

    @wraps(f)
    def run(*values: Any) -> Any:
        given = (*binder.owner, *values)
        own = binder.by_position(given)[len(binder.owner) :]
        result = f(*own, **binder.by_name(given))
        if result is None and made.written:
            return written_parts(made.layout, made.written, given)
        return result

    return run


def _chosen(binder: Binder, values: Sequence[Any], wrt: tuple[str, ...] | None) -> tuple[str, ...]:
    """What is differentiated: as told, or every argument of floating-point numbers.

    Raises TypeMismatch (AG403) where an argument holds none.
    """
    rows = list(zip(binder.names, values, strict=True))[len(binder.owner) :]
    names = [name for name, value in rows if holds_floats(type_of(name, value, whole=True))]
    if not names or not {*names} >= set(wrt or ()):
        other = ", ".join(name for name in wrt or binder.own if name not in names)
        raise TypeMismatch(
            f"{other or 'nothing'} holds no floating-point numbers, so it has no derivative",
            code="AG403",
            help="pass floats, or leave it out of wrt",
        )
    chosen = names if wrt is None else [name for name in names if name in wrt]
    return tuple(chosen)


def _leaves(tree: Any) -> Iterator[Any]:
    """The float-valued leaves of a result, in order."""
    if isinstance(tree, tuple | list):
        for entry in tree:
            yield from _leaves(entry)
    elif isinstance(tree, dict):
        for entry in tree.values():
            yield from _leaves(entry)
    elif is_dataclass(type(tree)):
        for entry in vars(tree).values():
            yield from _leaves(entry)
    elif np.asarray(tree).dtype.kind in "fc":
        yield tree
