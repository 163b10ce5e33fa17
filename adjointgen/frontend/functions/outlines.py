"""The functions of a program that are lowered, or derived, on their own: its outlines.

`specialization.py` lowers the user's. A derivative that the program takes may call functions as
well, such as the integrand of an integral: these are functions of the program then.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.abstract_values import Fixed
from adjointgen.frontend.domain.module_tables import Tabled
from adjointgen.frontend.domain.untaken import Untaken
from adjointgen.frontend.functions.joint_calls import with_joint_calls
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state.call_effects import with_effects
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.live_facts import Facts
from adjointgen.ir.calls import calling
from adjointgen.ir.nodes import Function, called
from adjointgen.ir.types import Type
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Names

Key = tuple[object, ...]
Given = Type | Fixed | Tabled
Derive = Callable[[Function, str, tuple[str, ...]], Function]
Lower = Callable[[Source, Mapping[str, Given], "Outlines"], tuple[Context, Function]]


@dataclass(slots=True)
class Entry:
    """An outline: its name, and the function, where it is one and is known.

    `lowered` is the function with its results as the user packs them, of which `function` returns
    those that are no constants. While it is lowered, recursive calls are given what was found
    before, if anything was. `facts` were known when it had been lowered, with what it writes alone:
    that is written by each call, also where the attempt that lowered it was undone.
    """

    name: str
    function: Function | None = None
    lowered: Function | None = None
    recursive: bool = False
    refused: bool = False
    facts: Facts | None = None
    perhaps: bool = False
    """Whether a result may be an argument."""


@dataclass(slots=True)
class Outlines:
    """The outlines of a program so far.

    `lower` gives a function that the program calls, and the state at its end. The program is not
    made for `untaken` paths. Classes of `collections` are `modelled` by ours. Lists of tuples
    may have `columns`, and `has_columns` says that one has. `facts` are of other objects. The
    program is `ordered` if it depends on the order of the keys of a dict. `refused` has what stood
    in the way of lowering functions whose calls may stand as they are. Arrays without axes are
    `zero_dim_entries` of lists and `zero_dim_arguments` of functions of numbers; operations in
    place are on `changing_entries` of lists, and on `changing_numbers` that functions are given.
    """

    lower: Lower
    entries: dict[Key, Entry] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    open: list[ast.AST] = field(default_factory=list)
    derive: Derive | None = None
    primal: bool = False
    sizes: dict[ast.AST, int] = field(default_factory=dict)
    written: int = 0
    untaken: Untaken = field(default_factory=Untaken)
    modelled: bool = False
    columns: bool = True
    has_columns: bool = False
    facts: Facts = field(default_factory=Facts)
    ordered: bool = False
    refused: dict[object, list[AdjointgenError]] = field(default_factory=dict)
    zero_dim_entries: bool = False
    zero_dim_arguments: bool = False
    changing_entries: list[ast.AST] = field(default_factory=list)
    changing_numbers: list[ast.AST] = field(default_factory=list)

    def program(self, root: Function) -> Function:
        """A function with all that it calls, directly or in turn, in the order of first calls."""
        callees = called(root, self.functions())
        made = with_effects(replace(root, callees=callees, ordered=self.ordered))
        return with_joint_calls(made)

    def adopted(self, functions: tuple[Function, ...]) -> dict[str, str]:
        """The names here of the functions that a derivative calls, which are functions of it."""
        known, keys = self.functions(), {f.name: ("derived", f.name, functions) for f in functions}
        names = {}
        for f in functions:
            entry = self.entries.get(keys[f.name])
            fresh = entry is None and known.get(f.name) != f
            names[f.name] = self.names.fresh(f.name) if fresh else entry.name if entry else f.name
        for f in functions:
            if names[f.name] not in known:
                own = replace(f, name=names[f.name], body=calling(f.body, names))
                self.entries[keys[f.name]] = Entry(own.name, own)
        return names

    def functions(self) -> dict[str, Function]:
        """The functions that are lowered to their end, by name."""
        return {e.name: e.function for e in self.entries.values() if e.function is not None}
