"""Finding the lengths of arguments that a program would have to compare when it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from adjointgen.api.alike import Relation
from adjointgen.ir.nodes import Apply, Function, walk
from adjointgen.ir.types import Dim, Type
from adjointgen.records import replace

FAR = 16
"""Lengths further apart than this have nothing to do with each other."""
FEW = 8
"""Axes up to this length are those of coordinates and the like."""


def unsettled(functions: Iterable[Function]) -> int:
    """How many statements have to find out when they run which lengths are equal."""
    return sum(
        isinstance(stmt, Apply) and stmt.op in ("unbroadcast", "same")
        for root in functions
        for function in (root, *root.callees)
        for stmt in walk(function.body)
    )


def relations(types: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[Relation, ...]:
    """What holds of the lengths of arrays that have the same number of axes, axis by axis."""
    found = []
    arrays = [n for n, t in types.items() if isinstance(t, Type) and t.is_array and t.rank]
    for rank in sorted({types[n].rank for n in arrays}):
        same = [n for n in arrays if types[n].rank == rank]
        for axis in range(rank):
            long = [n for n in same if np.shape(arguments[n])[axis] > 1]
            least = min(long, key=lambda n: np.shape(arguments[n])[axis], default="")
            for name in long:
                far = np.shape(arguments[name])[axis] - np.shape(arguments[least])[axis]
                if name != least and far != 1 and far <= FAR:
                    found.append((name, least, axis, int(far)))
    return tuple(found)


def few(types: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[Relation, ...]:
    """The axes that are short, such as the coordinates of points."""
    return tuple(
        (name, "", axis, length)
        for name, type in types.items()
        if isinstance(type, Type) and type.is_array and type.rank
        for axis, length in enumerate(np.shape(arguments[name]))
        if 1 < length <= FEW
    )


def related(types: Mapping[str, Any], found: Iterable[Relation]) -> dict[str, Any]:
    """The types of the arguments, their lengths stated by those that they go by."""
    made = dict(types)
    for name, least, axis, far in found:
        shape = list(made[name].shape)
        shape[axis] = Dim(f"{least}.{axis}" if least else "", far)
        made[name] = replace(made[name], shape=tuple(shape))
    return made
