"""Local algebra and common subexpressions, after what has changed a program."""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.ir.nodes import Function
from adjointgen.optimize.scalar.cse import share
from adjointgen.optimize.scalar.dce import dead
from adjointgen.optimize.simplify import simplify


def polish(
    function: Function, frozen: frozenset[str], disable: Collection[str], regroup: bool = False
) -> Function:
    """The function simplified, with what it computes twice computed once."""
    if "simplify" not in disable:
        function = simplify(function, frozen, regroup)
    return function if "share" in disable else share(function, frozen)


def polished(
    before: Function, made: Function, frozen: frozenset[str], disable: Collection[str]
) -> Function:
    """What a pass made of a function, polished, if it is another."""
    return before if made is before else polish(dead(made), frozen, disable)
