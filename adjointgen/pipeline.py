"""The one list of passes, in order.

    tangent   activity → tangent → simplify → share → dead → own
    adjoint   activity → adjoint → simplify → share → record
              → simplify → share → rebase → dead → own

Derivatives of derivatives are taken of the closed program before `own`, so the transforms compose
to any order; `retitle`, `own` and emission come once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal

from adjointgen.analysis.activity import Activity, activity
from adjointgen.analysis.standing import standing
from adjointgen.errors import TypeMismatch
from adjointgen.ir.nodes import Function, Value, defined_in
from adjointgen.records import dataclass, replace
from adjointgen.transform.adjoint import adjoint
from adjointgen.transform.dead import dead
from adjointgen.transform.own import own
from adjointgen.transform.rebase import rebase
from adjointgen.transform.record import record
from adjointgen.transform.refuse import refuse
from adjointgen.transform.retitle import retitle
from adjointgen.transform.share import share
from adjointgen.transform.simplify import simplify
from adjointgen.transform.tangent import tangent

Mode = Literal["tangent", "adjoint"]
OPTIMISING = ("simplify", "share", "standing", "recompute", "restore", "rebase", "accumulate")
"""The passes that can be switched off without changing a number."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program and the names of its values that are the user's own, whose form is kept."""

    function: Function
    primal: frozenset[str]
    results: int


Observer = Callable[[str, Function], None]
"""Called with the name of a stage and the program at that stage."""


def primal(function: Function) -> Program:
    """The user's function as a program to differentiate."""
    names = frozenset(v.name for v in defined_in(function.body))
    return Program(function, names, len(function.body.yields))


def active_inputs(function: Function, wrt: Collection[str]) -> list[Value]:
    """The parameters that are differentiated, by the user's names.

    Raises TypeMismatch (AG402) for one that is no parameter or holds no floating-point numbers.
    """
    found = [p for p in function.body.params if p.root in wrt]
    missing = [name for name in wrt if name not in {p.root for p in found}]
    if missing:
        have = ", ".join(p.name for p in function.parameters)
        raise TypeMismatch(
            f"{function.name} has no parameter {missing[0]} to differentiate",
            code="AG402",
            help=f"choose from {have}",
        )
    for p in found:
        if not p.type.is_differentiable:
            raise TypeMismatch(
                f"{p.root} holds {p.type.dtype}, which has no derivative",
                code="AG403",
                help=f"pass {p.root} as a float, or leave it out of wrt",
            )
    return found


def derive(
    program: Program,
    mode: Mode,
    wrt: Collection[str],
    disable: Collection[str] = (),
    observe: Observer | None = None,
    choose: Callable[[Function], Function] | None = None,
) -> Program:
    """The tangent or adjoint program, with value semantics still.

    `choose` may fix parameters and drop results before the program is cleaned up.
    """
    function = program.function
    inputs = active_inputs(function, wrt)
    facts = activity(function, inputs)
    refuse(function, facts)
    names = frozenset(p.name for p in inputs)
    if mode == "tangent":
        made = tangent(function, names, facts)
    else:
        made = _adjoint(function, names, facts, program, disable, observe)
    if choose is not None:
        made = choose(made)
    made = _clean(made, program.primal, disable)
    if observe:
        observe(mode, made)
    return Program(made, program.primal, len(function.body.yields))


def _adjoint(
    function: Function,
    names: frozenset[str],
    facts: Activity,
    program: Program,
    disable: Collection[str],
    observe: Observer | None,
) -> Function:
    opened = adjoint(function, names, facts)
    if observe:
        observe("adjoint, open", opened.function)
    held = {v.name for many in opened.restored.values() for v, _ in many}
    opened = replace(opened, function=_polish(opened.function, program.primal | held, disable))
    if "standing" not in disable:
        opened = replace(opened, standing=standing(function))
    closed = record(opened, frozenset(disable))
    if observe:
        observe("record", closed)
    return closed


def _polish(
    function: Function, frozen: frozenset[str], disable: Collection[str], regroup: bool = False
) -> Function:
    if "simplify" not in disable:
        function = simplify(function, frozen, regroup)
    if "share" not in disable:
        function = share(function, frozen)
    return function


def _clean(function: Function, frozen: frozenset[str], disable: Collection[str]) -> Function:
    function = dead(_polish(dead(function), frozen, disable))
    function = _polish(function, frozen, disable, regroup=True)
    if "rebase" not in disable:
        function = dead(rebase(function, frozen))
    return dead(function)


def finish(program: Program, disable: Collection[str] = ()) -> Function:
    """The program as it can run in place."""
    function = retitle(program.function, program.primal)
    return own(function, program.primal, program.results, "accumulate" not in disable)
