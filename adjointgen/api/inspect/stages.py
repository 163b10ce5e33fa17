"""The stages between a function and its derivative, as text and pictures for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from adjointgen.analysis.differentiation.activity import Activity, activity
from adjointgen.analysis.differentiation.inputs import active_inputs
from adjointgen.api.arguments.argument_binding import Binder, wrt_names
from adjointgen.api.modules.target_names import parse_target
from adjointgen.api.programs.build_program import Kind, Step, derived_by, follow, names_of, quoting
from adjointgen.config.options import make_options
from adjointgen.errors import understood
from adjointgen.frontend.lower import infer_arguments, lower, type_of
from adjointgen.frontend.source.source import Source, source_from_function
from adjointgen.ir.nodes import Function
from adjointgen.ir.text import show
from adjointgen.pipeline import derive, primal
from adjointgen.records import dataclass
from adjointgen.views.graph import graph
from adjointgen.views.html import html
from adjointgen.views.listing import Listing, program_listing, source_listing, ssa_listing
from adjointgen.views.tables import Table, activity_table, tape_table


@dataclass(frozen=True, slots=True)
class Stages:
    """What `inspect` returns. `disable` are the passes that the tape and the programs do without.

    `.ssa`, `.activity` and `.tape` print as listings; `.graph` is in the DOT language, `.mermaid`
    and `.svg` are the same graph; `.html` is a page that shows everything side by side.
    """

    source: Source
    function: Function
    wrt: tuple[str, ...]
    disable: tuple[str, ...] = ()

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
        with quoting(self.source):
            made = derive(primal(self.function), "adjoint", self.wrt, self.disable, last=True)
        return tape_table(made.function)

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
) -> Stages:
    """The stages of a function, at the types of `args`, or at `types`, or at inferred types.

    `f` is a function, or `"path.py::name"` or `"package.module:name"`, whose module is not run.
    """
    with understood():
        target = parse_target(f) if isinstance(f, str) else None
    source = source_from_function(f) if target is None else target.source(Path.cwd())
    if args:
        assert not isinstance(f, str)
        binder = Binder(f)
        values = binder.bind(args, {})
        arguments = {n: type_of(n, v) for n, v in zip(binder.names, values, strict=True)}
    else:
        arguments = infer_arguments(source, dict(types or {}))
    function = lower(source, arguments, derived_by(tuple(disable)))
    names = tuple(p.name for p in function.parameters)
    step = Step("adjoint", wrt_names(names, wrt)[0])
    return Stages(source, function, names_of(function, step), make_options(disable=disable).disable)
