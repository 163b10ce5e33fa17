"""Which variables need a declared type, for a checker that infers types from first assignments.

NumPy's stubs give a scalar one of four kinds of type, and the first assignment decides:

    PLAIN    `float`: literals, parameters, `math`
    NARROW   `np.float64`: most reductions; a float is no `np.float64`
    OPEN     `Any`: entries of arrays, ufuncs
    FOREIGN  `np.floating[Any]`, or an array for `x @ y`: no float

A name that is first NARROW and then not is declared `float`; one that is FOREIGN among others, or
returned, is declared `Any`, and so is a parameter that is assigned what is FOREIGN. The only result
of a function must not be `Any` by inference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto

from adjointgen.emit.decide.expression_folding import Folds
from adjointgen.emit.decide.name_assignment import Names
from adjointgen.emit.decide.positions import Layer, is_undefined
from adjointgen.emit.decide.row_spelling import spelling
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Block,
    Branch,
    Call,
    Loop,
    Operand,
    Record,
    Replay,
    Value,
    While,
    walk,
)
from adjointgen.rules.framework.table import TABLE, Row


class Kind(Enum):
    """What a checker takes a value for."""

    PLAIN = auto()
    NARROW = auto()
    OPEN = auto()
    FOREIGN = auto()


_STRONGEST = (Kind.OPEN, Kind.FOREIGN, Kind.NARROW, Kind.PLAIN)


def kinds(body: Block) -> dict[str, Kind]:
    """The kind of every value, by its name."""
    found = dict.fromkeys((p.name for p in body.params), Kind.PLAIN)
    tapes: dict[str, Kind] = {}

    def of(operand: Operand) -> Kind:
        return found.get(operand.name, Kind.PLAIN) if isinstance(operand, Value) else Kind.PLAIN

    for stmt in walk(body):
        match stmt:
            case Apply():
                kind = _kind(stmt, [of(a) for a in stmt.args])
                found |= dict.fromkeys((r.name for r in stmt.results), kind)
            case Loop() | While():
                for param, init, _, result in carried(stmt):
                    found[param.name] = found[result.name] = of(init)
            case Branch(results=results, then=then):
                for result, end in zip(results, then.yields, strict=True):
                    found[result.name] = of(end)
            case Record(slot=slot, value=value):
                tapes.setdefault(slot, of(value))
            case Replay(result=result, slot=slot):
                found[result.name] = tapes.get(slot, Kind.OPEN)
            case Call(results=results):
                found |= dict.fromkeys((r.name for r in results), Kind.OPEN)
    return found


def _kind(stmt: Apply, operands: list[Kind]) -> Kind:
    result = stmt.results[0].type if stmt.results else None
    row = TABLE.rows.get(stmt.op)
    if result is None or row is None or stmt.op in ("verbatim", "statement"):
        return Kind.OPEN
    if stmt.op == "copy" or stmt.op in WRITES:
        return operands[0]
    if row.checked == "plain":
        return Kind.PLAIN
    if stmt.op == "load":
        return operands[0] if stmt.args[0].type.kind == "list" else Kind.OPEN
    return _scalar_kind(stmt, row, operands) if result.is_scalar else _array_kind(row)


def _scalar_kind(stmt: Apply, row: Row, operands: list[Kind]) -> Kind:
    from_arrays = any(not a.type.is_scalar for a in stmt.args)
    joined = next(k for k in _STRONGEST if k in operands) if operands else Kind.PLAIN
    if row.checked == "foreign" or (from_arrays and stmt.results[0].type.dtype == "bool"):
        return Kind.FOREIGN
    if stmt.results[0].type.dtype == "bool":
        return Kind.PLAIN
    if row.symbol or stmt.op == "select":
        return joined
    if row.spellings:
        module = spelling(row, stmt).partition(".")[0]
        if module in ("math", "builtins"):
            return Kind.PLAIN if module == "math" else joined
    return Kind.NARROW if from_arrays and row.checked != "open" else Kind.OPEN


def _array_kind(row: Row) -> Kind:
    """Constructors are known to give arrays of floats; of the rest, stubs often know less."""
    return Kind.PLAIN if row.kind == "constant" else Kind.OPEN


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
    for param in layer.block.params:
        given.pop(names.get(param.name, ""), None)
    only = returned[0] if len(layer.block.yields) == 1 and returned else ""
    wanted: dict[str, Value | None] = {}
    for own, assigned in given.items():
        (value, first), every = assigned[0], {kind for _, kind in assigned}
        scalar = value.type.is_scalar
        narrow = scalar and first is Kind.NARROW and Kind.PLAIN in every
        if scalar and Kind.FOREIGN in every and (len(every) > 1 or own in returned):
            wanted[own] = None
        elif narrow or (own == only and first is not Kind.PLAIN):
            wanted[own] = value
    return wanted


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
