"""The way to `matmul_before_loop.py`, which is loaded where a loop multiplies matrices at all."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from adjointgen.ir.nodes import Apply, Function, Loop, walk
from adjointgen.ir.types import Dim


def ahead(function: Function, compiled: bool = False) -> Function:
    """The function with the products of lines of arrays before their loops."""
    if not _multiplies(function):
        return function
    made: Function = _loaded().ahead(function, compiled)
    return made


def waiting(functions: Iterable[Function], compiled: bool) -> frozenset[tuple[Dim, Dim]]:
    """The lengths that would have to be known to be equal, or short, for more of such products."""
    some = [f for f in functions if _multiplies(f)]
    found: frozenset[tuple[Dim, Dim]] = _loaded().waiting(some, compiled) if some else frozenset()
    return found


def _multiplies(function: Function) -> bool:
    loops = (s for s in walk(function.body) if isinstance(s, Loop))
    inner = (s for loop in loops for s in walk(loop.body))
    return any(isinstance(s, Apply) and s.op in ("matmul", "dot") for s in inner)


def _loaded() -> Any:
    return import_module("adjointgen.optimize.matmul.matmul_before_loop")
