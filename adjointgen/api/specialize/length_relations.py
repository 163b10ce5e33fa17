"""Finding the lengths of arguments that a program would have to compare when it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from adjointgen.api.specialize.length_guards import Axis, Relation
from adjointgen.frontend.domain.structures import leaves_of, value_at, with_leaf
from adjointgen.ir.nodes import Apply, Function, walk
from adjointgen.ir.types import Dim, Type
from adjointgen.records import replace

FAR = 16
"""Lengths further apart than this have nothing to do with each other."""
FEW = 8
"""Axes up to this length are those of coordinates and the like."""
SEVERAL = 32
"""And up to this length, of parameters that have names: fixed for a compiler, which has to know."""


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
    for axes in _alike(types):
        long = [axis for axis in axes if _length(arguments, axis) > 1]
        least = min(long, key=lambda axis: _length(arguments, axis), default=None)
        for axis in long:
            far = _length(arguments, axis) - (_length(arguments, least) if least else 0)
            if axis != least and far != 1 and far <= FAR:
                found.append((axis, least, far))
    return tuple(found)


def crossed(types: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[Relation, ...]:
    """The axes of whatever arrays that have the same length, and those that `relations` finds."""
    first: dict[int, Axis] = {}
    found: dict[Axis, Relation] = {}
    for axis in (axis for axes in _alike(types) for axis in axes):
        length = _length(arguments, axis)
        if length > FEW and first.setdefault(length, axis) != axis:
            found[axis] = (axis, first[length], 0)
    for axis, least, far in relations(types, arguments):
        if axis not in found and axis not in first.values() and least is not None:
            found[axis] = (axis, found[least][1] if least in found else least, far)
    return tuple(found.values())


def few(
    types: Mapping[str, Any], arguments: Mapping[str, Any], most: int = FEW
) -> tuple[Relation, ...]:
    """The axes that are short, such as the coordinates of points."""
    return tuple(
        (axis, None, _length(arguments, axis))
        for axes in _alike(types)
        for axis in axes
        if 1 < _length(arguments, axis) <= most
    )


def several(types: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[Relation, ...]:
    """The axes that are longer, such as the parameters of a camera, as well."""
    return few(types, arguments, SEVERAL)


def meetings(
    pairs: Iterable[tuple[Dim, Dim]],
    types: Mapping[str, Any],
    arguments: Mapping[str, Any],
    short: int = 0,
) -> tuple[Relation, ...]:
    """Of lengths that a program would have equal, those that are lengths of arguments and are.

    Those that are `short` are known as numbers. An axis is stated by one of an argument before its
    own.
    """
    order = {name: place for place, name in enumerate(types)}
    roots: dict[Axis, Axis] = {}
    numbers: dict[Axis, int] = {}
    for one, other in sorted(pairs, key=str):
        both = (one, other) if one.offset == other.offset else ()
        axes = [axis for dim in both if (axis := axis_of(dim, types)) is not None]
        lengths = {_length(arguments, axis) for axis in axes}
        by_place = sorted({roots.get(a, a) for a in axes}, key=lambda a: (order[a[0]], a[1]))
        first, *rest = by_place or (None,)
        if first is None or len(lengths) > 1:
            continue
        if 1 < min(lengths) <= short:
            numbers |= dict.fromkeys(axes, min(lengths))
            continue
        joined = {axis: first for axis, root in roots.items() if root in rest}
        roots |= joined | dict.fromkeys(rest, first)
    equal = ((axis, root, 0) for axis, root in sorted(roots.items()))
    return (*equal, *((axis, None, length) for axis, length in sorted(numbers.items())))


def beside(found: Iterable[Relation], fixed: Iterable[Relation]) -> tuple[Relation, ...]:
    """Relations, so that what others say holds with them: axes that are equal stay so."""
    known = {axis: (root, length) for axis, root, length in fixed}
    by: dict[Axis, tuple[Axis | None, int]] = {}
    for axis, base, far in found:
        root, more = known.get(base, (base, 0)) if base else (None, 0)
        if axis not in known and axis != root:
            by[axis] = root, far + more
    also = [(axis, *by[root]) for axis, (root, _) in known.items() if root in by]
    return (*((axis, root, far) for axis, (root, far) in by.items()), *also)


def leaf_values(types: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays in arguments, by the names of their parameters."""
    found = leaves_of(types)
    return {name: value_at(arguments, types, place) for name, (_, place) in found.items()}


def axis_of(dim: Dim, types: Mapping[str, Any]) -> Axis | None:
    """The axis of an argument that a length is."""
    found = dim.axis
    return found if found is not None and isinstance(types.get(found[0]), Type) else None


def is_open(axis: Axis, types: Mapping[str, Any]) -> bool:
    """Whether the length of an axis of an argument is not known as a number."""
    dim = types[axis[0]].shape[axis[1]]
    return dim is None or dim.known is None


def _alike(types: Mapping[str, Any]) -> Iterator[list[Axis]]:
    """The same axis of all arrays that have the same number of axes."""
    arrays = {n: t.rank for n, t in types.items() if isinstance(t, Type) and t.is_array and t.rank}
    for rank in sorted(set(arrays.values())):
        for axis in range(rank):
            yield [(name, axis) for name in arrays if arrays[name] == rank]


def _length(arguments: Mapping[str, Any], axis: Axis) -> int:
    return int(np.shape(arguments[axis[0]])[axis[1]])


def related(types: Mapping[str, Any], found: Iterable[Relation]) -> dict[str, Any]:
    """The types of the arguments, their lengths stated by those that they go by."""
    made, places = dict(types), leaves_of(types)
    found = tuple(found)
    known = {axis: length for axis, base, length in found if base is None}
    for (name, axis), base, far in found:
        root, *steps = places[name][1]
        leaf = leaves_of(made)[name][0]
        shape = list(leaf.shape or ())
        if base is not None and base in known:
            far += known[base]
            base = None
        shape[axis] = Dim(f"{base[0]}.{base[1]}" if base else "", far)
        made[root] = with_leaf(made[root], tuple(steps), replace(leaf, shape=tuple(shape)))
    return made
