"""Which variables need a declared type, for a checker that infers types from first assignments.

The kinds are those of `checked_kinds.py`. A name that is first NARROW and then not is declared
`float`. One that is FOREIGN among others, or returned or handed on, is converted where it is
assigned, if it may be, and declared `Any` if not; so is a parameter that is assigned what is
FOREIGN. The only result of a function must not be `Any` by inference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final, TypeGuard

from adjointgen.analysis.values.maybe_undefined import is_undefined
from adjointgen.emit.decide.checked_kinds import Kind, kinds
from adjointgen.emit.decide.class_of_numbers import told_apart
from adjointgen.emit.decide.expression_folding import Folds
from adjointgen.emit.decide.name_assignment import Names
from adjointgen.emit.decide.positions import Layer, every_place
from adjointgen.emit.decide.row_spelling import spelling
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Branch,
    Call,
    Loop,
    Operand,
    Replay,
    Value,
    While,
    results_of,
)
from adjointgen.rules.framework.table import TABLE

_MOST: Final = 40
"""So many names of a function are converted; the rest are `Any`."""


def settled(
    layer: Layer, folds: Folds, names: Names, converted: Mapping[str, str]
) -> tuple[dict[str, Kind], dict[str, Value | None]]:
    """The kinds, and the declarations that go with them: what is declared is read as a number."""
    floats: set[str] = set()
    while True:
        found = kinds(layer.block, folds, names, converted, floats)
        declared = declarations(layer, folds, names, found)
        new = {own for own, like in declared.items() if like is not None and _is_float(like)}
        if new <= floats:
            return found, declared
        floats |= new


Assigned = tuple[Value, Operand]


def _assigned(layer: Layer, folds: Folds) -> Iterator[Assigned]:
    """The values that statements give to variables, in the order of the text."""
    for place in layer.places:
        stmt = place.stmt
        match stmt:
            case Apply(op=op) if op in WRITES:
                pass
            case Apply(results=results) | Call(results=results):
                yield from ((r, r) for r in results if r.name not in folds.folded)
            case Replay(result=result):
                yield result, result
            case Loop() | While():
                yield from ((param, init) for param, init, _, _ in carried(stmt))
                for inner in place.layers:
                    yield from _assigned(inner, folds)
                yield from ((param, end) for param, _, end, _ in carried(stmt))
            case Branch():
                for inner in place.layers:
                    yield from _assigned(inner, folds)
                    yield from zip(stmt.results, inner.block.yields, strict=True)


def declarations(
    layer: Layer, folds: Folds, names: Names, found: Mapping[str, Kind]
) -> dict[str, Value | None]:
    """The variables to be declared, each with a value whose type it has, or None for `Any`."""
    given = _given(layer, folds, names, found)
    returned = [
        names[y.name] for y in layer.block.yields if isinstance(y, Value) and y.name in names
    ]
    handed = set(_handed(layer, names))
    for param in layer.block.params:
        given.pop(names.get(param.name, ""), None)
    compared = set(_compared(layer, names))
    only = returned[0] if len(layer.block.yields) == 1 and returned else ""
    wanted: dict[str, Value | None] = {}
    for own, assigned in given.items():
        (value, first), every = assigned[0], {kind for _, kind in assigned}
        scalar = value.type.is_scalar
        narrow = scalar and first is Kind.NARROW and len(every) > 1
        typed = len(every) > 1 or own in {*returned, *handed, *compared}
        if scalar and Kind.FOREIGN in every and typed:
            wanted[own] = None
        elif narrow or (own in {only, *compared} and first is not Kind.PLAIN):
            wanted[own] = value
    return wanted


def _handed(layer: Layer, names: Names) -> Iterator[str]:
    """The names that are arguments of functions."""
    for place in every_place(layer):
        if isinstance(place.stmt, Call):
            yield from (names[a.name] for a in place.stmt.args if _is_named(a, names))


def _compared(layer: Layer, names: Names) -> Iterator[str]:
    """The numbers that `min` and `max` choose from: what they give of `Any` is no number."""
    for place in every_place(layer):
        stmt = place.stmt
        row = TABLE.rows.get(stmt.op) if isinstance(stmt, Apply) else None
        if not isinstance(stmt, Apply) or row is None or row.entries != "chosen":
            continue
        if row.spellings and spelling(row, stmt).startswith("builtins."):
            yield from (names[a.name] for a in stmt.args if _is_named(a, names))


def _is_named(operand: Operand, names: Names) -> TypeGuard[Value]:
    return isinstance(operand, Value) and operand.type.is_scalar and operand.name in names


def conversions(
    layer: Layer, folds: Folds, names: Names, returned: Collection[str]
) -> dict[str, str]:
    """The values to be converted to a number where they are assigned, by the class that does it.

    These are the numbers that would have to be declared `Any`, those of a name all or none. They
    are found one by one: what is computed from a number that is converted is known, too.
    """
    apart: set[str] | None = None
    made = {r.name for place in every_place(layer) for r in results_of(place.stmt)}
    classes: dict[str, str] = {}
    for _ in range(_MOST):
        found, declared = settled(layer, folds, names, classes)
        given = _given(layer, folds, names, found)
        values = _loose(given, declared, made)
        if not values:
            break
        apart = told_apart(layer.block, returned) if apart is None else apart
        numpy = any(name in apart for name in values)
        classes |= dict.fromkeys(values, "numpy.float64" if numpy else "float")
    return classes


def _loose(
    given: Mapping[str, list[tuple[Value, Kind]]],
    declared: Mapping[str, Value | None],
    made: Collection[str],
) -> list[str]:
    """The values of the first name that would be declared `Any` and can be converted."""
    for own in (own for own in given if own in declared and declared[own] is None):
        values = [v for v, kind in given[own] if kind is Kind.FOREIGN]
        if all(_is_float(v) and v.name in made for v in values):
            return [v.name for v in values]
    return []


def _is_float(value: Value) -> bool:
    return value.type.is_scalar and value.type.dtype == "float64"


def loose_parameters(
    layer: Layer, folds: Folds, names: Names, found: Mapping[str, Kind]
) -> frozenset[str]:
    """The parameters of scalars that are assigned what a checker takes for something else."""
    given = _given(layer, folds, names, found)
    params = (names[p.name] for p in layer.block.params if p.type.is_scalar)
    return frozenset(
        own for own in params if any(kind is Kind.FOREIGN for _, kind in given.get(own, ()))
    )


def _given(
    layer: Layer, folds: Folds, names: Names, found: Mapping[str, Kind]
) -> dict[str, list[tuple[Value, Kind]]]:
    """What each variable is assigned, in order: the values and their kinds."""
    given: dict[str, list[tuple[Value, Kind]]] = {}
    for target, source in _assigned(layer, folds):
        own = names.get(target.name)
        same = isinstance(source, Value) and source is not target and names.get(source.name) == own
        if own is not None and not same and not is_undefined(source):
            kind = found.get(source.name, Kind.PLAIN) if isinstance(source, Value) else Kind.PLAIN
            given.setdefault(own, []).append((target, kind))
    return given
