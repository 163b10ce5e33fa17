"""One function: the decisions (folds, live ranges, names), then its text.

    prepare → lay → fold → live ranges → webs → names → statements

Each step reads the results of those before it and changes none of them.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from adjointgen.emit.annotations import annotation, annotation_of_tree, optional
from adjointgen.emit.blocks import Blocks
from adjointgen.emit.calls import Modules
from adjointgen.emit.definitions import Parameter, function_def
from adjointgen.emit.expressions import Printer
from adjointgen.emit.families import families
from adjointgen.emit.folding import Folds, fold
from adjointgen.emit.layout import Layer, lay
from adjointgen.emit.live import live_ranges
from adjointgen.emit.margin import Margin
from adjointgen.emit.names import Names, assign_names
from adjointgen.emit.precedence import Expression
from adjointgen.emit.prepare import prepare
from adjointgen.emit.statements import return_
from adjointgen.emit.syntax import call, list_, name, tuple_
from adjointgen.emit.tapes import slot_names, tape_starts
from adjointgen.emit.verbatim import parse_expression
from adjointgen.emit.webs import coalesce
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Call,
    Function,
    Leaf,
    Record,
    Replay,
    Tree,
    Value,
    walk,
)

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
    """All that is decided about a function before a line of it is written."""

    layer: Layer
    reads: Counter[str]
    folds: Folds
    names: Names
    slots: dict[str, str]
    tapes: dict[int, list[str]]


def plan(function: Function, numpy: str = "np") -> Plan:
    """The decisions about a function."""
    body, reads = prepare(function)
    layer = lay(body)
    folds = fold(layer, reads, families(body))
    ranges = live_ranges(layer, folds)
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
    return Plan(layer, reads, folds, names, slots, tapes)


def _slots(body: Block) -> list[str]:
    found = (s.slot for s in walk(body) if isinstance(s, Record | Replay))
    return list(dict.fromkeys(found))


def _names_in(stmt: object) -> Iterator[str]:
    """The names that the user's code reads beside its operands."""
    match stmt:
        case Apply(op="verbatim" | "statement"):
            yield from _names_of(str(stmt.option("code")))
        case Call(function=function):
            yield function.partition(".")[0]


@lru_cache(maxsize=1024)
def _names_of(code: str) -> tuple[str, ...]:
    try:
        tree = ast.parse(code.strip())
    except SyntaxError:
        tree = ast.parse(f"({code})")
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return tuple(sorted(n for n in found if not (n[0] == n[-1] == "_" and n[1:-1].isdigit())))


def write(function: Function, modules: Modules) -> tuple[cst.FunctionDef, set[str]]:
    """The definition of a function, and the free names of the user's code in it."""
    decided = plan(function, modules.numpy)
    printer = Printer(decided.names, decided.folds, modules)
    blocks = Blocks(
        printer, decided.reads, decided.slots, decided.tapes, Margin(_comments(function))
    )
    lines = blocks.layer(decided.layer)
    yields = decided.layer.block.yields
    texts = iter([printer.operand(y) for y in yields])
    lines.append(return_(_packed(function.results, texts)))
    for text in (p.default for p in function.parameters if p.default):
        printer.free |= set(_names_of(text))
    definition = function_def(
        function.name,
        _parameters(function, modules),
        lines,
        docstring=function.origin.doc,
        returns=annotation_of_tree(function.results, iter([y.type for y in yields]), modules),
    )
    return definition, printer.free - set(dir(builtins))


def _comments(function: Function) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for line, text in getattr(function, "comments", ()):
        found.setdefault(line, []).append(text)
    return found


def _parameters(function: Function, modules: Modules) -> list[Parameter]:
    found = []
    for parameter, value in zip(function.parameters, function.body.params, strict=True):
        text = annotation(value.type, modules)
        if parameter.default == "None" and value.type.kind != "object":
            text = optional(text)
        default = parse_expression(parameter.default) if parameter.default else None
        kind = "keyword-only" if parameter.keyword_only else "plain"
        found.append(Parameter(parameter.name, text, default, kind))  # type: ignore[arg-type]
    return found


def _packed(tree: Tree, leaves: Iterator[Expression]) -> Expression:
    """The results in their structure."""
    if isinstance(tree, Leaf):
        return next(leaves)
    items: Sequence[Expression] = [_packed(child, leaves) for child in tree.children]
    match tree.make:
        case "tuple" | "":
            return tuple_(items)
        case "list":
            return list_(items)
        case make:
            return call(name(make), items)
