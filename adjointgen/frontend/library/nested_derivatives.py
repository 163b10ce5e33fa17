"""Derivatives that a function takes itself: `grad(f)(x)`, `jvp(f, ...)` and their kin.

    grad(lambda y: x * y)(2.0)        =>        the statements of the gradient, with y = 2.0

The call of `f` is lowered into a block, with values of its own in the place of what is
differentiated. What the block reads of the program around it becomes a parameter, so that a closure
is a function as well (Johnsson 1985, lambda lifting). That function is derived by the pipeline, and
the statements of its derivative stand in the place of the call: they are statements like others,
with derivatives of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Closure,
    Derived,
    Named,
    Outside,
    Partial,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.functions.inlining import parameters
from adjointgen.frontend.functions.numpy_definitions import defined
from adjointgen.frontend.functions.specialization import outline
from adjointgen.frontend.state.closure_conversion import Lifted, filled, lifted, spliced
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.frontend.state.unify import convert
from adjointgen.ir.nodes import Const, Function, Operand, Value
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import const

PUSH = Named("adjointgen.jvp", "jvp")
LEAVES = (Value, Const, Ref, Outside)
CALLABLE = (Closure, Bound, Named, Partial, Derived)
Key = int | str


def maker(kind: str) -> Special:
    """`grad(f, wrt)`: a function that is not called yet."""

    def make(call: Call) -> Abstract | None:
        function = call.take("f", 0)
        if not isinstance(function, CALLABLE):
            return None
        wrt = call.take("wrt", 1)
        everything = isinstance(wrt, Outside) and wrt.text == "..."
        if everything or (wrt is None and kind in ("tangent", "adjoint")):
            return Derived(kind, function)
        return Derived(kind, function, 0 if wrt is None else _wrt(call.ctx, wrt))

    return make


def _wrt(ctx: Context, wrt: Abstract) -> Any:
    found = static(ctx, wrt, "wrt")
    if isinstance(found, str) and "," in found:
        return tuple(part.strip() for part in found.split(","))
    return found


def applied(
    ctx: Context,
    derived: Derived,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract:
    """A call of a derivative."""
    function, kind = derived.function, derived.kind
    if kind == "pullback":
        return _pulled(ctx, derived, args, node)
    if kind == "by one":
        rest = [args[0] if k == derived.wrt else v for k, v in enumerate(derived.args)]
        return ctx.actions.applied(ctx, function, rest, {}, node)
    if kind in ("jacobian", "jacfwd", "jacrev", "hessian"):
        return _matrix(ctx, derived, args, keywords, node)
    if kind in ("tangent", "adjoint"):
        return _program(ctx, derived, args, keywords, node)
    chosen = _chosen(ctx, function, derived.wrt, args, keywords)
    one = lifted(ctx, function, args, keywords, chosen, node)
    made = one.derive(kind)
    yields = iter(spliced(ctx, made, one.operands))
    value = None if kind == "grad" else next(yields)
    bars = tuple(_bar(ctx, one.args[key], yields) for key in chosen)
    gradient: Abstract = Seq(bars) if _several(derived.wrt) else bars[0]
    return gradient if value is None else Seq((value, gradient))


def _several(wrt: Any) -> bool:
    return wrt is ... or isinstance(wrt, tuple)


def _bar(ctx: Context, argument: Abstract, bars: Iterator[Operand]) -> Abstract:
    """The adjoint of an argument, in its structure; integers in it have the adjoint 0."""
    known = content(ctx, argument)
    if isinstance(known, Seq | Struct):
        return known.of(_bar(ctx, item, bars) for item in known.items)
    return next(bars) if read(ctx, argument).type.is_differentiable else const(0)


# What is differentiated


def _chosen(
    ctx: Context,
    function: Abstract,
    wrt: Any,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
) -> tuple[Key, ...]:
    """The arguments that `wrt` means: by position, or by keyword."""
    given: dict[Key, Abstract] = dict(enumerate(args))
    given.update(keywords)
    if wrt is ...:
        return tuple(key for key, value in given.items() if any(_floats(ctx, value)))
    names = _names(function)
    found = []
    for entry in wrt if isinstance(wrt, tuple) else (wrt,):
        key = entry
        if isinstance(entry, str) and entry in names and names.index(entry) < len(args):
            key = names.index(entry)
        elif isinstance(entry, int) and not 0 <= entry < len(args) and -1 < entry < len(names):
            key = names[entry]
        if key not in given:
            what = f"no argument {entry!r} to differentiate is given here"
            ctx.refuse("AG402", what, "pass it", kind=TypeMismatch)
        if not any(_floats(ctx, given[key])):
            what = f"the argument {entry!r} holds no floats, so it has no derivative"
            ctx.refuse("AG403", what, "pass it as a float", kind=TypeMismatch)
        found.append(key)
    return tuple(found)


def _names(function: Abstract) -> list[str]:
    """The parameters of a function, where they are known."""
    match function:
        case Closure(source=source) if source.arguments.vararg is None:
            return [a.arg for a in parameters(source.arguments)]
        case Bound(function=inner):
            return _names(inner)[1:]
        case Derived(function=inner):
            return _names(inner)
    return []


def _floats(ctx: Context, value: Abstract) -> Iterator[Abstract]:
    """The leaves of an argument that can have derivatives."""
    known = content(ctx, value)
    if isinstance(known, Seq | Struct):
        for item in known.items:
            yield from _floats(ctx, item)
    elif isinstance(known, LEAVES) and read(ctx, known).type.is_differentiable:
        yield known


# Products with Jacobians


def jvp(call: Call) -> Abstract | None:
    """`jvp(f, primals, tangents)`: the value and its tangent."""
    ctx = call.ctx
    function, primals, dots = (call.take(n, k) for k, n in enumerate(("f", "primals", "tangents")))
    if primals is None or dots is None or not isinstance(function, CALLABLE):
        return None
    first, second = content(ctx, primals), content(ctx, dots)
    if not isinstance(first, Seq) or not isinstance(second, Seq):
        return ctx.refuse("AG103", "how many arguments these are is not known", "write them out")
    pairs = enumerate(second.items)
    return _pushed(ctx, function, first.items, {k: v for k, v in pairs if v != const(None)}, call)


def _pushed(
    ctx: Context,
    function: Abstract,
    args: Sequence[Abstract],
    dots: Mapping[Key, Abstract],
    call: Call,
) -> Seq:
    one = lifted(ctx, function, args, {}, tuple(dots), call.node)
    made = one.derive("tangent")
    seeds = _seeds(ctx, made, one, list(chain(*(_floats(ctx, v) for v in dots.values()))))
    yields = spliced(ctx, made, (*one.operands, *seeds))
    half = len(yields) // 2
    return Seq(tuple(filled(one.result, iter(part)) for part in (yields[:half], yields[half:])))


def vjp(call: Call) -> Abstract | None:
    """`vjp(f, *primals)`: the value, and what maps its adjoint to those of the arguments."""
    ctx = call.ctx
    if not call.args or not isinstance(call.args[0], CALLABLE):
        return None
    function, *args = call.args
    kept = tuple(_snapshot(ctx, value) for value in args)
    value = ctx.actions.applied(ctx, function, kept, {}, call.node)
    return Seq((value, Derived("pullback", function, ..., kept)))


def _snapshot(ctx: Context, value: Abstract) -> Abstract:
    """What an argument holds now, whatever is written into it later."""
    known = content(ctx, value)
    if isinstance(known, Seq | Struct):
        return known.of(_snapshot(ctx, item) for item in known.items)
    return read(ctx, known) if isinstance(known, Ref | Outside) else known


def _pulled(ctx: Context, derived: Derived, seeds: Sequence[Abstract], node: ast.Call) -> Seq:
    chosen = _chosen(ctx, derived.function, ..., derived.args, {})
    return _adjoint(ctx, derived.function, derived.args, {}, chosen, seeds, node)[1]


def _adjoint(
    ctx: Context,
    function: Abstract,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    chosen: tuple[Key, ...],
    seeds: Sequence[Abstract],
    node: ast.Call,
) -> tuple[Abstract, Seq]:
    """The value of a function, and the adjoints of what is chosen."""
    one = lifted(ctx, function, args, keywords, chosen, node)
    made = one.derive("adjoint")
    flat = list(chain(*(_leaves(ctx, seed) for seed in seeds)))
    yields = spliced(ctx, made, (*one.operands, *_seeds(ctx, made, one, flat)))
    count = len(one.function.body.yields)
    bars = iter(yields[count:])
    adjoints = Seq(tuple(_bar(ctx, one.args[key], bars) for key in chosen))
    return filled(one.result, iter(yields[:count])), adjoints


def _leaves(ctx: Context, value: Abstract) -> Iterator[Abstract]:
    known = content(ctx, value)
    if isinstance(known, Seq | Struct):
        for item in known.items:
            yield from _leaves(ctx, item)
    else:
        yield value


def _seeds(
    ctx: Context, made: Function, one: Lifted, given: Sequence[Abstract]
) -> Iterable[Operand]:
    """The seeds of a derivative, each in the type of what it belongs to."""
    wanted = made.body.params[len(one.operands) :]
    if not given and len(wanted) == 1 and wanted[0].type.is_scalar:
        given = [Const(1.0, Type("float64"))]
    given = _entries(ctx, given, wanted)
    if len(given) != len(wanted):
        what = f"{len(given)} seeds for {len(wanted)}"
        ctx.refuse("AG405", what, "pass one for each number or array", kind=TypeMismatch)
    for value, param in zip(given, wanted, strict=True):
        seed = read(ctx, value)
        if seed.type.kind == "object" or {seed.type.rank, param.type.rank} & {None}:
            yield seed
            continue
        if seed.type.rank != param.type.rank:
            what = f"a seed with {seed.type.rank} axes for a value with {param.type.rank}"
            ctx.refuse("AG405", what, "give it the shape of the value", kind=TypeMismatch)
        if seed.type.is_scalar and param.type.is_array:
            seed = ctx.apply("asarray", seed)
        yield convert(ctx, seed, param.type)


def _entries(
    ctx: Context, given: Sequence[Abstract], wanted: Sequence[Value]
) -> Sequence[Abstract]:
    """A list that is one value as its entries, where these are wanted."""
    if len(given) == 1 and isinstance(given[0], Value | Ref):
        type = read(ctx, given[0]).type
        several = len(wanted) > 1 or type.rank != wanted[0].type.rank
        if type.kind == "list" and several:
            return [ctx.actions.part(ctx, given[0], const(k)) for k in range(len(wanted))]
    return given


def _program(
    ctx: Context,
    derived: Derived,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract:
    """`tangent(f)(x, x_dot)` and `adjoint(f)(x, y_bar)`: the arguments, then seeds."""
    function = derived.function
    count = len(_names(function))
    if keywords or not count:
        return ctx.refuse("AG103", "which arguments are seeds is not known", "pass them in order")
    own, seeds = args[:count], args[count:]
    chosen = _chosen(ctx, function, derived.wrt, own, {})
    if derived.kind == "tangent":
        call = Call(ctx, node, PUSH, [], {})
        return _pushed(ctx, function, own, dict(zip(chosen, seeds, strict=False)), call)
    value, bars = _adjoint(ctx, function, own, {}, chosen, seeds, node)
    return Seq((value, *bars.items))


def hvp(call: Call) -> Abstract | None:
    """`hvp(f, primals, vectors)`: the tangent of the gradient."""
    ctx = call.ctx
    function, primals, dots = (call.take(n, k) for k, n in enumerate(("f", "primals", "vectors")))
    if primals is None or dots is None or not isinstance(function, CALLABLE):
        return None
    vectors = content(ctx, dots)
    items = vectors.items if isinstance(vectors, Seq) else ()
    wrt = tuple(k for k, v in enumerate(items) if v != const(None))
    gradient = Derived("grad", function, wrt if len(wrt) > 1 else (wrt or (0,))[0])
    pair = jvp(Call(ctx, call.node, call.function, [gradient, primals, dots], {}))
    return pair.items[1] if isinstance(pair, Seq) else None


def _matrix(
    ctx: Context,
    derived: Derived,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract:
    """A Jacobian, by one tangent for each entry of the argument."""
    function, kind = derived.function, derived.kind
    if kind == "hessian":
        function = Derived("grad", function, derived.wrt)
    if keywords or derived.wrt is ... or isinstance(derived.wrt, tuple):
        return ctx.refuse("AG103", "what this is a Jacobian by is not known", "pass one position")
    (key,) = _chosen(ctx, function, derived.wrt, args, keywords)
    written, alone = defined("adjointgen.jacobian"), Derived("by one", function, key, tuple(args))
    assert written is not None
    return outline(ctx, written, [PUSH, alone, args[int(key)]], {}, node)


SPECIAL: dict[str, Special] = {
    **{
        f"adjointgen.{kind}": maker(kind)
        for kind in ("grad", "value_and_grad", "tangent", "adjoint")
    },
    **{f"adjointgen.{kind}": maker(kind) for kind in ("jacobian", "jacfwd", "jacrev", "hessian")},
    "adjointgen.jvp": jvp,
    "adjointgen.vjp": vjp,
    "adjointgen.hvp": hvp,
}
