"""The functions of the module `operator`, as the operators and lambdas that they are."""

from __future__ import annotations

import ast

import numpy as np

from adjointgen.frontend.assignment.augmented_assignment import updated
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Named
from adjointgen.frontend.expressions.arithmetic import BINARY, arithmetic
from adjointgen.frontend.expressions.comparisons import COMPARE, comparison
from adjointgen.frontend.expressions.subscripts import assign_part
from adjointgen.frontend.state.storage_cells import read, with_storage
from adjointgen.ir.nodes import Const
from adjointgen.ir.types import INTEGER
from adjointgen.rules.framework.builder import const


def _binary(kind: type[ast.operator]) -> Special:
    def apply(call: Call) -> Abstract | None:
        if len(call.args) != 2:
            return None
        return arithmetic(call.ctx, kind, call.args[0], call.args[1], call.node)

    return apply


def _compare(kind: type[ast.cmpop]) -> Special:
    def apply(call: Call) -> Abstract | None:
        if len(call.args) != 2:
            return None
        left, right = call.args
        return comparison(call.ctx, kind, left, right)

    return apply


def _in_place(kind: type[ast.operator]) -> Special:
    """An array is written to and handed back; a number is a new one."""

    def apply(call: Call) -> Abstract | None:
        if len(call.args) != 2:
            return None
        old = with_storage(call.ctx, call.args[0])
        return updated(call.ctx, old, kind, call.args[1], call.node, "")

    return apply


def _get(call: Call) -> Abstract | None:
    return call.ctx.actions.part(call.ctx, *call.args)


def _set(call: Call) -> Abstract | None:
    if len(call.args) != 3:
        return None
    target, key, value = call.args
    assign_part(call.ctx, target, key, value, call.node)
    return const(None)


def _index(call: Call) -> Abstract | None:
    """`operator.index(n)`, which is `n` where that is an integer."""
    if len(call.args) != 1:
        return None
    operand = read(call.ctx, call.args[0])
    return operand if operand.type.is_scalar and operand.type.dtype in INTEGER else None


_NAMED = {f.__name__: _binary(kind) for kind, (_, _, f) in BINARY.items()} | {
    f.__name__: _compare(kind) for kind, (op, _, f) in COMPARE.items() if op not in ("in", "not_in")
}


def _getter(call: Call) -> Abstract | None:
    """`itemgetter(k)` and `attrgetter(name)`, as the lambdas that they are."""
    keys = [a.value for a in call.args if isinstance(a, Const)]
    item = isinstance(call.function, Named) and call.function.spelling.endswith("itemgetter")
    if len(keys) < len(call.args) or not keys or not (item or all(map(_is_path, keys))):
        return None
    parts = [f"x[{key!r}]" if item else f"x.{key}" for key in keys]
    text = f"lambda x: {parts[0] if len(parts) == 1 else ', '.join(parts).join('()')}"
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Lambda)
    for inner in ast.walk(node):
        ast.copy_location(inner, call.node)
    return Closure(call.ctx.frame.source.nested(node))


def _is_path(key: object) -> bool:
    return isinstance(key, str) and all(part.isidentifier() for part in key.split("."))


_NAMED["itemgetter"] = _NAMED["attrgetter"] = _getter
_NAMED |= {f"i{f.__name__.strip('_')}": _in_place(kind) for kind, (_, _, f) in BINARY.items()}
_NAMED |= {"getitem": _get, "setitem": _set}
_NAMED["index"] = _index
_METHODS = frozenset(
    name
    for name in _NAMED
    if hasattr(np.ndarray, f"__{name.strip('_')}__") and name not in ("index", "contains")
)
"""What an array has as methods, such as `a.__iadd__(b)`."""
SPECIAL: dict[str, Special] = {
    f"{module}.{name}": special
    for module in ("operator", "_operator")
    for name, special in _NAMED.items()
}
SPECIAL |= {f".__{name.strip('_')}__": _NAMED[name] for name in _NAMED if name in _METHODS}
