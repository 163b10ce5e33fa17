"""Statements that are copied as they stand and give names a meaning, in a program that stands for
the user's function: definitions that stay definitions, blocks under managers that are not known.

    with _0_.assertRaises(E) as _b0_:      the statement of the operands 0 and 1, which gives _b0_
        float(_1_)

`_b0_` is the name of the first result. What is bound is an object. A name that stood for something
before is bound to that first, since a manager may end its block early. A function that is defined
here reads the names around it when it is called, so these may be bound only once.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy

from adjointgen.frontend.domain.abstract_values import ABSENT, Absent, Abstract, Seq, Struct
from adjointgen.frontend.functions.inlining import own_nodes, parameters
from adjointgen.frontend.source.copied_code import dedented, offset
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.introspection import check
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.scope_lookup import lookup

Keeps = Callable[[Context, Holes], dict[str, object]]

_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_PLACEHOLDER = re.compile(r"\b_b?\d+_\b")


def bound_statement(
    ctx: Context, node: ast.stmt, pure: bool = False, keeps: Keeps = lambda _ctx, _holes: {}
) -> None:
    """Copy a statement; the names that it binds stand for what it makes of them.

    What it `keeps` of its operands, or does to them, are options of the statement.

    Raises Unsupported where that would not be what Python does.
    """
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    if decorators:
        _decorated(ctx, node, decorators)
        return
    check(ctx, node)
    text, names = ctx.text(node), sorted(_bound(node, own=True))
    _check_statement(ctx, node, text, names, pure)
    holes = Holes(ctx, writes=True)
    swaps = [*_swaps(ctx, node, names, holes)]
    before = [f"_b{k}_ = {fill}" for k, fill in _older(ctx, node, names, holes)]
    for at, end, new in sorted(swaps, reverse=True):
        text = text[:at] + new + text[end:]
    ctx.node = node
    text = "\n".join([*before, dedented(text, node)])
    made = statement(
        ctx,
        text,
        holes.operands,
        holes.refs,
        bound=names,
        **(holes.keeping() | keeps(ctx, holes)),
        **_pure(pure),
    )
    for name, value in zip(names, made, strict=True):
        ctx.set(name, value)


def _check_statement(ctx: Context, node: ast.stmt, text: str, names: list[str], pure: bool) -> None:
    """Refuse a statement that would not do the same elsewhere."""
    if ctx.liveness.of(node).jumps or _PLACEHOLDER.search(text):
        _refuse(ctx, node, "leaves by a jump")
    if any(isinstance(part, ast.AnnAssign) and not part.simple for part in ast.walk(node)):
        _refuse(ctx, node, "annotates a name in parentheses")
    if ctx.catching and not pure:
        _refuse(ctx, node, "may raise inside a `try`")
    if not ctx.frame.shared.isdisjoint(names):
        _refuse(ctx, node, "binds names of the module")


def _decorated(ctx: Context, node: ast.AST, decorators: list[ast.expr]) -> None:
    """`@d` above a definition: the name stands for what `d` makes of it."""
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    makers = [ctx.expression(decorator) for decorator in decorators]
    plain = copy(node)
    plain.decorator_list = []
    bound_statement(ctx, plain, pure=True)
    for maker in reversed(makers):
        holes = Holes(ctx)
        code = f"{holes.fill(maker)}({holes.fill(ctx.get(node.name))})"
        ctx.set(node.name, verbatim(ctx, code, holes.operands))


def _pure(pure: bool) -> dict[str, bool]:
    return {"effect": False} if pure else {}


def _refuse(ctx: Context, node: ast.AST, why: str) -> None:
    kind = type(node).__name__.lower()
    ctx.refuse(
        "AG101",
        f"`{kind}` around values that are used later",
        "move it into a function of its own, or out of the differentiated function",
        label=why,
        node=node,
    )


OWN, NOW, LATER = range(3)
"""Where a part of a statement runs: in its scope, at once in a scope inside it, or some time."""


def _inside(node: ast.AST) -> Iterator[tuple[ast.AST, int]]:
    """The nodes of a statement, with where they run."""
    stack = [(node, OWN)]
    while stack:
        part, where = stack.pop()
        yield part, where
        inner = where
        if isinstance(part, ast.ClassDef | ast.ListComp | ast.SetComp | ast.DictComp):
            inner = max(where, NOW)
        elif isinstance(part, _SCOPES):
            inner = LATER
        head = {id(n) for n in _head(part)}
        stack += [(c, where if id(c) in head else inner) for c in ast.iter_child_nodes(part)]


def _head(node: ast.AST) -> list[ast.AST]:
    """The parts of a definition that are evaluated where it stands."""
    match node:
        case ast.ClassDef():
            return [*node.bases, *node.keywords, *node.decorator_list]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list]
    return []


def _bound(node: ast.stmt, own: bool) -> frozenset[str]:
    """The names that a statement binds in its scope, or in those inside it."""
    found: set[str] = set()
    for part, where in _inside(node):
        if isinstance(part, ast.arg):
            found |= set() if own else {part.arg}
        if (where == OWN) != own:
            continue
        match part:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                found.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                found |= {(a.asname or a.name).partition(".")[0] for a in aliases}
    return frozenset(found)


def _swaps(
    ctx: Context, node: ast.stmt, names: list[str], holes: Holes
) -> Iterator[tuple[int, int, str]]:
    """What stands in the place of which part of the text."""
    inner = _bound(node, own=False)
    for part, where in _inside(node):
        unseen = isinstance(part, _UNSEEN) and where == OWN
        if (unseen and getattr(part, "name", "") is not None) or isinstance(
            part, ast.Nonlocal | ast.Global
        ):
            _refuse(ctx, node, "binds a name in a way that is not followed")
        if where == OWN and isinstance(part, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield _name_of(ctx, node, part, names)
        if isinstance(part, ast.Name):
            yield from _name(ctx, node, part, where, names, inner, holes)


_UNSEEN = (
    *(ast.Import, ast.ImportFrom, ast.ExceptHandler, ast.MatchAs, ast.MatchStar),
    *(ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await),
)


def _name_of(
    ctx: Context,
    node: ast.stmt,
    part: ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef,
    names: list[str],
) -> tuple[int, int, str]:
    """The name of a definition, after its keyword."""
    text = ctx.text(node)
    start = 0 if part is node else offset(ctx.frame.source, node, part)
    found = re.compile(rf"\b(?:def|class)\s+({part.name})\b").search(text, start)
    assert found is not None
    return found.start(1), found.end(1), f"_b{names.index(part.name)}_"


def _name(
    ctx: Context,
    node: ast.stmt,
    part: ast.Name,
    where: int,
    names: list[str],
    inner: frozenset[str],
    holes: Holes,
) -> Iterator[tuple[int, int, str]]:
    name, later = part.id, where == LATER
    at = offset(ctx.frame.source, node, part)
    if later and name in ctx.frame.locals and not _once(ctx, name):
        _refuse(ctx, node, f"{name} may be bound again before it is read")
    two = name in names or (name in ctx.frame.locals and (where == OWN or ctx.get(name) != ABSENT))
    if name in inner and two:
        _refuse(ctx, node, f"{name} stands for two things")
    if name in names:
        yield at, at + len(name), f"_b{names.index(name)}_"
    elif name not in inner:
        yield from _value(ctx, node, name, later, at, holes)


def _value(
    ctx: Context, node: ast.stmt, name: str, later: bool, at: int, holes: Holes
) -> Iterator[tuple[int, int, str]]:
    """What stands in the place of a name that the statement does not bind."""
    value = lookup(ctx, name)
    if isinstance(value, Absent):
        if name in ctx.frame.locals:
            _refuse(ctx, node, f"{name} is not defined here")
        return
    new = holes.fill(_single(ctx, value) if later else value)
    yield at, at + len(name), new if new.isidentifier() else f"({new})"


def _single(ctx: Context, value: Abstract) -> Abstract:
    """One object for all that read it later."""
    if not isinstance(value, Seq | Struct):
        return value
    holes = Holes(ctx)
    return verbatim(ctx, holes.fill(value), holes.operands)


def _once(ctx: Context, name: str) -> bool:
    """Whether a name of the function stands for one thing all the time."""
    if name not in ctx.frame.locals:
        return True
    source = ctx.frame.source
    found: Counter[str] = Counter(a.arg for a in parameters(source.arguments))
    loops = 0
    for part in own_nodes(source.node):
        match part:
            case ast.Name(id=bound, ctx=ast.Store() | ast.Del()):
                found[bound] += 1
            case ast.FunctionDef(name=bound) | ast.ClassDef(name=bound):
                found[bound] += 1
            case ast.For() | ast.While():
                stored = {
                    n.id
                    for n in ast.walk(part)
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                }
                stored |= {
                    n.name for n in ast.walk(part) if isinstance(n, ast.FunctionDef | ast.ClassDef)
                }
                loops += name in stored
    return found[name] <= 1 and not loops


def _older(
    ctx: Context, node: ast.stmt, names: list[str], holes: Holes
) -> Iterator[tuple[int, str]]:
    """The names that stand for something before, by number, with that."""
    definition = isinstance(node, ast.FunctionDef | ast.ClassDef)
    for k, name in enumerate(names):
        value = ctx.get(name)
        if value != ABSENT and not definition:
            yield k, holes.fill(value)
