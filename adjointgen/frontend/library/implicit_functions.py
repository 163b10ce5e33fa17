"""Functions whose result is known by an equation: the implicit function theorem for ordinary loops.

    @custom(residual=g)                  z = solve(p)  with  g(z, p) = 0
    @custom(step=h)                      z = iterate(p)  with  h(z, p) = z

The function runs as it is written, and its statements are not differentiated; statements that are
refused, as a call of a solver is that no rule is for, are run by a call of the function itself, if
an annotation says what it returns. The equation is
lowered beside the call (`callbacks.py`) and goes with `implicit` as an option, as for SciPy's
solvers (`ad/calls/implicit_equations.py`). Parameters of the equation are those of the function
under the same name; what the equation does not read, such as a start or a tolerance, has derivative
0.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.annotations.names import Names
from adjointgen.frontend.annotations.reading import Left, Unreadable
from adjointgen.frontend.annotations.type_expressions import stated_type
from adjointgen.frontend.calls.callbacks import Handing
from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.control.backtrack import Mismatch, tried
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Closure,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.functions.inlining import bind, default_of, in_module, parameters
from adjointgen.frontend.functions.specialization import outline
from adjointgen.frontend.library.scipy_root_finding import zero
from adjointgen.frontend.source.name_resolution import PASSIVE, LiveResolver
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state.context import RESULT, Context
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content, hold, new_cell, read
from adjointgen.ir.nodes import Apply, Const, Value
from adjointgen.ir.types import FLOAT, OBJECT, REAL, Dim, Type
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE
from adjointgen.watch import Declared, Held, look
from adjointgen.wrapping import decorator_of, is_harmless

FORMS = {"residual": "root", "step": "fixed"}
_STATE = "with -> float it is called as it stands"
_WRITE = "work on copies, such as x.copy(), and hand back a new array"


def directed(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract | None:
    """The result of a function that has an equation; None for any other."""
    stated = _stated(ctx, closure)
    if stated is None:
        return None
    word, equation = stated
    if not isinstance(equation, Closure):
        ctx.refuse("AG102", f"the {word} has no source", "write it as a function", node=node)
    names = _names(ctx, closure, equation, node)
    bound = _bound(ctx, closure, args, keywords, node)
    given = {name: _now(ctx, value) for name, value in bound.items()}
    found = _found(ctx, closure, bound, given, node)
    one = Call(ctx, node, Named("adjointgen.custom", "custom"), [], {})
    rest = tuple(given[name] for name in names)
    return _corrected(ctx, one, found, equation, FORMS[word], rest)


def _names(ctx: Context, closure: Closure, equation: Closure, node: ast.Call) -> list[str]:
    """The parameters of a function that its equation reads."""
    source = closure.source
    if source.arguments.vararg is not None or source.arguments.kwarg is not None:
        what = f"{source.name} takes any number of arguments"
        ctx.refuse("AG103", what, "name the arguments", node=node)
    known = [a.arg for a in parameters(source.arguments)]
    names = [a.arg for a in parameters(equation.source.arguments)]
    other = [name for name in names[1:] if name not in known]
    if other or not names:
        what = f"{source.name} lacks a parameter of its equation: {', '.join(other)}"
        if not names:
            what = f"the equation of {source.name} has no parameter"
        help = f"take the unknown first, then parameters of {source.name} by their names"
        ctx.refuse("AG402", what, help, node=node, kind=TypeMismatch)
    return names[1:]


def _call_of(source: Source) -> ast.Call:
    """`f(a, *rest, b=b)` with the function's own parameters, at its place."""
    own = source.arguments
    args: list[ast.expr] = [ast.Name(a.arg, ast.Load()) for a in (*own.posonlyargs, *own.args)]
    if own.vararg is not None:
        args.append(ast.Starred(ast.Name(own.vararg.arg, ast.Load()), ast.Load()))
    named = [ast.keyword(a.arg, ast.Name(a.arg, ast.Load())) for a in own.kwonlyargs]
    if own.kwarg is not None:
        named.append(ast.keyword(None, ast.Name(own.kwarg.arg, ast.Load())))
    call = ast.Call(ast.Name(source.name, ast.Load()), args, named)
    for part in ast.walk(call):
        ast.copy_location(part, source.node)
    return call


