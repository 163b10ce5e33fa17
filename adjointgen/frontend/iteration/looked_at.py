"""Whether what runs between the entries of an object can tell that they were all taken before.

    for k, group in groupby(v): len(list(group))     a group is empty once the next one is there
    for a, b in reader: reader.line_num              says how far the reader has come
    for p, q in zip(a, b): a.append(p)               the loop comes to what is appended

Code that only computes numbers from entries and parts of entries cannot. What only looks may run
over the entries of a list, which are there anyway; what may change an object may not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Closure,
    Lazy,
    Module,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
    Zipped,
    is_iterator,
)
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.expressions.arithmetic import static_items
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.observed_kinds import was_listed
from adjointgen.frontend.state.passthrough import statement
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import OBJECT
from adjointgen.records import dataclass
from adjointgen.rules.framework.table import TABLE

BLIND, LOOKS, CHANGES = 0, 1, 2
_NUMBERS = ("float", "int", "bool", "complex", "abs", "round", "str", "isinstance", "type")
_READING = ("len", "sum", "list", "tuple", "min", "max", "sorted", "any", "all", "enumerate", "zip")
_CONVERSIONS = {f"builtins.{name}" for name in _NUMBERS}
_READERS = {f"builtins.{name}" for name in (*_READING, "range", "reversed", "set", "dict", "print")}


@contextmanager
def between(
    ctx: Context, nodes: Sequence[ast.AST], over: ast.expr | None = None, leaves: bool = False
) -> Iterator[None]:
    """What runs for each entry of what is run `over`, and whether it leaves the loop, while that is
    looked at."""

    def level() -> int:
        bound = _bound(nodes)
        alone = over is not None and _Watch(ctx, bound).is_new(over)
        found = _Watch(ctx, bound, alone).of(nodes)
        return max(found, LOOKS if leaves and not alone else BLIND)

    before = ctx.between
    ctx.between = (*before, level)
    yield
    ctx.between = before


def check_listed(ctx: Context, value: Operand) -> None:
    """Refuse an object whose entries may not be taken out of it before the first is worked on.

    What has no length is no list, tuple or dict: the program asks where it is run.
    """
    level = max([found() for found in ctx.between], default=BLIND)
    if level == BLIND or (level == LOOKS and is_listed(ctx, value)):
        return
    if level == CHANGES:
        what = "what is looped over is not known, and the loop may change it"
        ctx.refuse("AG106", what, "loop over list(...), or over the object alone")
    said = "an iterator that is not known is looped over beside others; loop over list(...)"
    test = "not hasattr(type(_0_), '__len__')"
    code = f'if {test}: raise NotImplementedError("{said}")'
    statement(ctx, code, (value,), raises="NotImplementedError")


def is_listed(ctx: Context, value: Abstract) -> bool:
    """Whether an object is known to be a list or tuple, by a test that the program has made."""
    operand = read(ctx, value) if isinstance(value, Value | Ref) else value
    return isinstance(operand, Value) and was_listed(ctx, operand)


def only_looks(ctx: Context, nodes: Sequence[ast.AST]) -> bool:
    """Whether code changes no object that another name leads to."""
    return _Watch(ctx, _bound(nodes)).of(nodes) < CHANGES


def parts_of(generators: Sequence[ast.comprehension], element: ast.expr) -> list[ast.AST]:
    """What a comprehension evaluates for each entry of the first thing that it runs over."""
    first, *rest = generators
    return [first.target, *first.ifs, *rest, element]


def objects_in(ctx: Context, value: Abstract) -> Iterator[Value]:
    """The objects of which nothing is known that are taken apart where a value is run over."""
    match value:
        case Ref() if is_iterator(held := content(ctx, value)):
            yield from objects_in(ctx, held.items[0])
        case Zipped(parts=parts):
            for part in parts:
                yield from objects_in(ctx, part)
        case Lazy(over=over):
            yield from objects_in(ctx, over)
        case Value() | Ref() if not isinstance(content(ctx, value), Seq | Struct):
            operand = read(ctx, value)
            known = static_items(ctx, value) is not None
            if isinstance(operand, Value) and operand.type.kind == "object" and not known:
                yield from () if operand.name in ctx.tables else (operand,)


def is_blind(ctx: Context, nodes: Sequence[ast.AST]) -> bool:
    """Whether code only computes numbers from entries and parts of entries."""
    return _Watch(ctx, _bound(nodes)).of(nodes) == BLIND


def _bound(nodes: Iterable[ast.AST]) -> frozenset[str]:
    parts = [part for node in nodes for part in ast.walk(node)]
    stored = {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
    return frozenset(stored | {p.arg for p in parts if isinstance(p, ast.arg)})


@dataclass(frozen=True, slots=True)
class _Watch:
    """Code with the names that it binds; the object is `alone` if no other name leads to it."""

    ctx: Context
    bound: frozenset[str]
    alone: bool = False

    def of(self, nodes: Iterable[ast.AST]) -> int:
        """What code does with objects, at most."""
        return max([self.one(part) for node in nodes for part in ast.walk(node)], default=BLIND)

    def one(self, node: ast.AST) -> int:
        match node:
            case ast.Call():
                return self.call(node)
            case ast.Attribute(value=inner, ctx=ast.Load()):
                return LOOKS if self.is_outer(inner) else BLIND
            case ast.Subscript(value=inner) | ast.Attribute(value=inner) if not isinstance(
                node.ctx, ast.Load
            ):
                return CHANGES if self.is_object(inner) else BLIND
            case ast.AugAssign(target=ast.Name(id=name)):
                # `a += b` changes a list in place.
                return CHANGES if self.value_of(name, unbound=False) else BLIND
            case ast.For(iter=inner) | ast.comprehension(iter=inner) | ast.Starred(value=inner):
                return LOOKS if self.is_object(inner) else BLIND
            case ast.Compare(comparators=parts, ops=ops):
                asks = any(isinstance(op, ast.In | ast.NotIn) for op in ops)
                return LOOKS if asks and any(map(self.is_object, parts)) else BLIND
            case ast.Assign(targets=targets, value=value):
                return self.assigned(targets, value)
            case ast.Tuple(elts=parts, ctx=ast.Store()):
                return LOOKS if any(isinstance(p, ast.Tuple | ast.List) for p in parts) else BLIND
        return BLIND

    def assigned(self, targets: Sequence[ast.expr], value: ast.expr) -> int:
        if self.is_outer(value) and isinstance(value, ast.Name):
            # It has another name from now on.
            return CHANGES
        unpacks = any(isinstance(target, ast.Tuple | ast.List) for target in targets)
        return LOOKS if unpacks and self.is_object(value) else BLIND

    def call(self, node: ast.Call) -> int:
        """What a call may do with what it is given."""
        given = [*node.args, *(k.value for k in node.keywords)]
        named = self.callee(node.func)
        if named in _CONVERSIONS:
            return BLIND
        if isinstance(node.func, ast.Attribute) and self.is_object(node.func.value):
            return CHANGES if self.is_outer(node.func.value) else LOOKS
        if isinstance(node.func, ast.Name) and self.is_nested(node.func.id):
            return CHANGES
        if named in _READERS or (named and TABLE.find(named) is not None):
            return LOOKS if any(map(self.is_object, given)) else BLIND
        if any(map(self.is_outer, given)):
            return CHANGES
        return BLIND if self.alone and not any(map(self.is_object, given)) else LOOKS

    def is_new(self, over: ast.expr) -> bool:
        """Whether an object is made there, out of none, so that nothing else leads to it."""
        if not isinstance(over, ast.Call) or self.is_object(over):
            return False
        spelling = self.callee(over.func)
        return bool(spelling) and isinstance(live(spelling)[1], type)

    def is_nested(self, name: str) -> bool:
        """Whether a function that is defined here reads objects of this one."""
        found = None if name in self.bound else lookup(self.ctx, name)
        if not isinstance(found, Closure) or found.frame not in self.ctx.frames:
            return False
        inside = found.source.node
        watch = _Watch(self.ctx, _bound([inside]))
        names = (part for part in ast.walk(inside) if isinstance(part, ast.Name))
        return any(watch.is_outer(part) for part in names)

    def callee(self, function: ast.expr) -> str:
        """The name that a function has where it is defined."""
        attributes = []
        while isinstance(function, ast.Attribute):
            attributes.append(function.attr)
            function = function.value
        if not isinstance(function, ast.Name) or function.id in self.bound:
            return ""
        found = lookup(self.ctx, function.id)
        if not isinstance(found, Named | Module):
            return ""
        home = found.spelling if isinstance(found, Named) else found.name
        return ".".join([home, *reversed(attributes)])

    def is_object(self, node: ast.AST) -> bool:
        """Whether an expression may give, or hold, an object that is not known."""
        return any(self.value_of(name) is not None for name in self.names(node))

    def is_outer(self, node: ast.AST) -> bool:
        """Whether it may do so by a name that the code does not bind."""
        return any(n not in self.bound and self.value_of(n) for n in self.names(node))

    def names(self, node: ast.AST) -> Iterator[str]:
        """The names of which a value is made, but for those that numbers are made of."""
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Compare() | ast.Constant() | ast.JoinedStr() | ast.Lambda():
                return
            case ast.Call(func=function, args=args, keywords=keywords):
                if self.callee(function) in _CONVERSIONS:
                    return
                owner = [function.value] if isinstance(function, ast.Attribute) else []
                for given in (*owner, *args, *(k.value for k in keywords)):
                    yield from self.names(given)
            case _:
                for part in ast.iter_child_nodes(node):
                    yield from self.names(part)

    def value_of(self, name: str, unbound: bool = True) -> Abstract | None:
        """What a name stands for, if that is, or may become, an object that is not known."""
        found = self.ctx.get(name)
        if self.alone and name not in self.bound:
            return None
        if found == ABSENT:
            if name in self.bound:
                return Outside(name, OBJECT) if unbound else None
            found = lookup(self.ctx, name)
            return found if isinstance(found, Outside) else None
        held = self.ctx.state.cells.get(found.cell) if isinstance(found, Ref) else found
        if isinstance(held, Seq | Struct):
            return None
        return found if isinstance(held, Value) and held.type.kind == "object" else None
