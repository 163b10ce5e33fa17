"""One derivative of a program: what each kind of step makes of it.

    tangent    f(x) -> y      becomes     f(x, x_dot) -> y, y_dot
    adjoint                               f(x, y_bar) -> y, x_bar
    grad                                  f(x) -> x_bar          of one number, whose seed is 1

and so on (`recipes.py`). The functions that it needs beside stand in files of their own.
"""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.ad.modes.auxiliary_results import require_pair, with_aux
from adjointgen.ad.modes.project_outputs import ones, project
from adjointgen.ad.prepare.keep_exceptions import held
from adjointgen.api.programs.dense_jacobian import jacobian_of
from adjointgen.api.programs.recipes import Kind, Step
from adjointgen.api.programs.second_order import product_alone
from adjointgen.api.programs.sparse_jacobian import sparse_jacobian_of
from adjointgen.errors import TypeMismatch
from adjointgen.ir.nodes import Function
from adjointgen.ir.packing import count
from adjointgen.ir.types import Type
from adjointgen.pipeline import Observer, derive, expanded
from adjointgen.program import Program, flattened
from adjointgen.records import replace


def apply_step(
    program: Program,
    kind: Kind,
    wrt: tuple[str, ...],
    disable: Collection[str] = (),
    observe: Observer | None = None,
    last: bool = False,
    way: Step | None = None,
) -> Program:
    """One derivative of a program; the `last` one keeps the functions that it calls.

    The `way` says whether it has `aux`, and is by `several`. Raises TypeMismatch (AG404) for the
    gradient of anything but one scalar.
    """
    way = way or Step(kind)
    if kind == "primal":
        return replace(program, function=held(program.function))
    if way.alone:
        return product_alone(program, wrt, disable)
    if (kind == "tangent" or kind == "adjoint") and not way.aux:
        return derive(program, kind, wrt, disable, observe, last=last)
    if kind == "forward":
        return _split(program, wrt, disable, way.aux)
    if kind == "taylor":
        return expanded(program, wrt, disable)
    if kind == "jacobian":
        return jacobian_of(flattened(program), wrt, way.several, disable)
    if way.compression is not None:
        return sparse_jacobian_of(flattened(program), wrt, way.compression, disable)
    if way.aux:
        return _beside(program, kind, wrt, disable, observe, last, way)
    return _gradient(program, kind, wrt, disable, observe, last, way)


def _gradient(
    program: Program,
    kind: Kind,
    wrt: tuple[str, ...],
    disable: Collection[str],
    observe: Observer | None,
    last: bool,
    way: Step,
) -> Program:
    """The gradient of one number, after its value where that is asked for."""
    function = program.function
    _require_gradient(program, kind, wrt, disable)
    first = 1 if kind == "grad" else 0

    def choose(made: Function) -> Function:
        results = tuple(range(first, len(made.body.yields)))
        fixed = ones(made.body.params[len(function.body.params) :])
        return project(made, f"{function.name}_{kind}", fixed, results, way.several)

    made = derive(program, "adjoint", wrt, disable, observe, choose, last)
    return replace(made, results=1 - first)


def _split(program: Program, wrt: tuple[str, ...], disable: Collection[str], aux: bool) -> Program:
    """The two sweeps of an adjoint program, which has no seeds for `aux`."""
    outputs = range(count(require_pair(program.function, False)[0])) if aux else None
    return derive(program, "adjoint", wrt, disable, last=True, outputs=outputs, split=True)


def _require_gradient(
    program: Program, kind: Kind, wrt: tuple[str, ...], disable: Collection[str]
) -> None:
    function = program.function
    if (refused := _without_gradient(function)) is not None:
        if any(y.type.kind == "object" for y in function.body.yields):
            # Most often it comes of an operation without a rule, which is refused in detail.
            derive(program, "tangent", wrt, disable)
        raise refused
    if kind == "grad" and not wrt:
        what = f"no argument of {function.name} holds floating-point numbers"
        raise TypeMismatch(what, code="AG402", help="pass floats, such as 2.0")


def _beside(
    program: Program,
    kind: Kind,
    wrt: tuple[str, ...],
    disable: Collection[str],
    observe: Observer | None,
    last: bool,
    way: Step,
) -> Program:
    """The adjoint or gradient of the first entry of a pair, with the second entry beside it."""
    function = program.function
    value, _ = require_pair(function, "grad" in kind)
    outputs = range(count(value))

    def choose(made: Function) -> Function:
        return with_aux(made, function, kind, way.several)

    made = derive(program, "adjoint", wrt, disable, observe, choose, last, outputs)
    return replace(made, results=len(function.body.yields) if kind == "value_and_grad" else 0)


def _without_gradient(function: Function) -> TypeMismatch | None:
    """What is raised for anything but one number."""
    match function.body.yields:
        case [one] if one.type.dtype == "bool":
            what = f"{function.name} returns truth values, which have no gradient"
            return TypeMismatch(what, code="AG404", help="differentiate what is compared")
        case [one] if _is_number(one.type):
            return None
    return TypeMismatch(
        f"{function.name} does not return one scalar, so it has no gradient",
        code="AG404",
        help="use jacobian(...), or vjp(...) with weights for the results",
    )


def _is_number(type: Type) -> bool:
    """Whether a result is one number, as an array without axes too."""
    return type.is_scalar or (type.is_array and type.rank == 0)
