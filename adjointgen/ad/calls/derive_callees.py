"""The derivatives of the functions that a program calls, callees before callers.

Every pattern (`call_patterns.py`) gives one tangent function, or the two halves of an adjoint.
What a caller has to know of a derivative is known before it is derived itself; a recursive call
is the exception, and takes the safe answer: the tape exists, and all arguments are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from adjointgen.ad.calls.split_mode import split, without_tapes
from adjointgen.ad.checkpoints.live_state import advance, live_state
from adjointgen.ad.checkpoints.outline_steps import require_twice
from adjointgen.ad.modes.derived_calls import Derived
from adjointgen.ad.modes.tangent import rooted_parameters
from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.analysis.differentiation.call_patterns import Pattern, pattern_of
from adjointgen.ir.nodes import (
    Block,
    Call,
    Function,
    Leaf,
    Node,
    Origin,
    reads_of,
    walk,
)
from adjointgen.ir.sweep_marks import is_turn
from adjointgen.optimize.scalar.dce import dead
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Names

One = Callable[[Function, Pattern, Activity, Mapping[Pattern, Derived]], Function]
"""Derives one function by a pattern, in one mode, and cleans it up."""


@dataclass(slots=True)
class Linked:
    """The derived functions by name, the function each is of, and how calls name them.

    `plain` is the function itself for every forward sweep.
    """

    derived: dict[Pattern, Derived] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)

    def trimmed(self, function: Function) -> Function:
        """A program that keeps nothing for calls whose reverse it does not run."""
        return without_tapes(function, self.plain)


def link(
    mode: Literal["tangent", "adjoint"],
    needed: Mapping[Pattern, Activity],
    table: Mapping[str, Function],
    one: One,
    again: bool = False,
    lasting: bool = False,
) -> Linked:
    """The derivatives for all patterns; adjoints without a tape run the function `again`.

    Raises Unsupported (AG122) where that can be noticed.

    A `lasting` tape is read when the user's module may have changed.
    """
    work = _Linking(table, one, again, lasting)
    for pattern in needed:
        if mode == "tangent":
            work.linked.derived[pattern] = Derived(work.fresh(f"{pattern.function}_tangent"))
    for pattern, facts in needed.items():
        (work.tangent if mode == "tangent" else work.adjoint)(pattern, facts)
    return work.linked


class _Linking:
    def __init__(self, table: Mapping[str, Function], one: One, again: bool, lasting: bool) -> None:
        self.table = table
        self.one = one
        self.again = again
        self.lasting = lasting
        self.names = Names(table)
        self.linked = Linked()
        self.expected: set[Pattern] = set()

    def fresh(self, name: str) -> str:
        return self.names.fresh(name)

    def add(self, function: Function, of: str) -> None:
        self.linked.functions[function.name] = function
        self.linked.origins[function.name] = of

    def tangent(self, pattern: Pattern, facts: Activity) -> None:
        """`g_tangent(x, x_dot) -> y, y_dot` for the arguments and results that are active."""
        function = self.table[pattern.function]
        made = self.one(function, pattern, facts, self.linked.derived)
        count = len(function.body.yields)
        kept = (*range(count), *(count + k for k in pattern.results))
        yields = tuple(made.body.yields[k] for k in kept)
        name = self.linked.derived[pattern].forward
        names = tuple(made.names[k] for k in kept)
        made = replace(
            made,
            name=name,
            origin=_titled(made, f"Value and tangent of `{function.name}`: ({', '.join(names)})."),
            body=replace(made.body, yields=yields),
            names=names,
            results=Node("tuple", (Leaf(),) * len(kept)),
        )
        self.add(made, pattern.function)

    def adjoint(self, pattern: Pattern, facts: Activity) -> None:
        """`g_forward` and `g_reverse`."""
        function = self.table[pattern.function]
        self.expect(function, facts)
        closed = self.one(function, pattern, facts, self.linked.derived)
        whole = pattern in self.expected
        params, results = len(function.body.params), len(function.body.yields)
        if self.again:
            require_twice(function.body, None, "write the recursion as a loop")
        if self.again or function.carries or function.joint:
            self.joint(pattern, closed, results)
            return
        halves = split(closed, params, results, pattern.function, whole, self.lasting)
        known = self.linked.derived.get(pattern) or self.named(pattern)
        forward = pattern.function
        if halves.forward is not None:
            forward = known.forward
            trimmed = self.linked.trimmed(halves.forward)
            shown = ", ".join(function.names)
            title = f"Value of `{function.name}`, with what its reverse reads: ({shown}, tape)."
            first = replace(trimmed, name=forward, origin=_titled(trimmed, title))
            self.add(first, pattern.function)
            self.linked.plain[forward] = pattern.function
        origin = _titled(halves.reverse, _adjoint_of(function.name, halves.reverse.names))
        self.add(replace(halves.reverse, name=known.reverse, origin=origin), pattern.function)
        taped = halves.forward is not None
        self.linked.derived[pattern] = Derived(
            forward, known.reverse, halves.needs, halves.returns, taped
        )

    def joint(self, pattern: Pattern, closed: Function, results: int) -> None:
        """`g_adjoint(x, y_bar) -> x_bar`, which runs the function itself once more."""
        known = self.linked.derived.get(pattern) or self.named(pattern)
        bars, passed = closed.body.yields[results:], closed.body.params
        names = closed.names[results:]
        leaves = (Leaf(),) * len(bars)
        title = _adjoint_of(pattern.function, names)
        function = self.table[pattern.function]
        # Where the step of a loop ends, its reverse begins; what is to stand in it has no marks.
        apart = function.carries and not function.joint
        stmts = (s for s in closed.body.stmts if apart or not is_turn(s))
        made = replace(
            closed,
            name=known.reverse,
            parameters=rooted_parameters(passed),
            body=Block(passed, tuple(stmts), bars),
            results=leaves[0] if len(bars) == 1 else Node("tuple", leaves),
            names=names,
            origin=_titled(closed, title),
        )
        made = dead(made)
        needs = tuple(range(len(function.body.params)))
        if function.carries:
            self.step(pattern, made, known.reverse)
            return
        self.add(made, pattern.function)
        self.linked.derived[pattern] = Derived(pattern.function, known.reverse, needs)

    def step(self, pattern: Pattern, made: Function, name: str) -> None:
        """The adjoint of the step of a loop with checkpoints, and the step that it follows."""
        function = self.table[pattern.function]
        read = {v.name for v in reads_of(made.body)}
        given = len(function.body.params)
        needs = tuple(k for k, p in enumerate(made.body.params[:given]) if p.name in read)
        params = (*(made.body.params[k] for k in needs), *made.body.params[given:])
        body = replace(made.body, params=params)
        parameters = rooted_parameters(params)
        self.add(replace(made, body=body, parameters=parameters), function.name)
        how = Derived(function.name, name, needs, live=live_state(function, needs))
        if how.live:
            title = self.fresh(function.name.removesuffix("_step") + "_advance")
            moved, takes = advance(function, how.live, title)
            of = function.name.removesuffix("_step")
            said = f"The next state of a loop of `{of}`, as far as its adjoint depends on it."
            self.add(replace(moved, origin=_titled(moved, said)), function.name)
            how = replace(how, advance=title, takes=takes)
        self.linked.derived[pattern] = how

    def expect(self, function: Function, facts: Activity) -> None:
        """Declare what a recursive call needs that is not derived yet."""
        for stmt in walk(function.body):
            pattern = pattern_of(stmt, facts) if isinstance(stmt, Call) else None
            if pattern is not None and pattern not in self.linked.derived:
                params = range(len(self.table[pattern.function].body.params))
                known = self.named(pattern)
                self.linked.derived[pattern] = replace(
                    known, needs=tuple(params), tape=not self.again
                )
                self.expected.add(pattern)

    def named(self, pattern: Pattern) -> Derived:
        name = pattern.function
        if self.again or self.table[name].carries or self.table[name].joint:
            return Derived(name, self.fresh(f"{name}_adjoint"))
        return Derived(self.fresh(f"{name}_forward"), self.fresh(f"{name}_reverse"))


def _titled(function: Function, title: str) -> Origin:
    return replace(function.origin, doc=title)


def _adjoint_of(name: str, bars: Sequence[str]) -> str:
    """The title of an adjoint, with what it returns."""
    shown = bars[0] if len(bars) == 1 else f"({', '.join(bars)})"
    return f"Adjoint of `{name}`: {shown}."
