"""All decisions about a function, each from those before it.

prepare → lay → fold → live ranges → webs → names
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from adjointgen.emit.families import Union, families
from adjointgen.emit.folding import Folds, fold
from adjointgen.emit.layout import Layer, lay
from adjointgen.emit.live import live_ranges
from adjointgen.emit.names import Names, assign_names
from adjointgen.emit.placeholders import passed_undefined
from adjointgen.emit.prepare import prepare
from adjointgen.emit.tapes import slot_names, tape_starts
from adjointgen.emit.webs import coalesce
from adjointgen.ir.nodes import Apply, Block, Call, Function, Record, Replay, Value, walk

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
    are the names that need a placeholder where their value is not defined.
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


def decide(function: Function, numpy: str = "np") -> Plan:
    """The decisions about a function."""
    body, reads = prepare(function)
    layer = lay(body)
    classes = families(body)
    folds = fold(layer, reads, classes)
    ranges = live_ranges(layer, folds, reads)
    fixed = {v.name: p.name for v, p in zip(body.params, function.parameters, strict=True)}
    webs = coalesce(layer, ranges, folds, fixed)
    code_names = {n for stmt in walk(body) for n in _names_in(stmt)}
    reserved = BUILTINS | code_names | {numpy, "math"}
    roots = {web.root for web in webs}
    slots = slot_names(_slots(body), reserved | roots | set(fixed.values()))
    results = {
        y.name: n
        for y, n in zip(body.yields, function.names, strict=True)
        if isinstance(y, Value) and not y.root
    }
    names = assign_names(webs, ranges, results, reserved | set(slots.values()))
    starts = tape_starts(layer)
    tapes = {at: [slots[s] for s in found] for at, found in starts.items()}
    read = (web for web in webs if any(reads[value.name] for value in web.members))
    used = frozenset(value.name for web in read for value in web.members)
    passed = passed_undefined(layer, names)
    return Plan(layer, reads, folds, names, slots, tapes, classes.storage, used, passed)


def _slots(body: Block) -> list[str]:
    found = (s.slot for s in walk(body) if isinstance(s, Record | Replay))
    return list(dict.fromkeys(found))


def _names_in(stmt: object) -> Iterator[str]:
    """The names that the user's code reads beside its operands."""
    match stmt:
        case Apply(op="verbatim" | "statement"):
            yield from names_of(str(stmt.option("code")))
        case Call(function=function):
            yield function.partition(".")[0]


@lru_cache(maxsize=1024)
def names_of(code: str) -> tuple[str, ...]:
    try:
        tree = ast.parse(code.strip())
    except SyntaxError:
        tree = ast.parse(f"({code})")
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return tuple(sorted(n for n in found if not (n[0] == n[-1] == "_" and n[1:-1].isdigit())))
