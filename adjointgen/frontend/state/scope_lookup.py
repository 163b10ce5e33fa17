"""Which names of a piece of code stand for what the frontend knows, and what that is."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping

from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Class,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.source.copied_code import scoped
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state.context import Context, Frame
from adjointgen.frontend.state.storage_cells import content, read, shown_type
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import OBJECT


def is_spelled(part: ast.expr) -> bool:
    """Whether this is a name that text can have; those of the frontend's own hold a dot."""
    return isinstance(part, ast.Name) and part.id.isidentifier()


def swapped(
    ctx: Context, node: ast.AST, bound: frozenset[str], known: Mapping[ast.expr, Abstract]
) -> Iterator[ast.expr]:
    """What other text stands for: names, what is asked of instances, and lengths of arrays.

    So do attributes of the module's objects that are variables of the program.

    Instances have no text, and lengths do not depend on what is in an array.
    """
    left = deque([(node, bound)])
    while left:
        part, inside = left.popleft()
        match part:
            case ast.expr() if part in known:
                yield part
            case ast.Name(id=name, ctx=ast.Load()) if name not in inside:
                yield part
            case ast.Attribute(ctx=ast.Load()) | ast.Call() if _asks_instance(ctx, part, inside):
                yield part
            case ast.Attribute(ctx=ast.Load()) | ast.Call() if _asks_shape(ctx, part, inside):
                yield part
            case ast.Attribute(ctx=ast.Load()) if _is_variable(ctx, part, inside):
                yield part
            case other:
                left.extend(scoped(other, inside))


def _is_variable(ctx: Context, node: ast.Attribute, bound: frozenset[str]) -> bool:
    """Whether this may be an attribute that is a variable of the program, or one under its name.

    Where there are such variables, copied code is given numbers, arrays and texts of objects, not
    these.
    """
    promoted = ctx.outlines.facts.promoted
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    if not promoted or not isinstance(inner, ast.Name) or inner.id in bound:
        return False
    if any(name == node.attr for _, name in promoted):
        return True
    held = ctx.state.names.get(ctx.key(inner.id))
    if not isinstance(held, Outside | Value) or read(ctx, held).type != OBJECT:
        return False
    with ctx.block(ctx.state.fork()):
        found = ctx.expression(node)
    text = isinstance(found, Const) and isinstance(found.value, str)
    return text or (isinstance(found, Const | Value) and found.type != OBJECT)


def _asks_instance(ctx: Context, node: ast.expr, bound: frozenset[str]) -> bool:
    """Whether this is `obj.a.b` or `obj.f(x)` of an instance that the function has made."""
    inner = node.func if isinstance(node, ast.Call) else node
    if not isinstance(inner, ast.Attribute):
        return False
    if inner is node and mangled(ctx, inner.attr) != inner.attr:
        return True
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    if not isinstance(inner, ast.Name) or any(
        isinstance(n, ast.Name) and n.id in bound for n in ast.walk(node)
    ):
        return False
    known = content(ctx, lookup(ctx, inner.id))
    if not (isinstance(known, Struct) and isinstance(known.kind, Class)):
        return False
    live = ctx.memo.get(("live", known.place))
    if issubclass(known.kind.type, tuple) or (live is not None and live[2] == known):
        return False
    return not isinstance(node, ast.Call) or not _is_of_object(ctx, node.func, known)


def _is_of_object(ctx: Context, callee: ast.expr, known: Struct) -> bool:
    """Whether `obj.a.f` is a method of an attribute of which nothing is known, or `obj.f` is
    itself such an attribute."""
    steps: list[str] = []
    while isinstance(callee, ast.Attribute):
        steps.insert(0, callee.attr)
        callee = callee.value
    held: Abstract | None = known
    for name in steps:
        held = content(ctx, held) if held is not None else None
        if isinstance(held, Value):
            return held.type == OBJECT
        held = held.get(name) if isinstance(held, Struct) else None
    held = content(ctx, held) if held is not None else None
    return isinstance(held, Value) and held.type == OBJECT


def mangled(ctx: Context, name: str) -> str:
    """The name that an attribute has which is written in a method."""
    frame: Frame | None = ctx.frame
    while frame is not None and frame.home is None:
        frame = ctx.frames.get(frame.outer)
    return name if frame is None else private(frame.home, name)


