"""Functions with some of their arguments: `functools.partial`, and calls of abstract functions.

    g = partial(f, a, k=b);  g(c)        f(a, c, k=b)

The arguments are what they were when the partial function was made; an array among them is the same
array.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from adjointgen.frontend.calls.calls import apply_row
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Bound,
    Closure,
    Derived,
    Functions,
    Named,
    Partial,
    Seq,
)
from adjointgen.frontend.functions.inlining import inline, own_nodes
from adjointgen.frontend.functions.numpy_definitions import defined, is_meant
from adjointgen.frontend.functions.specialization import outline
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.static_options import dtype_of
from adjointgen.frontend.state.storage_cells import hold
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE


def partial(call: Call) -> Abstract | None:
    """`functools.partial(f, ...)`."""
    if not call.args:
        return None
    function, *args = call.args
    if not isinstance(function, Closure | Named | Partial | Derived):
        return None
    ctx = call.ctx
    keywords = tuple((name, hold(ctx, value, name)) for name, value in call.keywords.items())
    return Partial(function, tuple(hold(ctx, value, "") for value in args), keywords)


def applied(
    ctx: Context,
    function: Abstract,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract:
    """The call of a function that no expression of the text stands for."""
    match function:
        case Partial(function=inner, args=first, keywords=given):
            return applied(ctx, inner, [*first, *args], dict(given) | {**keywords}, node)
        case Closure():
            return outline(ctx, function, args, keywords, node)
        case Bound(function=inner, owner=owner):
            return inline(ctx, inner, [owner, *args], keywords, node)
        case Derived():
            return ctx.actions.derivative(ctx, function, args, keywords, node)
        case Named() if (found := _of_name(ctx, function, args, keywords, node)) is not None:
            return found
    return ctx.refuse(
        "AG102", "a function without source has some of its arguments here", "call it", node=node
    )


def _of_name(
    ctx: Context,
    function: Named,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract | None:
    """The call of a function from outside: what is known of it, its definition, or its row."""
    spelling = function.spelling
    if spelling == "numpy.vectorized":
        _check_first(ctx, args[0])
    made, row = defined(spelling), TABLE.find(spelling)
    if made is not None and row is None and is_meant(ctx, spelling, args, keywords):
        return outline(ctx, made, args, keywords, node)
    one = Call(ctx, node, function, list(args), dict(keywords))
    special: Special | None = ctx.actions.special(spelling)
    if special is not None and (found := special(one)) is not None:
        return found
    return None if row is None else apply_row(one, row, spelling)


def get(call: Call) -> Abstract | None:
    """`TABLE.get(key, default)` of a table of functions."""
    match call.args:
        case [Functions() as table, Const(value=key), *default] if len(default) < 2:
            found = table.get(key)
            return found if found != ABSENT else (default or [const(None)])[0]
    return None


def listed(name: str) -> Special:
    """`TABLE.items()` and its kin."""

    def entries(call: Call) -> Abstract | None:
        match call.args:
            case [Functions(keys=keys, items=items)]:
                names = tuple(map(const, keys))
                rows = tuple(Seq(row) for row in zip(names, items, strict=True))
                return Seq({"keys": names, "values": items, "items": rows}[name])
        return None

    return entries


def vectorized(call: Call) -> Abstract | None:
    """`np.vectorize(f)`: called, it is a loop over the entries."""
    ctx, types = call.ctx, call.keywords.get("otypes")
    function = call.args[0] if len(call.args) == 1 and call.keywords.keys() <= {"otypes"} else None
    if not isinstance(function, Closure | Partial):
        return None
    if types is not None and not _are_floats(ctx, types):
        return None
    _check_first(ctx, function if types is None else None)
    spelling = "numpy.vectorized" if types is None else "numpy.vectorized_floats"
    return Partial(Named(spelling, "np.vectorize"), (function,), ())


def _are_floats(ctx: Context, types: Abstract) -> bool:
    """Whether `otypes` says that there is one result, and it is a float."""
    known = entries(ctx, types)
    return [dtype_of(ctx, t) for t in ((types,) if known is None else known)] == ["float64"]


def _check_first(ctx: Context, function: Abstract | None) -> None:
    """Refuse what may give an integer first: NumPy takes the type of the first result for all."""
    if isinstance(function, Closure) and gives_integers(function):
        what = "this may give an integer first, and then all are"
        ctx.refuse("AG102", what, "return floats everywhere")


def gives_integers(function: Closure) -> bool:
    """Whether a function returns a literal that is no float."""
    stack = [n.value for n in own_nodes(function.source.node) if isinstance(n, ast.Return)]
    if isinstance(function.source.node, ast.Lambda):
        stack.append(function.source.node.body)
    while stack:
        match stack.pop():
            case ast.IfExp(body=then, orelse=other):
                stack += [then, other]
            case ast.Constant(value=int()):
                return True
    return False


SPECIAL: dict[str, Special] = {
    "functools.partial": partial,
    "_functools.partial": partial,
    "numpy.vectorize": vectorized,
    ".get": get,
    **{f".{name}": listed(name) for name in ("keys", "values", "items")},
}
