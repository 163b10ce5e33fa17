"""Functions of SciPy that solve an equation or find a minimum: the implicit function theorem.

    x = brentq(f, a, b)        found = brentq(f, a, b);   x = implicit(found, p)   with f(x, p) = 0
    s = root_scalar(f, ...)    found = root_scalar(...);  s.root = implicit(found.root, p)
    x = minimize(f, x0).x      the same; what is zero is the gradient of f

The solver runs as the user called it. The equation is lowered once more (`callbacks.py`), and goes
with `implicit` as an option; what is done with it, says `ad/calls/implicit_equations.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjointgen.frontend.calls.callbacks import handing, part_of
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Seq, Struct
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Value
from adjointgen.ir.types import OBJECT, Dim, Type
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import const


@dataclass(frozen=True, slots=True)
class Solver:
    """How a solver is called, and what it gives.

    `zero` says what is zero at the solution: the function itself (`root`), its gradient
    (`minimum`), what it adds to the unknown (`fixed`), the gradient of the sum of its squares
    (`squares`). The unknown has the shape of `start`, or is a number; it is `part` of the result,
    which has the other `facts`, too.
    """

    names: tuple[str, ...]
    zero: str = "root"
    start: str = ""
    part: str = ""
    facts: tuple[str, ...] = ()
    refused: tuple[str, ...] = ("full_output", "retall", "bounds", "constraints")
    scalar: bool = True


class Solution:
    """What a solver tells: an instance without code of its own."""


_BRACKET = Solver(("f", "a", "b", "args"))
_TOLD = ("success", "message", "status")
_MULTI = ("nit", "nfev")
SOLVERS: dict[str, Solver] = {
    **dict.fromkeys(("brentq", "brenth", "ridder", "bisect", "toms748"), _BRACKET),
    "newton": Solver(("func", "x0", "fprime", "args", "tol", "maxiter", "fprime2"), start="x0"),
    "fixed_point": Solver(("func", "x0", "args"), "fixed", "x0"),
    "root_scalar": Solver(
        ("f", "args", "method", "bracket", "fprime", "fprime2", "x0", "x1"),
        part="root",
        facts=("converged", "flag", "function_calls", "iterations"),
    ),
    "fsolve": Solver(("func", "x0", "args", "fprime"), start="x0", scalar=False),
    "root": Solver(
        ("fun", "x0", "args", "method", "jac"),
        start="x0",
        part="x",
        facts=(*_TOLD, "nfev"),
        scalar=False,
    ),
    "minimize_scalar": Solver(
        ("fun", "bracket", "bounds", "args", "method"), "minimum", "", "x", (*_TOLD, *_MULTI)
    ),
    "minimize": Solver(
        ("fun", "x0", "args", "method", "jac", "hess", "hessp", "bounds", "constraints"),
        "minimum",
        "x0",
        "x",
        (*_TOLD, *_MULTI),
        scalar=False,
    ),
    **dict.fromkeys(
        ("fmin", "fmin_powell"), Solver(("func", "x0", "args"), "minimum", "x0", scalar=False)
    ),
    **dict.fromkeys(
        ("fmin_bfgs", "fmin_cg"),
        Solver(("f", "x0", "fprime", "args"), "minimum", "x0", scalar=False),
    ),
    "least_squares": Solver(
        ("fun", "x0", "jac", "bounds"), "squares", "x0", "x", _TOLD, scalar=False
    ),
}


def solved(call: Call) -> Abstract | None:
    """What a solver gives; None where the call is copied, and has no derivative."""
    assert isinstance(call.function, Named)
    solver = SOLVERS[call.function.spelling.rpartition(".")[2]]
    if len(call.args) > len(solver.names):
        return None
    given = dict(zip(solver.names, call.args, strict=False)) | call.keywords
    if given.get("loss", const("linear")) != const("linear"):
        return None
    if any(given.get(name, const(None)) != const(None) for name in solver.refused):
        return None
    unknown = _unknown(call.ctx, solver, given)
    if unknown is None:
        return None
    return or_none(call.ctx, lambda: _result(call, solver, given, unknown))


def _unknown(ctx: Context, solver: Solver, given: Mapping[str, Abstract]) -> Type | None:
    """The type of the unknown."""
    if not solver.start:
        return Type("float64")
    start = given.get(solver.start)
    if start is None:
        return None
    known = content(ctx, start)
    if isinstance(known, Seq):
        lengths: tuple[Dim | None, ...] = (Dim("", len(known.items)),)
        return None if solver.scalar else Type("float64", lengths, "array")
    type = read(ctx, start).type
    if type.is_scalar:
        return Type("float64") if solver.scalar else Type("float64", (Dim("", 1),), "array")
    if solver.scalar or type.rank != 1:
        return None
    return Type("float64", type.shape, "array")


def _result(call: Call, solver: Solver, given: Mapping[str, Abstract], unknown: Type) -> Abstract:
    ctx, function = call.ctx, given[solver.names[0]]
    handed = handing(call, solver.names, given, unknown)
    residual, free = handed.region(function, lambda x, y: zero(ctx, solver.zero, x, y))
    holes = Holes(ctx)
    text = f"{holes.fill(call.function)}({', '.join(handed.texts(holes))})"
    options: dict[str, Any] = {"calls": tuple(handed.calls)} if handed.calls else {}
    type = OBJECT if solver.part else unknown
    whole = found = verbatim(ctx, text, holes.operands, type, solver=True, effect=False, **options)
    if solver.part:
        found = part_of(ctx, f"_0_.{solver.part}", whole, unknown)
    form = "minimum" if solver.zero in ("minimum", "squares") else "root"
    x = ctx.apply("implicit", found, *free, residual=residual, form=form)
    if not solver.part:
        return x
    facts: dict[str, Abstract]
    facts = {name: part_of(ctx, f"_0_.{name}", whole) for name in solver.facts}
    facts[solver.part] = x
    if solver.zero == "minimum":
        facts["fun"] = handed.applied(function, x)
    return Struct(Class(Solution, "Solution"), tuple(facts), tuple(facts.values()))


def zero(ctx: Context, form: str, x: Value, y: Value) -> Value:
    """What is zero at the solution, or least."""
    if form == "fixed":
        y = ctx.apply("sub", y, x)
    if form == "squares":
        y = ctx.apply("sum", ctx.apply("mul", y, y))
    shape = x.type.shape if form in ("root", "fixed") and x.type.is_array else None
    fits = y.type.is_scalar if shape is None else y.type.rank == 1
    if not fits or not y.type.is_differentiable:
        ctx.refuse("AG102", "what this function gives has not the form of an equation", "write it")
    return y


SOLVING: dict[str, Special] = {f"scipy.optimize.{name}": solved for name in SOLVERS}
