"""The one list of passes, in order.

    primal    held → own
    tangent   activity → tangent → simplify → share → dead → own
    adjoint   activity → adjoint → simplify → share → record
              → simplify → share → rebase → dead → own

Derivatives of derivatives are taken of the closed program before `own`, so the transforms compose
to any order; `retitle`, `own` and emission come once, at the end. The functions that a program
calls go through the same passes, one by one, callees first (`ad/calls/derive_callees.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping
from functools import partial
from importlib import import_module
from typing import Literal

from adjointgen.ad.calls.derive_callees import Linked, link
from adjointgen.ad.calls.directional_terms import More
from adjointgen.ad.calls.implicit_equations import collapsed, expanded
from adjointgen.ad.modes.adjoint import Open, adjoint
from adjointgen.ad.modes.check_differentiable import refuse
from adjointgen.ad.modes.derived_calls import DerivedBy
from adjointgen.ad.modes.tangent import tangent
from adjointgen.ad.prepare.expand_rows import written_out
from adjointgen.ad.prepare.matrix_functions import smooth
from adjointgen.ad.taping.close_adjoint import record
from adjointgen.analysis.differentiation.activity import Activity, Depends, activity
from adjointgen.analysis.differentiation.call_patterns import Pattern, patterns
from adjointgen.analysis.differentiation.inputs import chosen, floats
from adjointgen.analysis.differentiation.parameter_dependence import dependence
from adjointgen.analysis.differentiation.zero_times_infinity import Idle, idle
from adjointgen.analysis.loops.element_forwarding import passing
from adjointgen.analysis.loops.surviving_elements import first_writes, standing
from adjointgen.ir.nodes import Function, called, defined_in
from adjointgen.ir.packing import singles
from adjointgen.optimize.cleanup import polish, polished
from adjointgen.optimize.matmul.factor_common_matrix import factored
from adjointgen.optimize.matmul.loop_contractions import as_matrices
from adjointgen.optimize.matmul.matmul_after_loop import gather
from adjointgen.optimize.matmul.matmul_before_loop_entry import ahead
from adjointgen.optimize.scalar.accumulation_start import rebase
from adjointgen.optimize.scalar.branch_sinking import sink
from adjointgen.optimize.scalar.dce import dead
from adjointgen.optimize.scalar.dead_stores import unread
from adjointgen.optimize.scalar.inline_calls import inlined, worth_it
from adjointgen.optimize.scalar.licm import hoist
from adjointgen.optimize.scalar.rename_handed_over import retitle
from adjointgen.optimize.simplify import for_numpy
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Names
from adjointgen.storage.insert_copies import own
from adjointgen.targets.numpy.use_before_overwrite import early
from adjointgen.targets.numpy.vectorize_loops import slices

Mode = Literal["tangent", "adjoint"]
OPTIMISING = (
    "ahead",
    "simplify",
    "share",
    "standing",
    "recompute",
    "restore",
    "rebase",
    "gather",
    "hoist",
    "sink",
    "accumulate",
    "slices",
    "forms",
    "early",
    "inline",
    "nests",
    "turn",
    "fuse",
    "narrow",
    "choose",
    "registers",
    "cover",
)
"""The passes that can be switched off without changing a number."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program and the names of its values that are the user's own, whose form is kept.

    `callees` has these names for each function that the program calls. A `compiled` program has
    loops where another one has products of vectors. Its `order` is how many derivatives were taken.
    """

    function: Function
    primal: frozenset[str]
    results: int
    callees: Mapping[str, frozenset[str]] = field(default_factory=dict)
    compiled: bool = False
    order: int = 0


Observer = Callable[[str, Function], None]
"""Called with the name of a stage and the program at that stage."""


def primal(function: Function) -> Program:
    """The user's function as a program to differentiate."""
    callees = {f.name: _names(f) for f in function.callees}
    return Program(function, _names(function), len(function.body.yields), callees)


def _names(function: Function) -> frozenset[str]:
    return frozenset(v.name for v in defined_in(function.body))


def derive(
    program: Program,
    mode: Mode,
    wrt: Collection[str],
    disable: Collection[str] = (),
    observe: Observer | None = None,
    choose: Callable[[Function], Function] | None = None,
    last: bool = False,
) -> Program:
    """The tangent or adjoint program, with value semantics still.

    `choose` may fix parameters and drop results before the program is cleaned up. An adjoint that
    is the `last` derivative has functions of its own for the functions that are called; before
    another derivative they are taken into the program, since a tape is no value to differentiate.
    """
    program = _prepared(flattened(program) if mode == "adjoint" and not last else program, disable)
    function = program.function
    groups, depends = chosen(function, wrt), dependence(function.callees)
    facts = activity(function, floats(function, groups), depends=depends)
    refuse(function, facts)
    linked, resting = _linked(program, mode, facts, depends, disable)
    if mode == "tangent":
        made = tangent(function, groups, facts, linked.derived, resting)
    else:
        fresh = _fresh(function, facts, disable)
        opened = adjoint(function, groups, facts, linked.derived, None, resting, fresh)
        made = _closed(function, opened, program.primal, disable, observe)
    if choose is not None:
        made = choose(made)
    made = _clean(made, program.primal, disable, mode == "adjoint", program.compiled)
    made, owned = _joined(program, _without_equations(linked.trimmed(made)), linked)
    if observe:
        observe(mode, made)
    results, order = len(function.body.yields), program.order + 1
    return replace(program, function=made, results=results, callees=owned, order=order)


