"""Which phases of passes a program goes through; `passes/table.py` has what runs in each.

    primal    storage
    compiled  compile → …
    tangent   equations → before → check → tangent → clean tangent → target → storage
    adjoint   equations → before → check → adjoint → close → clean adjoint → target → storage
    of a batch   … → batch → target → storage

A derivative that is only asked what it compares when it runs stops before it is closed (`opened`).
Derivatives of derivatives are taken of the closed program before its target and storage are chosen,
so the transforms compose to any order. The functions that a program calls go through the same
phases, one by one, callees first (`ad/calls/derive_callees.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal

from adjointgen.ad.calls.derive_callees import Linked, link
from adjointgen.ad.calls.directional_terms import More, collapsed
from adjointgen.ad.calls.split_mode import sweeps_of
from adjointgen.ad.checkpoints.outline_steps import (
    has_schedules,
    require_joint,
)
from adjointgen.ad.modes.derived_calls import DerivedBy
from adjointgen.ad.prepare.adjoint_hooks import without_hooks
from adjointgen.ad.prepare.complex_powers import fractional
from adjointgen.analysis.differentiation.activity import Activity, Depends, activity
from adjointgen.analysis.differentiation.call_patterns import Pattern, patterns
from adjointgen.analysis.differentiation.inputs import chosen, floats
from adjointgen.analysis.differentiation.parameter_dependence import dependence
from adjointgen.analysis.differentiation.zero_times_infinity import Idle, idle
from adjointgen.ir.nodes import Function, called
from adjointgen.ir.packing import singles
from adjointgen.optimize.scalar.dce import dead
from adjointgen.optimize.scalar.inline_calls import sending, straight
from adjointgen.passes.run import run
from adjointgen.passes.unit import Unit
from adjointgen.program import (
    Opened,
    Program,
    flattened,
    names_in,
    steps_of,
    with_steps,
    without_steps,
)
from adjointgen.records import replace
from adjointgen.rules.arrays.index_bounds import all_inside
from adjointgen.rules.framework.builder import Names

Mode = Literal["tangent", "adjoint"]


Observer = Callable[[str, Function], None]
"""Called with the name of a stage and the program at that stage."""


def derive(
    program: Program,
    mode: Mode,
    wrt: Collection[str],
    disable: Collection[str] = (),
    observe: Observer | None = None,
    choose: Callable[[Function], Function] | None = None,
    last: bool = False,
    outputs: Collection[int] | None = None,
    split: bool = False,
) -> Program:
    """The tangent or adjoint program, with value semantics still.

    An adjoint has seeds for the results numbered `outputs`, or for all. It is `split` into its
    forward sweep and, among the functions that this has, its reverse sweep.

    `choose` may fix parameters and drop results before the program is cleaned up. An adjoint that
    is the `last` derivative has functions of its own for the functions that are called; before
    another derivative they are taken into the program, since a tape is no value to differentiate,
    and recursive ones are evaluated again in their reverse, which needs none.
    """
    stepped = mode == "adjoint" and last and has_schedules(program.function)
    if mode == "adjoint":
        require_joint(program.function)
    if stepped:
        program = with_steps(program)
    begun = _opened(program, mode, wrt, disable, outputs, mode == "adjoint" and not last, split)
    program, linked = begun.program, begun.linked
    unit = _closed(begun.unit, mode, observe)
    if choose is not None:
        unit = replace(unit, function=choose(unit.function))
    made = run(f"clean {mode}", unit).function
    made, owned = _joined(program, _split(program, made, linked) if split else (made,), linked)
    if observe:
        observe(mode, made)
    results, order = len(program.function.body.yields), program.order + 1
    derived = replace(
        program, function=made, results=results, callees=owned, order=order, split=split
    )
    return without_steps(derived, steps_of(program)) if stepped else derived


def expanded(program: Program, wrt: Collection[str], disable: Collection[str] = ()) -> Program:
    """The program of Taylor coefficients, with value semantics still.

    The functions that it calls are in it. Raises NoRule (AG201) where an active value reaches what
    has no coefficients.
    """
    program = _prepared(flattened(program, straight(program.function)), disable)
    unit, _, _ = _checked(program, wrt, disable)
    made = _without_equations(run("clean tangent", run("taylor", unit)).function)
    results, order = len(program.function.body.yields), program.order + 1
    return replace(program, function=made, results=results, order=order)


def _split(program: Program, closed: Function, linked: Linked) -> tuple[Function, Function]:
    """The two sweeps of an adjoint program."""
    function = program.function
    names = Names((*linked.functions, *(f.name for f in function.callees), function.name))
    titles = names.fresh(f"{function.name}_forward"), names.fresh(f"{function.name}_reverse")
    counts = len(function.body.params), len(function.body.yields)
    forward, reverse = sweeps_of(closed, *counts, titles)
    said = f"Adjoint of `{function.name}`: ({', '.join(reverse.names)})."
    return forward, replace(reverse, origin=replace(reverse.origin, doc=said))


def opened(
    program: Program,
    mode: Mode,
    wrt: Collection[str],
    disable: Collection[str] = (),
    outputs: Collection[int] | None = None,
) -> tuple[Program, Function]:
    """The last derivative before it is closed: it has all that it compares, and no tape yet.

    The same program comes first, whose derivative is not made again.
    """
    found = _opened(program, mode, wrt, disable, outputs)
    made = run("ask", found.unit).function
    made = replace(made, callees=tuple(found.linked.functions.values()))
    return replace(program, opened=found), made


def _opened(
    program: Program,
    mode: Mode,
    wrt: Collection[str],
    disable: Collection[str],
    outputs: Collection[int] | None = None,
    again: bool = False,
    split: bool = False,
) -> Opened:
    """The tangent, or the adjoint that is not closed."""
    known, kept = program.opened, outputs if outputs is None else tuple(outputs)
    asked = mode, tuple(wrt), tuple(disable), kept, again, split, program.order
    if known is not None and known.is_of(program.function, asked):
        return known
    ready = _ready(program, mode, disable, again)
    unit, linked = _start(ready, mode, wrt, disable, outputs, again, split)
    return Opened(program.function, asked, ready, run(mode, unit), linked)


def _ready(program: Program, mode: Mode, disable: Collection[str], again: bool) -> Program:
    """The program as it is differentiated; before another derivative, with recursive calls only.

    Functions that send messages are in it: what they send and receive makes them active.
    """
    only = straight(program.function) if again else sending(program.function)
    return _prepared(flattened(program, only) if only else program, disable)


def _start(
    program: Program,
    mode: Mode,
    wrt: Collection[str],
    disable: Collection[str],
    outputs: Collection[int] | None = None,
    again: bool = False,
    split: bool = False,
) -> tuple[Unit, Linked]:
    """A program that can be differentiated, with the derivatives of the functions it calls."""
    unit, facts, depends = _checked(program, wrt, disable, outputs)
    linked, resting = _linked(program, mode, facts, depends, unit, again, split)
    return replace(unit, derived=linked.derived, idle=resting), linked


def _checked(
    program: Program,
    wrt: Collection[str],
    disable: Collection[str],
    outputs: Collection[int] | None = None,
) -> tuple[Unit, Activity, Depends]:
    """A program that can be differentiated, what is active, and what its functions depend on."""
    function = program.function
    groups, depends = chosen(function, wrt), dependence(function.callees)
    facts = activity(function, floats(function, groups), outputs, depends)
    unit = Unit(
        function,
        program.primal,
        frozenset(disable),
        compiled=program.compiled,
        original=function,
        groups=groups,
        facts=facts,
        outputs=outputs,
        fractional=fractional(function.callees),
    )
    made = run("check", unit).function
    return replace(unit, function=made, original=made), facts, depends


def _closed(unit: Unit, mode: Mode, observe: Observer | None = None) -> Unit:
    """The tangent, or the closed adjoint, of what the transform made."""
    if mode == "tangent":
        return unit
    if observe:
        observe("adjoint, open", unit.function)
    unit = run("close", unit)
    if observe:
        observe("close-adjoint", unit.function)
    return unit


def _prepared(program: Program, disable: Collection[str]) -> Program:
    """The program with its equations written out, and with products of lines before their loops.

    Names that are gone are free for others, which are not the user's.
    """
    program = with_equations(program)
    if "matmul-before-loop" in disable:
        return program

    def before(function: Function) -> Function:
        return run("before", Unit(function, frozenset(), compiled=program.compiled)).function

    function = before(program.function)
    made = {f.name: before(f) for f in function.callees}
    names = {name: program.callees[name] & names_in(f) for name, f in made.items()}
    function = replace(function, callees=tuple(made.values()))
    return replace(
        program,
        function=function,
        primal=program.primal & names_in(function),
        callees={**program.callees, **names},
    )


def with_equations(program: Program) -> Program:
    """The program with the equations that it solves written out, in its functions as well."""
    table = program.function.callees
    more = More(Names((program.function.name, *(f.name for f in table))))

    def written(function: Function) -> Function:
        return run("equations", Unit(function, frozenset(), more=more)).function

    root, callees = written(program.function), [written(f) for f in table]
    stated = (Unit(f, frozenset()) for f in more.functions.values())
    callees += [run("clean tangent", unit).function for unit in stated]
    names = dict.fromkeys(more.functions, frozenset[str]())
    function = replace(root, callees=tuple(callees))
    return replace(program, function=function, callees={**program.callees, **names})


def _without_equations(function: Function) -> Function:
    """The function without what stood for its equations, and without what only they read."""
    made = collapsed(function)
    return function if made is function else dead(made)


def _joined(
    program: Program, made: tuple[Function, ...], linked: Linked
) -> tuple[Function, dict[str, frozenset[str]]]:
    """A derivative with the functions that it calls, and the user's names in these.

    Of one in two parts the second is among them.
    """
    first, *more = (_without_equations(linked.trimmed(part)) for part in made)
    table = {f.name: f for f in program.function.callees} | linked.functions
    table = {name: _without_equations(f) for name, f in table.items()}
    callees = {f.name: f for part in (first, *more) for f in called(part, table)}
    owned = {name: program.callees[linked.origins.get(name, name)] for name in callees}
    owned |= {part.name: program.primal for part in more}
    return replace(first, callees=(*more, *callees.values())), owned


def _linked(
    program: Program,
    mode: Mode,
    root: Activity,
    depends: Depends,
    unit: Unit,
    again: bool,
    split: bool,
) -> tuple[Linked, Idle]:
    """The derivatives of the functions that the unit calls, and what may be idle in the program."""
    table = {f.name: f for f in program.function.callees}
    needed = patterns(program.function, root, table, depends)
    resting = idle(mode, (program.function, root), needed, table, program.order > 0)

    def one(function: Function, pattern: Pattern, facts: Activity, derived: DerivedBy) -> Function:
        own = Unit(
            function,
            program.callees[function.name],
            unit.disable,
            compiled=program.compiled and mode == "adjoint",
            original=function,
            groups=singles([function.body.params[k] for k in sorted(pattern.wrt)]),
            facts=facts,
            derived=derived,
            idle=resting[pattern],
            outputs=pattern.results if mode == "adjoint" else None,
            fractional=unit.fractional,
            apart=True,
            called=True,
        )
        return run(f"clean {mode}", _closed(run(mode, run("check", own)), mode)).function

    return link(mode, needed, table, one, again, split), resting[None]


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
    target = "loops" if compiled else "numpy"
    made = [without_hooks(f) for f in (program.function, *program.function.callees)]
    program = replace(program, function=replace(made[0], callees=tuple(made[1:])))
    table = program.function.callees
    off, again = frozenset(disable), program.split
    units = [Unit(f, program.callees[f.name], off, lent=True, replayed=again) for f in table]
    root = Unit(program.function, program.primal, off, lent=again, replayed=again)
    kept = not (compiled or program.order or program.batch)
    units.append(replace(root, results=program.results, kept=kept))
    made = []
    for unit in units:
        kept_apart = unit.primal if several is not None else frozenset[str]()
        # What becomes loops over arrays stays inside of them.
        checked = compiled and not all_inside(unit.function.body)
        unit = run(target, replace(unit, compiled=compiled, kept_apart=kept_apart))
        if several is not None and unit.function.name == program.function.name:
            unit = run("directions", _along(unit, program.results, *several))
        if compiled:
            # Threads cannot be checked.
            has = unit.has | {"parallel"} if parallel and not checked else unit.has
            unit = run("settle", replace(unit, has=has))
        made.append(replace(run("storage", unit).function, checked=checked))
    *callees, function = made
    return replace(function, callees=tuple(callees))


def _along(unit: Unit, results: int, seeds: int, count: int) -> Unit:
    """The unit with what of its function follows several directions."""
    body = unit.function.body
    names = [p.name for p in body.params[-seeds:]]
    return replace(unit, seeds=names, ends=range(results, len(body.yields)), directions=count)