def as_result(ctx: Context, source: Source) -> bool:
    """The whole function as a call of itself, where it has an equation or a rule of its own."""
    closure = Closure(source)
    stated = source.has_equation and _stated(ctx, closure) is not None
    rule = None if stated or ctx.outlines.primal else _rule(source)
    if not stated and rule is None:
        return False
    first = [a.arg for a in source.arguments.posonlyargs]
    named = {a.arg: ctx.state.names[ctx.key(a.arg)] for a in parameters(source.arguments)}
    here = _call_of(source)
    if rule is not None:
        only = [a.arg for a in source.arguments.kwonlyargs]
        rest = {name: named.pop(name) for name in only}
        spread = source.arguments.vararg
        others = None if spread is None else content(ctx, named[spread.arg])
        if spread is not None and isinstance(others, Seq):
            # `def hypot(*args)` is called with the entries, one by one.
            del named[spread.arg]
        given = [*named.values(), *(others.items if isinstance(others, Seq) else ())]
        made: Abstract | None = ctx.actions.applied(ctx, rule, given, rest, here)
    else:
        held = [named.pop(name) for name in first]
        made = directed(ctx, closure, held, named, here)
    assert made is not None
    ctx.set(RESULT, hold(ctx, made, ""))
    return True


def _rule(source: Source) -> Named | None:
    """The function by its name, where a rule was declared for it."""
    live = source.resolver
    if not isinstance(live, LiveResolver):
        return None
    spelling = f"{getattr(live.identity, '__module__', '')}.{source.qualname}"
    if TABLE.find(spelling) is None or spelling.split(".")[0] in PASSIVE:
        return None
    found = live.find(source.name)
    return found if isinstance(found, Named) and found.spelling == spelling else None


def _stated(ctx: Context, closure: Closure) -> tuple[str, Abstract] | None:
    """Which word a function is declared with, and the function that is given for it."""
    source = closure.source
    for decorator in getattr(source.node, "decorator_list", ()):
        given = decorator.keywords if isinstance(decorator, ast.Call) else []
        for keyword in given:
            if keyword.arg in FORMS and _is_custom(ctx, closure, decorator_of(decorator)):
                known = _declared(source) if "." in source.qualname else None
                return known or (keyword.arg, _meant(ctx, closure, keyword.value))
    return _declared(source)


def _declared(source: Source) -> tuple[str, Abstract] | None:
    """The same of a live function, where its decorator alone does not tell."""
    live = source.resolver
    if not isinstance(live, LiveResolver):
        return None
    if getattr(live.identity, "__qualname__", "") != source.qualname:
        return None  # a function that stands inside the live one
    found = look(Held(live.identity, Declared.equations.get), "equation")
    if not isinstance(found, tuple):
        return None
    return found[0], live.classify(found[1], "", "")


def _is_custom(ctx: Context, closure: Closure, node: ast.expr) -> bool:
    named = _meant(ctx, closure, node)
    spelling = named.spelling if isinstance(named, Named) else ""
    return is_harmless(spelling) and spelling.endswith(".custom")


def _meant(ctx: Context, closure: Closure, node: ast.expr) -> Abstract:
    """What an expression of a decorator stands for, where the function is defined."""
    if closure.frame < 0:
        return in_module(ctx, closure.source, node)
    inner, ctx.frame = ctx.frame, ctx.frames[closure.frame]
    try:
        return ctx.expression(node)
    finally:
        ctx.frame = inner


