"""Names that must hold something before their value is computed.

A variable that the first iteration does not define may still be passed on by it: copied, recorded
on a tape, assigned to another name, or asked for its shape by a derivative that is zero, though
nothing computes with it. Such a name starts with a placeholder of its type. Where a value that is
not defined is never passed on, nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjointgen.analysis.values.maybe_undefined import is_undefined, shape_read
from adjointgen.emit.decide.name_assignment import Names
from adjointgen.emit.decide.positions import Layer, every_place
from adjointgen.emit.decide.row_spelling import Modules, numpy_call
from adjointgen.emit.syntax.expression_trees import list_, literal
from adjointgen.emit.syntax.tree import Expression
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import Apply, Branch, Loop, Operand, Record, Value, While
from adjointgen.ir.types import Type

Pair = tuple[Value, Operand]


def passed_undefined(layer: Layer, names: Names, kept: int) -> frozenset[str]:
    """The names that are passed on while they may not be defined; `kept` yields among them."""
    pairs = list(_assignments(layer))
    undefined = {target.name for target, source in pairs if is_undefined(source)}
    if not undefined:
        return frozenset()
    while True:
        more = {t.name for t, s in pairs if isinstance(s, Value) and s.name in undefined}
        if more <= undefined:
            break
        undefined |= more
    passed = {s.name for t, s in pairs if isinstance(s, Value) and _differ(t, s, names)}
    held = (*_held(layer), *(layer.block.yields[-kept:] if kept else ()))
    passed |= {operand.name for operand in held if isinstance(operand, Value)}
    return frozenset(names[name] for name in passed & undefined if name in names)


def _held(layer: Layer) -> Iterator[Operand]:
    """What is recorded or copied, and what is asked for its shape."""
    for place in every_place(layer):
        match place.stmt:
            case Record(value=value):
                yield value
            case Apply(op="copy", args=(operand,)):
                yield operand
            case Apply(op=op, args=args) if (at := shape_read(op)) is not None:
                yield args[at]


def _differ(a: Value, b: Value, names: Names) -> bool:
    return names.get(a.name) != names.get(b.name)


def _assignments(layer: Layer) -> Iterator[Pair]:
    """Every value with what loops and branches assign to it."""
    for place in every_place(layer):
        match place.stmt:
            case Loop() | While() as stmt:
                for param, init, end, result in carried(stmt):
                    yield from ((param, init), (param, end), (result, param))
            case Branch() as stmt:
                for arm in (stmt.then, stmt.orelse):
                    yield from zip(stmt.results, arm.yields, strict=True)


def placeholder(type: Type, modules: Modules) -> Expression:
    """A value of this type that stands for none."""
    match type.kind:
        case "scalar" if type.is_differentiable:
            return modules.callee("math.nan")
        case "scalar":
            return literal(False if type.dtype == "bool" else 0)
        case "array":
            lengths = literal(0 if type.rank in (None, 1) else (0,) * (type.rank or 0))
            return numpy_call(modules, "empty", lengths)
        case "list":
            return list_([])
        case "object":
            return literal(None)
