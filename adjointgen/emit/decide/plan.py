"""All decisions about a function, each from those before it.

prepare → lay → fold → live ranges → webs → names
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from adjointgen.analysis.values.temporary_names import temporary_names
from adjointgen.emit.decide.checked_kinds import Kind
from adjointgen.emit.decide.coalescing_classes import Union, families
from adjointgen.emit.decide.expression_folding import Folds, fold
from adjointgen.emit.decide.live_ranges import Range, live_ranges
from adjointgen.emit.decide.name_assignment import Names, assign_names, stem_of_temporaries
from adjointgen.emit.decide.placeholders import passed_undefined
from adjointgen.emit.decide.positions import Layer, lay
from adjointgen.emit.decide.printing_cleanup import prepare
from adjointgen.emit.decide.row_spelling import spelling
from adjointgen.emit.decide.tape_names import slot_names, slot_wishes, tape_starts
from adjointgen.emit.decide.type_declarations import (
    conversions,
    loose_parameters,
    settled,
)
from adjointgen.emit.decide.webs import Web, coalesce
from adjointgen.emit.usercode.verbatim import variables
from adjointgen.ir.nodes import Apply, Block, Call, Function, Value, slots_of, walk
from adjointgen.records import dataclass
from adjointgen.rules.framework.table import TABLE

# What emitted text may call; a variable of one of these names gets an underscore.
BUILTINS = frozenset(
    {
        "abs",
        "bool",
        "complex",
        "enumerate",
        "float",
        "int",
        "len",
        "list",
        "prange",
        "range",
        "reversed",
        "tuple",
        "zip",
    }
)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is decided about a function before a line of it is written.

    `used` are the values whose name is read somewhere, by them or by others of their web; `passed`
    are the names that need a placeholder where their value is not defined; `declared` those whose
    type has to be stated, as that of a value, or None for `Any`; `loose` the parameters that are
    `Any` to a checker; `converted` the values that are made numbers, with the class that does it.
    """

    layer: Layer
    reads: Counter[str]
    folds: Folds
    names: Names
    slots: dict[str, str]
    tapes: dict[int, list[str]]
    storage: Union
    used: frozenset[str]
    passed: frozenset[str]
    declared: dict[str, Value | None]
    loose: frozenset[str]
    kinds: dict[str, Kind]
    converted: dict[str, str]


def decide(function: Function, numpy: str = "np", plain: bool | None = None) -> Plan:
    """The decisions about a function.

    With `plain`, numbers that a checker does not take for such are converted; it tells whether the
    results may be Python's.
    """
    body, reads = prepare(function)
    layer, classes = lay(body), families(body)
    folds = fold(layer, reads, classes)
    ranges = live_ranges(layer, folds, reads)
    webs = coalesce(layer, ranges, folds, _fixed(function))
    reserved = _reserved(body) | {numpy, "math"}
    slots, names = _named(function, body, webs, ranges, reserved)
    read = (web for web in webs if any(reads[value.name] for value in web.members))
    returned = {y.name for y in body.yields if isinstance(y, Value) and plain}
    converted = {} if plain is None else conversions(layer, folds, names, returned)
    found, declared = settled(layer, folds, names, converted)
    starts = tape_starts(layer, folds.is_folded, {*slots_of(function.results)})
    return Plan(
        layer=layer,
        reads=reads,
        folds=folds,
        names=names,
        slots=slots,
        tapes={at: [slots[s] for s in many] for at, many in starts.items()},
        storage=classes.storage,
        used=frozenset(value.name for web in read for value in web.members),
        passed=passed_undefined(layer, names, function.kept),
        declared=declared,
        loose=loose_parameters(layer, folds, names, found),
        kinds=found,
        converted=converted,
    )


def _named(
    function: Function,
    body: Block,
    webs: Sequence[Web],
    ranges: Mapping[str, Range],
    reserved: Collection[str],
) -> tuple[dict[str, str], Names]:
    """The names of the tapes and of the values."""
    roots = {*(p.name for p in function.parameters), *(web.root for web in webs)}
    nouns = temporary_names(body)
    wishes = slot_wishes(body, stem_of_temporaries(roots), nouns)
    slots = slot_names(wishes, {*reserved, *roots})
    results = dict(_result_names(function, body))
    return slots, assign_names(webs, ranges, results, nouns, {*reserved, *slots.values()})


def _fixed(function: Function) -> dict[str, str]:
    """The names of the parameters, which are given."""
    pairs = zip(function.body.params, function.parameters, strict=True)
    return {value.name: parameter.name for value, parameter in pairs}


def _result_names(function: Function, body: Block) -> Iterator[tuple[str, str]]:
    """What the results are called that are no version of a variable."""
    for result, name in zip(body.yields, function.names, strict=True):
        if isinstance(result, Value) and not result.root:
            yield result.name, name


def _reserved(body: Block) -> frozenset[str]:
    return BUILTINS | {name for stmt in walk(body) for name in (*names_in(stmt), *_called(stmt))}


def _called(stmt: object) -> Iterator[str]:
    """The builtin function or the package that an operation is a call of."""
    row = TABLE.rows.get(stmt.op) if isinstance(stmt, Apply) else None
    if isinstance(stmt, Apply) and row and row.spellings and not row.code and not row.symbol:
        own = spelling(row, stmt).removeprefix("builtins.").partition(".")[0]
        yield from [own] if own else ()


def names_in(stmt: object) -> Iterator[str]:
    """The names that the user's code reads beside its operands."""
    match stmt:
        case Apply(op="verbatim" | "statement"):
            names = variables(str(stmt.option("code")))
            yield from (n for n in names if not (n[0] == n[-1] == "_" and n[1:-1].isdigit()))
        case Call(function=function):
            yield function.partition(".")[0]