def _bound(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> dict[str, Abstract]:
    """The arguments by name, defaults included."""
    source = closure.source
    return {
        name: default_of(ctx, source, name, value) if isinstance(value, ast.expr) else value
        for name, value in bind(ctx, closure, args, keywords, node).items()
    }


def _now(ctx: Context, value: Abstract) -> Abstract:
    """What an argument is before the function runs."""
    known = content(ctx, value)
    if isinstance(known, Seq | Struct):
        return known.of(_now(ctx, item) for item in known.items)
    return read(ctx, known) if isinstance(known, Ref | Outside) else known


def _found(
    ctx: Context,
    closure: Closure,
    bound: Mapping[str, Abstract],
    given: Mapping[str, Abstract],
    node: ast.Call,
) -> Value:
    """What the function gives, as a constant."""
    source = closure.source
    # What is in a cell keeps its name while the function is lowered.
    kept = new_cell(ctx, Seq(tuple(given.values())), "")
    before = dict(ctx.state.cells)
    plain = replace(closure, source=replace(source, directed=False))
    first = [bound[a.arg] for a in source.arguments.posonlyargs]
    named = dict(list(bound.items())[len(first) :])
    made = _run(ctx, plain, first, named, node)
    if (isinstance(made, Ref) and made.cell in before) or not _are_untouched(ctx, before):
        ctx.refuse("AG113", f"{source.name} writes into its arguments", _WRITE, node=node)
    ctx.state.cells.update(before)
    del ctx.state.cells[kept.cell]
    if isinstance(content(ctx, made), Seq | Struct):
        what = f"{source.name} gives several values"
        ctx.refuse("AG102", what, "hand back one array of all unknowns", node=node)
    x = read(ctx, made)
    if isinstance(x, Const) or x.type.dtype not in REAL or x.type.rank is None:
        what = f"what {source.name} gives is not known to be a float, or an array of floats"
        ctx.refuse("AG102", what, "state it, as in float(x) or np.array(x)", node=node)
    return ctx.apply("stop_gradient", x)


def _run(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract:
    """What the function gives: its statements, or where these are refused, a call of itself."""
    made = tried(ctx, lambda: outline(ctx, closure, args, keywords, node))
    if not isinstance(made, Mismatch):
        return made
    type, function = _returned(closure), _by_name(closure)
    if function is None or made.error.code == "AG113":
        raise made.error
    if type is None:
        made.error.help += f"; or state what {closure.source.name} gives: {_STATE}"
        raise made.error
    holes = Holes(ctx)
    texts = [*map(holes.fill, args), *(f"{k}={holes.fill(v)}" for k, v in keywords.items())]
    call = f"{holes.fill(function)}({', '.join(texts)})"
    text = f"float({call})" if type == FLOAT else call
    return verbatim(ctx, text, holes.operands, type, solver=True)


def _returned(closure: Closure) -> Type | None:
    """The type of the result by the annotation, where it is a float or an array of known rank."""
    source, returns = closure.source, getattr(closure.source.node, "returns", None)
    if returns is None:
        return None
    try:
        type = stated_type("result", returns, Names(source.file, source.text))
    except (Left, Unreadable):
        return None
    return type if isinstance(type, Type) and type.dtype in REAL else None


def _by_name(closure: Closure) -> Outside | None:
    """A function of a module, by the name that it has there."""
    source = closure.source
    if closure.frame >= 0 or "." in source.qualname:
        return None
    found = source.resolver.find(source.name)
    if not isinstance(found, Closure) or found.source.node is not source.node:
        return None
    return Outside(source.name, OBJECT, source.resolver.function_line(source.name))


def _are_untouched(ctx: Context, before: Mapping[int, object]) -> bool:
    """Whether arrays are as they were, code aside that is not read: it is declared not to write."""
    versions: dict[str, object] = {}
    for stmt in ctx.blocks[-1]:
        writes = stmt.option("writes") if isinstance(stmt, Apply) else None
        if isinstance(stmt, Apply) and isinstance(writes, tuple):
            for result, k in zip(stmt.results[-len(writes) :], writes, strict=True):
                versions[result.name] = stmt.args[k]
    for cell, held in before.items():
        now: object = ctx.state.cells.get(cell)
        while now is not held and isinstance(now, Value) and now.name in versions:
            now = versions[now.name]
        if now is not held and now != held:
            return False
    return True


def _corrected(
    ctx: Context, one: Call, x: Value, equation: Closure, form: str, rest: tuple[Abstract, ...]
) -> Value:
    """The result, with its equation."""
    several = x.type.rank is not None and x.type.rank > 1
    lengths = tuple(ctx.apply("dim", x, axis=k) for k in range(x.type.rank or 0))
    flat = ctx.apply("ravel", x) if several else x
    shape: tuple[Dim | None, ...] = flat.type.shape or ()
    unknown = Type(x.type.dtype, shape, flat.type.kind)
    handed = Handing(one, (), {}, (unknown,), rest, lengths if several else ())
    residual, free = handed.region(equation, lambda u, y: zero(ctx, form, u, y))
    made = ctx.apply("implicit", flat, *free, residual=residual, form="root")
    return ctx.apply("reshape", made, *lengths) if several else made
