"""Whether a program can be left where a path begins that it is not made for.

It can if nothing that others see has been done before: then another program is made and run for the
same arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.analysis.values.storage_classes import storage
from adjointgen.api.specialize.exits import NO_EXITS, Exits
from adjointgen.frontend.domain.untaken import Key
from adjointgen.frontend.state.call_effects import is_effect, only_raises
from adjointgen.ir.nodes import Block, Function, Stmt, walk
from adjointgen.ir.raising import raises


def exits_of(primal: Function, untaken: Mapping[Key, str], text: str, in_place: bool) -> Exits:
    """The exits that the text of a program has.

    A derivative writes to copies of its arguments; a program that stands for the function writes to
    them `in_place`.
    """
    messages = frozenset(said for said in untaken.values() if said and said in text)
    return Exits(messages, not _is_seen(primal, in_place)) if messages else NO_EXITS


def _is_seen(primal: Function, in_place: bool) -> bool:
    """Whether the program does anything but compute, and raise."""
    classes, params = storage(primal), primal.body.params if in_place else ()
    if any(classes.written(p) or p.name in primal.written for p in params):
        return True
    return acts(primal)


def acts(primal: Function) -> bool:
    """Whether the function does anything but compute, write to its arguments, and raise."""
    functions = (primal, *primal.callees)
    return any(_acts(stmt) for function in functions for stmt in walk(function.body))


def changes(primal: Function) -> bool:
    """Whether the function may set something that the module has, or that a caller hands to it."""
    return acts(primal) or any(f.changes for f in (primal, *primal.callees))


def _acts(stmt: Stmt) -> bool:
    return is_effect(stmt) and not (only_raises(stmt) or raises(Block((), (stmt,), ())))
