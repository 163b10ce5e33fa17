"""The stages between a function and its derivative, as text and pictures for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, Final

from adjointgen.ad.checkpoints.schedule_loops import with_schedule
from adjointgen.analysis.differentiation.activity import Activity, activity
from adjointgen.analysis.differentiation.inputs import active_inputs
from adjointgen.api.arguments.argument_binding import Binder, wrt_names
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.kept_states import Directives, directives_known, known_schedule
from adjointgen.api.calls.modes import adjoint
from adjointgen.api.inspect.loop_counts import loop_counts
from adjointgen.api.inspect.peak import Peak, measured_peak, peak_of, program_at
from adjointgen.api.inspect.remedies import Remedies
from adjointgen.api.modules.target_names import parse_target
from adjointgen.api.programs.build_program import Kind, Step, derived_by, follow, names_of, quoting
from adjointgen.config.options import make_options
from adjointgen.errors import Misuse, understood
from adjointgen.frontend.lower import infer_arguments, lower, type_of
from adjointgen.frontend.source.asked_directives import with_directives
from adjointgen.frontend.source.source import Source, source_from_function
from adjointgen.ir.nodes import Function
from adjointgen.ir.schedules import schedule
from adjointgen.ir.text import show
from adjointgen.pipeline import derive
from adjointgen.program import primal
from adjointgen.records import dataclass, replace
from adjointgen.views.graph import graph
from adjointgen.views.html import html
from adjointgen.views.listing import Listing, program_listing, source_listing, ssa_listing
from adjointgen.views.tables import Table, activity_table, tape_table


@dataclass(frozen=True, slots=True)
class Stages:
    """What `inspect` returns. `disable` are the passes that the tape and the programs do without.

    `.ssa`, `.activity` and `.tape` print as listings; `.graph` is in the DOT language, `.mermaid`
    and `.svg` are the same graph; `.html` is a page that shows everything side by side. `.peak` is
    the memory of the adjoint program at the `arguments`; `live` gives the function itself.
    """

    source: Source
    function: Function
    wrt: tuple[str, ...]
    disable: tuple[str, ...] = ()
    arguments: Mapping[str, Any] | None = None
    live: Callable[[], Callable[..., Any]] | None = None
    checkpoint: str = ""
    directives: tuple[str, ...] = ()

    @property
    def ssa(self) -> str:
        """The function as single-assignment statements."""
        return show(self.function)

    @property
    def activity(self) -> str:
        """Every variable: whether the inputs vary it, the results use it, and through what."""
        return str(activity_table(self.function, self.facts()))

    @property
    def tape(self) -> str:
        """Every recorded value, where it is recorded, and which reverse statement needs it."""
        return str(self._tape())

    @property
    def peak(self) -> Peak:
        """The most bytes that the adjoint has alive at once beside the arguments, predicted.

        The function is run if it has loops that only their values end. Raises Misuse (AG415)
        without arguments.
        """
        values, run = self._given(), None if self.live is None else self._run
        ways: dict[str, Any] = {"checkpoint": self.checkpoint, "directives": self.directives}
        step = Step("adjoint", self.wrt, **ways)
        program = program_at(self.source, step, self.disable, values, run)
        counts = loop_counts(self.function, self._run) if self.live is not None else {}
        return peak_of(program, values, counts)

    def measure(self) -> Peak:
        """`.peak`, with what `tracemalloc` measures while the adjoint runs. Raises as `.peak`."""
        values = self._given()
        if self.live is None:
            raise Misuse("there is no function to run", code="AG415", help=_GIVE)
        ways: dict[str, Any] = {"checkpoint": self.checkpoint, "directives": self.directives}
        derived = adjoint(self.live(), self.wrt, disable=self.disable, **ways)
        made = measured_peak(derived.apply, tuple(values.values()), len(self.wrt))
        return replace(self.peak, measured=made)

    @property
    def graph(self) -> str:
        """The dataflow in the DOT language, what derivatives pass through coloured."""
        return graph(self.function, "dot", self.facts())

    @property
    def mermaid(self) -> str:
        """The same graph as a Mermaid flowchart."""
        return graph(self.function, "mermaid", self.facts())

    @property
    def svg(self) -> str:
        """The same graph as a picture, laid out by Graphviz.

        Raises SourceError (AG008) where Graphviz is not installed.
        """
        return graph(self.function, "svg", self.facts())

    @property
    def html(self) -> str:
        """One page: source, stages and derivatives, their lines linked."""
        facts = self.facts()
        return html(
            source_listing(self.source, self.function, facts),
            self._program("tangent"),
            self._program("adjoint"),
            (
                ssa_listing(self.function, facts),
                activity_table(self.function, facts),
                self._tape(),
            ),
        )

    def facts(self) -> Activity:
        return activity(self.function, active_inputs(self.function, self.wrt))

    def _tape(self) -> Table:
        return tape_table(self._adjoint(self.function), Remedies(self.function, self._adjoint))

    def _adjoint(self, function: Function) -> Function:
        """The adjoint of a function before it is made to run in place."""
        with quoting(self.source):
            return derive(primal(function), "adjoint", self.wrt, self.disable, last=True).function

    def _given(self) -> Mapping[str, Any]:
        if self.arguments is None:
            raise Misuse("memory is that at some arguments", code="AG415", help=_GIVE)
        return self.arguments

    def _run(self) -> object:
        """A call of the function for copies of the arguments."""
        assert self.live is not None
        function = self.live()
        return Binder(function).call(function, tuple(deepcopy(self._given()).values()))

    def _program(self, kind: Kind) -> Listing:
        with quoting(self.source):
            finished = follow(self.function, (Step(kind, self.wrt),), self.disable)
        return program_listing(kind, kind.capitalize(), finished)

    def __str__(self) -> str:
        return "\n\n".join((self.ssa, self.activity, self.tape))


def inspect(
    f: Callable[..., Any] | str,
    *args: Any,
    wrt: Any = ...,
    types: Mapping[str, Any] | None = None,
    disable: str | Iterable[str] = (),
    checkpoint: str = "",
    directives: Directives = (),
) -> Stages:
    """The stages of a function, at the types of `args`, or at `types`, or at inferred types.

    `f` is a function, a derivative of one, or `"path.py::name"` or `"package.module:name"`, whose
    module is not run. For `checkpoint` and `directives` see `grad`.

    Raises Misuse (AG415) for arguments of a function that is named by a text.
    """
    if isinstance(f, str) and args:
        raise Misuse("give types for what is not run, or the function itself", code="AG415")
    f = f.primal if isinstance(f, Derivative) else f
    with understood():
        target = parse_target(f) if isinstance(f, str) else None
    source = source_from_function(f) if target is None else target.source(Path.cwd())
    given: dict[str, Any] | None = None
    if args and not isinstance(f, str):
        binder = Binder(f)
        given = dict(zip(binder.names, binder.bind(args, {}), strict=True))
        arguments = {n: type_of(n, v) for n, v in given.items()}
    else:
        arguments = infer_arguments(source, dict(types or {}))
    kept, off = known_schedule(checkpoint), make_options(disable=disable).disable
    asked = directives_known(directives)
    function = lower(with_directives(source, asked), arguments, derived_by(tuple(disable)))
    function = with_schedule(function, schedule(kept)) if kept else function
    names = tuple(p.name for p in function.parameters)
    step = Step("adjoint", wrt_names(names, wrt)[0])
    live = None if isinstance(f, str) else partial(_itself, f)
    return Stages(source, function, names_of(function, step), off, given, live, kept, asked)


def _itself(f: Callable[..., Any]) -> Callable[..., Any]:
    return f


_GIVE: Final = "give them: inspect(f, *args).peak"
