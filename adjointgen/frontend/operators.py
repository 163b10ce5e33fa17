"""The functions of the module `operator`, as the operators that they are."""

from __future__ import annotations

import ast

from adjointgen.frontend.calls import Call, Special
from adjointgen.frontend.expressions import BINARY, arithmetic
from adjointgen.frontend.logic import COMPARE, comparison
from adjointgen.frontend.values import Abstract


def _binary(kind: type[ast.operator]) -> Special:
    def apply(call: Call) -> Abstract | None:
        if len(call.args) != 2:
            return None
        return arithmetic(call.ctx, kind, call.args[0], call.args[1], call.node)

    return apply


def _compare(kind: type[ast.cmpop]) -> Special:
    def apply(call: Call) -> Abstract | None:
        return None if len(call.args) != 2 else comparison(call.ctx, kind, *call.args)

    return apply


_NAMED = {f.__name__: _binary(kind) for kind, (_, _, f) in BINARY.items()} | {
    f.__name__: _compare(kind) for kind, (op, _, f) in COMPARE.items() if op not in ("in", "not_in")
}
SPECIAL: dict[str, Special] = {
    f"{module}.{name}": special
    for module in ("operator", "_operator")
    for name, special in _NAMED.items()
}
