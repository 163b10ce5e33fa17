"""The public `check`: a function's generated programs, verified at a point.

    tangent   f, x, x_dot -> y, y_dot          one seed for each differentiated argument
    adjoint   f, x, y_bar -> y, x_bar          one seed for each float-valued leaf of the result

`verify/` knows nothing of how programs are made; this is where the two meet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from types import ModuleType
from typing import Any

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.arguments.callable_functions import called
from adjointgen.api.calls.check_arguments import (
    Subject,
    bound,
    differentiated,
    leaves_of,
    reported,
)
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.fault_search import Verification, with_faults
from adjointgen.api.calls.modes import adjoint, tangent
from adjointgen.api.calls.solver_noise import limits_of
from adjointgen.api.calls.written_programs import written_in
from adjointgen.errors import Misuse
from adjointgen.verify.report import Report


def _require_numbers(seed: object, rtol: object) -> None:
    """Refuse a seed or a tolerance that is none (AG415)."""
    if not isinstance(seed, Integral) or int(seed) < 0:
        raise Misuse(f"the seed {seed!r} is no integer from 0", code="AG415")
    if rtol is not None and not (isinstance(rtol, Real) and float(rtol) >= 0.0):
        raise Misuse(f"rtol is {rtol!r}, and no number from 0", code="AG415")


def check(
    f: Callable[..., Any],
    args: Sequence[Any] | Mapping[str, Any],
    wrt: Any = ...,
    seed: int = 0,
    *,
    module: ModuleType | None = None,
    rtol: float | None = None,
    disable: Sequence[str] = (),
    bisect: bool = False,
    nudge: bool = False,
    kinks: bool = False,
) -> Report:
    """Compare tangent and adjoint of a function with differences, and with each other.

    `args` are the arguments of one call, in order or by name. The report prints as a table, and
    `.raise_on_failure()` raises CheckFailed (AG501) where a derivative is not right. It lists the
    branches that this call took. `rtol` is how much derivatives may be off, relative to themselves,
    for what solvers leave; by default 1e-6 where the programs call SciPy's, and else nothing.

    With `bisect` a report that fails has `faults`: the first line of the function whose tangent is
    not what differences give, or whose adjoint is not the transpose of its tangent; with `nudge`
    all such lines, each taken for right from there on. Lines of functions that it calls count, and
    edits of a module, which are named by the line that the edited statement comes from.

    With `kinks` the report has `flips`: the lines at which a branch, a tie of `max`, `abs` or
    `sort`, or a whole number is another within a sixteenth of the arguments, nearest first.

    With `module`, the programs are those of a written module, as they stand there, and `wrt` is by
    default what its header says. Raises CheckFailed (AG503) where it has none of this function;
    without it, what `tangent` and `adjoint` raise where the function cannot be differentiated.
    """
    _require_numbers(seed, rtol)
    binder = Binder(plain := f.primal if isinstance(f, Derivative) else called(f))
    ways = (seed, rtol, tuple(disable), bisect, nudge, kinks)
    if module is not None:
        given = None if wrt is ... else binder.wrt(wrt)[0]
        written = written_in(module, plain.__name__, wrt=given)
        report = written.check(plain, args, seed, rtol)
        one = Verification(plain, args, written.wrt, *ways)
        return with_faults(report, one, written, module)
    values = bound(binder, args)
    chosen = differentiated(binder, values, binder.wrt(wrt)[0])
    forward, back = tangent(plain, chosen, disable=disable), adjoint(plain, chosen, disable=disable)
    made = forward.generated.special(values).made
    subject = Subject(plain, binder, values, chosen, lambda: made)
    programs = _called(forward, back, binder.owner)
    report = reported(subject, *programs, limits_of(made.text, rtol), made.text, seed)
    return with_faults(report, Verification(plain, args, chosen, *ways))


def _called(
    forward: Derivative, back: Derivative, owner: tuple[Any, ...]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Tangent and adjoint as verification calls them."""

    def run_tangent(given: Sequence[Any], dots: Sequence[Any]) -> Any:
        return forward.apply((*owner, *given), *dots)

    def run_adjoint(given: Sequence[Any], y_bar: Any) -> Any:
        y, *bars = back.apply((*owner, *given), *leaves_of(y_bar))
        return y, tuple(bars)

    return run_tangent, run_adjoint
