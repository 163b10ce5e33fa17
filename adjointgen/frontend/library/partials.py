"""Functions with some of their arguments: `functools.partial`, and calls of abstract functions.

    g = partial(f, a, k=b);  g(c)        f(a, c, k=b)

The arguments are what they were when the partial function was made; an array among them is the same
array.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from itertools import takewhile

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.calls.row_calls import apply_row
from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Bound,
    Closure,
    Derived,
    Functions,
    Named,
    Outside,
    Partial,
    Seq,
    SliceOf,
    Struct,
)
from adjointgen.frontend.functions.inlining import inline, own_nodes
from adjointgen.frontend.functions.numpy_definitions import defined, is_meant
from adjointgen.frontend.functions.specialization import outline
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.static_options import dtype_of
from adjointgen.frontend.state.storage_cells import content, hold
from adjointgen.ir.nodes import Const
from adjointgen.ir.types import OBJECT
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


def bound(call: Call) -> Abstract | None:
    """`function.__get__(owner)`: the function with its first argument."""
    match call.args:
        case [Closure() | Named() | Partial() as function, owner] if not call.keywords:
            return Partial(function, (hold(call.ctx, owner, ""),), ())
    return None


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
    if spelling in _VECTORIZED:
        args = _with_functions(args)
    if spelling == "numpy.vectorized":
        _check_first(ctx, args[0])
    if spelling == "adjointgen.mapped":
        _check_samples(ctx, args, keywords, node)
    made, row = defined(spelling), TABLE.find(spelling)
    if made is not None and row is None and is_meant(ctx, spelling, args, keywords):
        return outline(ctx, made, args, keywords, node)
    one = Call(ctx, node, function, list(args), dict(keywords))
    special: Special | None = ctx.actions.special(spelling)
    if special is not None and (found := special(one)) is not None:
        return found
    return None if row is None else apply_row(one, row, spelling)


_VECTORIZED = ("numpy.vectorized", "numpy.vectorized_floats")
_FUNCTIONS = (Closure, Partial, Bound, Named)


def _with_functions(args: Sequence[Abstract]) -> Sequence[Abstract]:
    """The arguments of a call for each entry: a function among the first is the same for all."""
    function, *given = args
    bound = tuple(takewhile(lambda arg: isinstance(arg, _FUNCTIONS), given))
    return (Partial(function, bound, ()), *given[len(bound) :]) if bound else args


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


def vmap(call: Call) -> Abstract | None:
    """`vmap(f, in_axes, out_axes)`: called, it is a loop over the samples."""
    function = call.take("f", 0)
    inward, outward = call.take("in_axes", 1) or const(0), call.take("out_axes", 2) or const(0)
    call.take("loop")
    if not isinstance(function, Closure | Partial | Derived | Bound | Named):
        return None
    return mapped(function, content(call.ctx, inward), outward)


def mapped(function: Abstract, inward: Abstract, outward: Abstract) -> Partial | None:
    """A function over a batch, whose axes are numbers or None for each of its arguments."""
    axes = inward.items if isinstance(inward, Seq) else (inward,)
    if not all(isinstance(axis, Const) for axis in (*axes, outward)):
        return None
    return Partial(Named("adjointgen.mapped", "vmap"), (function, inward, outward), ())


def _check_samples(
    ctx: Context, args: Sequence[Abstract], keywords: Mapping[str, Abstract], node: ast.Call
) -> None:
    """Refuse arguments by name, and functions that give several results for a sample."""
    function, inward, _, *given = args
    axes = inward.items if isinstance(inward, Seq) else (inward,) * len(given)
    if keywords or len(axes) != len(given):
        what = f"{len(given)} arguments by position for {len(axes)} axes"
        ctx.refuse("AG103", what, "pass all arguments in order, each with an axis or None")
    sample = [_first_sample(ctx, *pair) for pair in zip(given, axes, strict=True)]
    with ctx.block(ctx.state.fork()):
        found = applied(ctx, function, sample, {}, node)
        several = isinstance(content(ctx, found), Seq | Struct)
    if several:
        what = "a function over a batch gives several results for each sample"
        ctx.refuse("AG102", what, "return one number or array, or write the loop out", node=node)


def _first_sample(ctx: Context, value: Abstract, axis: Abstract) -> Abstract:
    match axis:
        case Const(value=int(place)):
            every = SliceOf(None, None, None)
            before = (every,) * place if place >= 0 else (Outside("...", OBJECT),)
            after = (every,) * (-place - 1)
            return ctx.actions.part(ctx, value, Seq((*before, const(0), *after)))
    return value


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
    "adjointgen.bound": bound,
    "numpy.vectorize": vectorized,
    "adjointgen.vmap": vmap,
    ".get": get,
    **{f".{name}": listed(name) for name in ("keys", "values", "items")},
}