def _prepared(program: Program, disable: Collection[str]) -> Program:
    """The program with its equations written out, and with products of lines before their loops.

    Names that are gone are free for others, which are not the user's.
    """
    program = with_equations(program)
    if "ahead" in disable:
        return program
    function = ahead(program.function, program.compiled)
    made = {f.name: ahead(f, program.compiled) for f in function.callees}
    names = {name: program.callees[name] & _names(f) for name, f in made.items()}
    function = replace(function, callees=tuple(made.values()))
    return replace(
        program,
        function=function,
        primal=program.primal & _names(function),
        callees={**program.callees, **names},
    )


def with_equations(program: Program) -> Program:
    """The program with the equations that it solves written out, in its functions as well."""
    table = program.function.callees
    more = More(Names((program.function.name, *(f.name for f in table))))
    root = expanded(smooth(program.function), more)
    callees = [expanded(smooth(f), more) for f in table]
    callees += [_clean(f, frozenset(), (), False) for f in more.functions.values()]
    names = dict.fromkeys(more.functions, frozenset[str]())
    function = replace(root, callees=tuple(callees))
    return replace(program, function=function, callees={**program.callees, **names})


def _without_equations(function: Function) -> Function:
    """The function without what stood for its equations, and without what only they read."""
    made = collapsed(function)
    return function if made is function else dead(made)


def _joined(
    program: Program, made: Function, linked: Linked
) -> tuple[Function, dict[str, frozenset[str]]]:
    """A derivative with the functions that it calls, and the user's names in these."""
    table = {f.name: f for f in program.function.callees} | linked.functions
    callees = called(made, {name: _without_equations(f) for name, f in table.items()})
    owned = {f.name: program.callees[linked.origins.get(f.name, f.name)] for f in callees}
    return replace(made, callees=callees), owned


def _linked(
    program: Program, mode: Mode, root: Activity, depends: Depends, disable: Collection[str]
) -> tuple[Linked, Idle]:
    """The derivatives of the functions that are called, and what may be idle in the program."""
    table = {f.name: f for f in program.function.callees}
    needed = patterns(program.function, root, table, depends)
    resting = idle(mode, (program.function, root), needed, table, program.order > 0)

    def one(function: Function, pattern: Pattern, facts: Activity, derived: DerivedBy) -> Function:
        refuse(function, facts)
        primal = program.callees[function.name]
        groups = singles([function.body.params[k] for k in sorted(pattern.wrt)])
        if mode == "tangent":
            made = tangent(function, groups, facts, derived, resting[pattern])
            return _clean(made, primal, disable, False)
        fresh = _fresh(function, facts, disable)
        opened = adjoint(function, groups, facts, derived, pattern.results, resting[pattern], fresh)
        closed = _closed(function, opened, primal, disable, apart=True)
        return _clean(closed, primal, disable, True, program.compiled)

    return link(mode, needed, table, one), resting[None]


def _fresh(function: Function, facts: Activity, disable: Collection[str]) -> frozenset[str]:
    return frozenset() if "standing" in disable else first_writes(function, facts.active)


def _closed(
    function: Function,
    opened: Open,
    primal: frozenset[str],
    disable: Collection[str],
    observe: Observer | None = None,
    apart: bool = False,
) -> Function:
    if observe:
        observe("adjoint, open", opened.function)
    held = {v.name for many in opened.restored.values() for v, _ in many}
    opened = replace(opened, function=polish(opened.function, primal | held, disable))
    if "standing" not in disable:
        again = passing(function) if held else {}
        opened = replace(opened, standing=standing(function), passing=again)
    closed = record(opened, frozenset(disable), apart)
    if observe:
        observe("record", closed)
    return closed


def _clean(
    function: Function,
    frozen: frozenset[str],
    disable: Collection[str],
    is_polished: bool,
    compiled: bool = False,
) -> Function:
    """What is needed, in its last form; an adjoint `is_polished` before it is closed."""
    function = dead(function)
    if not is_polished:
        function = dead(polish(function, frozen, disable))
    function = polish(function, frozen, disable, regroup=True)
    if "simplify" not in disable:
        function = polished(function, unread(function, frozen), frozen, disable)
    if "rebase" not in disable:
        function = rebase(function, frozen)
    if is_polished and "ahead" not in disable:
        function = polished(function, ahead(function, compiled), frozen, disable)
    if is_polished and "gather" not in disable:
        function = polished(function, gather(function, frozen), frozen, disable)
    function = dead(function)
    if "hoist" not in disable:
        function = polished(function, hoist(function, frozen, compiled), frozen, disable)
    if "gather" not in disable:
        function = polished(function, factored(function, frozen, compiled), frozen, disable)
    return function if "sink" in disable else dead(sink(function, frozen))