def home_of(source: Source) -> type | None:
    """The class that a function stands in by its text, if it is known: the home of its names.

    The cell `__class__` holds it where the function has one; else the module's names lead to it.
    """
    code = getattr(source.resolver.identity, "__code__", None)
    path = getattr(code, "co_qualname", "").split(".")[:-1]
    if not path or path[-1] == "<locals>":
        return None
    found = source.resolver.find("__class__")
    if not isinstance(found, Class):
        found = ABSENT if "<locals>" in path else source.resolver.find(path[0])
        path = path[1:]
    else:
        path = []
    home: object = found.type if isinstance(found, Class) else None
    for name in path:
        home = vars(home).get(name) if isinstance(home, type) else None
    return home if isinstance(home, type) else None


def live_resolver(ctx: Context) -> LiveResolver | None:
    """What looks up methods of live classes: in a definition of our own, that of its caller."""
    frames = (ctx.frame, *ctx.frames.values())
    found = (frame.source.resolver for frame in frames)
    return next((one for one in found if isinstance(one, LiveResolver)), None)


def private(home: type | None, name: str) -> str:
    """The name that `__a` stands for in a class: `_C__a`."""
    if home is None or not name.startswith("__") or name.endswith("__"):
        return name
    stem = home.__name__.lstrip("_")
    return f"_{stem}{name}" if stem else name


def _asks_shape(ctx: Context, node: ast.expr, bound: frozenset[str]) -> bool:
    """Whether this is `a.shape`, `a.size` or `len(a)` of an array of floats, or the length of a
    list that is known."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr="shape" | "size" | "ndim"):
            pass
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]):
            if "len" in bound or lookup(ctx, "len") != Named("builtins.len", "len"):
                return False
        case _:
            return False
    value = lookup(ctx, name) if name not in bound else ABSENT
    if isinstance(content(ctx, value), Seq) and isinstance(node, ast.Call):
        return not ctx.outlines.primal
    if not isinstance(value, Value | Ref) or isinstance(content(ctx, value), Seq | Struct):
        return False
    type = shown_type(ctx, ctx.state, value)
    return type.is_array and type.is_differentiable and bool(type.rank)


def _is_local(ctx: Context, name: str) -> bool:
    """Whether a name belongs to this function, or to one that it is written in."""
    frame: Frame | None = ctx.frame
    while frame is not None:
        if name in frame.locals and name not in frame.shared:
            return True
        frame = ctx.frames.get(frame.outer)
    return False


def read_later(ctx: Context) -> frozenset[str]:
    """The names that may be read after the statement at hand, by whichever function."""
    return ctx.live | ctx.frame.lent | ctx.frame.shared


def lookup(ctx: Context, name: str) -> Abstract:
    """What a name stands for: local, of an enclosing function, global or built in."""
    found = ctx.get(name)
    if found != ABSENT or _is_local(ctx, name):
        return found
    resolver = ctx.frame.source.resolver
    found = resolver.find(name)
    if isinstance(found, Outside) and found.type == OBJECT:
        made = resolver.definition(name)
        if made is not None:
            return Outside(name, ctx.actions.evaluated(ctx, made), found.line)
    if isinstance(found, Const):
        ctx.folded[name] = found.value
    elif isinstance(found, Seq):
        ctx.folded[name] = tuple(i.value if isinstance(i, Const) else str(i) for i in found.items)
    return found


def undefined(ctx: Context, name: str) -> str:
    """What Python says of a name that nothing binds; "" where something may."""
    resolver = ctx.frame.source.resolver
    functions = (frame.source.node for frame in (ctx.frame, *ctx.frames.values()))
    if any(_binds(node, name) for function in functions for node in ast.walk(function)):
        return ""
    lacks = isinstance(resolver, LiveResolver) and resolver.lacks(name)
    return f"name '{name}' is not defined" if lacks else ""


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a node binds a name in some scope: also one that only a closure still sees."""
    names = [getattr(node, field, "") for field in ("id", "name", "arg", "asname", "rest")]
    heads = [str(one).partition(".")[0] for one in names]
    return name in heads and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def never_bound(ctx: Context, target: ast.Name) -> bool:
    """Whether nothing can have bound a local name before it is deleted."""
    name, function = target.id, ctx.frame.source.node
    if ctx.get(name) != ABSENT or name in ctx.frame.lent | ctx.frame.shared:
        return False
    loops = [n for n in ast.walk(function) if isinstance(n, ast.For | ast.While)]
    around = [set(ast.walk(loop)) for loop in loops]
    again = set[ast.AST]().union(*(inside for inside in around if target in inside))
    for node in ast.walk(function):
        names = (getattr(node, field, "") for field in ("id", "name", "arg", "asname"))
        read = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
        if name in names and not read and (node in again or _is_before(node, target)):
            return False
    return True


def _is_before(node: ast.AST, other: ast.AST) -> bool:
    places = [(getattr(n, "lineno", 0), getattr(n, "col_offset", 0)) for n in (node, other)]
    return places[0] < places[1]