def finish(
    program: Program,
    disable: Collection[str] = (),
    compiled: bool = False,
    several: tuple[int, int] | None = None,
    parallel: bool = False,
) -> Function:
    """The program as it can run in place, with the functions that it calls.

    A compiled program may be `parallel`. `several` is the number of its last parameters that are
    seeds, and of directions at once.

    Raises NotSeveral where directions can be followed only one by one.
    """
    accumulate = "accumulate" not in disable
    form = partial(_nested, apart=several is not None) if compiled else _for_numpy

    def ready(function: Function, primal: frozenset[str]) -> Function:
        function = polished(function, written_out(function), primal, disable)
        return form(function, primal, disable=disable)

    settled = partial(_settled, compiled=compiled, disable=disable, parallel=parallel)
    callees = []
    for callee in program.function.callees:
        primal = program.callees[callee.name]
        last = settled(ready(callee, primal), primal)
        callees.append(own(last, primal, 0, accumulate, lent=True))
    function = ready(program.function, program.primal)
    if several is not None:
        function = _followed(function, program, several, disable)
    function = settled(function, program.primal)
    function = own(function, program.primal, program.results, accumulate, kept=not program.order)
    return replace(function, callees=tuple(callees))


def _followed(
    function: Function, program: Program, several: tuple[int, int], disable: Collection[str]
) -> Function:
    """The program with so many directions at once."""
    lowering = import_module("adjointgen.targets.loops.lower")
    seeds, count = several
    names = [p.name for p in function.body.params[-seeds:]]
    ends = range(program.results, len(function.body.yields))
    if not {"nests", "registers"} & {*disable}:
        function = dead(lowering.in_registers(function, program.primal))
    function = lowering.several(function, names, ends, count)
    function = dead(polish(dead(function), frozenset(), disable))
    if not {"nests", "narrow"} & {*disable}:
        function = import_module("adjointgen.targets.loops.directions.direction_sparsity").narrowed(
            function
        )
    return function


def _for_numpy(function: Function, primal: frozenset[str], disable: Collection[str]) -> Function:
    """The program in the forms that NumPy runs fastest."""
    if "slices" not in disable:
        function = dead(slices(function, primal))
    if "forms" not in disable:
        function = dead(for_numpy(as_matrices(function, primal), primal))
    if "early" not in disable:
        function = early(function, primal)
    return retitle(function, primal)


def _nested(
    function: Function, primal: frozenset[str], disable: Collection[str], apart: bool
) -> Function:
    """The program with its array statements as loops, for a compiler.

    With `apart`, no derivative takes over the storage of an array of the user's.
    """
    function = retitle(function, primal)
    if "nests" in disable:
        return function
    lowering = import_module("adjointgen.targets.loops.lower")
    made = lowering.lowered(function, primal if apart else frozenset())
    function = polish(dead(made), frozenset(), disable)
    if "turn" not in disable:
        function = lowering.turned(function)
    if "fuse" not in disable:
        function = polish(lowering.fused(dead(function)), frozenset(), disable)
    return dead(function)


def _settled(
    function: Function,
    primal: frozenset[str],
    compiled: bool,
    disable: Collection[str],
    parallel: bool,
) -> Function:
    """The program with what its loops touch at one place in numbers, for a compiler."""
    if not compiled:
        return function
    lowering = import_module("adjointgen.targets.loops.lower")
    if "nests" not in disable and "choose" not in disable:
        function = lowering.chosen(function)
    if "nests" not in disable and "registers" not in disable:
        function = dead(lowering.in_registers(function, primal))
    if not {"nests", "cover"} & {*disable}:
        made = import_module("adjointgen.targets.loops.passes.dead_initialisation").covered(
            function, primal
        )
        function = polished(function, made, frozenset(), disable)
    if parallel:
        made = import_module("adjointgen.targets.loops.passes.parallel_loops").in_parallel(function)
        function = polished(function, made, frozenset(), disable)
    return dead(lowering.downwards(function))


def gathered(program: Program, disable: Collection[str] = ()) -> Program:
    """The program with short functions, and those called once, in it: a compiler sees more so."""
    program = replace(program, compiled=True)
    return program if "inline" in disable else flattened(program, worth_it(program.function))


def flattened(program: Program, only: Container[str] | None = None) -> Program:
    """The program with the bodies of the functions that it calls in their places."""
    if not program.function.callees:
        return program
    function, copied = inlined(program.function, program.callees, only)
    kept = {f.name: program.callees[f.name] for f in function.callees}
    return replace(program, function=function, primal=program.primal | copied, callees=kept)
