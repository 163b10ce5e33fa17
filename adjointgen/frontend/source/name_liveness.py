"""Which names a piece of source reads before it assigns them, and which it assigns for certain.

    gen(s; t)  = gen(s) | (gen(t) - kill(s))          kill(s; t)  = kill(s) | kill(t)
    gen(if)    = gen(test) | gen(then) | gen(else)    kill(if)    = kill(then) & kill(else)
    gen(loop)  = gen(test) | gen(body)                live at its head = gen(loop) | live after it

What is dead at the head of a loop is not carried, and what is dead after a branch is not joined: a
name that is assigned before it is read in every iteration is no state of the loop. The equations
are those of live variables (Aho, Lam, Sethi, Ullman 2007, section 9.2.5), on structured code, where
one pass from the leaves up suffices. A path that leaves by a jump assigns everything, vacuously.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterable, Sequence

from adjointgen.frontend.source.generator_bodies import Hand
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.opaque_writes import WRITERS

Names = frozenset[str]
NOTHING: Names = frozenset()


@dataclass(frozen=True, slots=True)
class Facts:
    """`gen` and `kill` of a node, all names it binds, those it writes into, and its jumps.

    `kill` is None where every path leaves by a jump. `pinned` names are read by nested functions,
    at times that are not known here.
    """

    gen: Names = NOTHING
    kill: Names | None = NOTHING
    binds: Names = NOTHING
    updates: Names = NOTHING
    writes: Names = NOTHING
    jumps: Names = NOTHING
    pinned: Names = NOTHING

    def hands_on(self, live: Names) -> bool:
        """Whether what comes after depends on what this does, where `live` names may be read."""
        return bool(self.jumps or (self.binds | self.updates) & live or self.writes)


_UNITED = ("binds", "updates", "writes", "jumps", "pinned")
"""The facts of a sequence that are those of any of its nodes."""


def _without(names: Names, kill: Names | None) -> Names:
    return NOTHING if kill is None else names - kill


def then(a: Facts, b: Facts) -> Facts:
    """`a; b`."""
    kill = None if a.kill is None or b.kill is None else a.kill | b.kill
    return _merged(a, b, a.gen | _without(b.gen, a.kill), kill)


def either(a: Facts, b: Facts) -> Facts:
    """`a` or `b`."""
    return _merged(a, b, a.gen | b.gen, _common(a.kill, b.kill))


def _common(a: Names | None, b: Names | None) -> Names | None:
    if a is None or b is None:
        return b if a is None else a
    return a & b


def _merged(a: Facts, b: Facts, gen: Names, kill: Names | None) -> Facts:
    return Facts(
        gen,
        kill,
        a.binds | b.binds,
        a.updates | b.updates,
        a.writes | b.writes,
        a.jumps | b.jumps,
        a.pinned | b.pinned,
    )


def is_endless(node: ast.For | ast.While) -> bool:
    """Whether only a jump leads out of a loop."""
    return (
        isinstance(node, ast.While)
        and isinstance(node.test, ast.Constant)
        and bool(node.test.value)
    )


class Liveness:
    """The facts of every node of one function, computed once each."""

    def __init__(self) -> None:
        self._known: dict[ast.AST, Facts] = {}
        self._beside: dict[ast.AST, tuple[frozenset[str], frozenset[str]]] = {}

    def beside(self, node: ast.AST, reads: frozenset[str], binds: frozenset[str]) -> None:
        """Names that are read and bound where a node is, though its text has them not."""
        self._beside[node] = reads, binds

    def of(self, node: ast.AST | None) -> Facts:
        """The facts of a node."""
        if node is None:
            return Facts()
        if node not in self._known:
            facts = self._facts(node)
            reads, binds = self._beside.get(node, (NOTHING, NOTHING))
            if reads:
                facts = replace(facts, gen=facts.gen | reads, binds=facts.binds | binds)
            self._known[node] = facts
        return self._known[node]

    def sequence(self, nodes: Iterable[ast.AST | None]) -> Facts:
        """The facts of nodes one after the other."""
        gen, kill, gone = set[str](), set[str](), False
        rest = tuple(set[str]() for _ in _UNITED)
        for facts in map(self.of, nodes):
            if not gone:
                gen |= facts.gen - kill
                kill |= facts.kill or NOTHING
                gone = facts.kill is None
            for names, field in zip(rest, _UNITED, strict=True):
                names |= getattr(facts, field)
        return Facts(frozenset(gen), None if gone else frozenset(kill), *map(frozenset, rest))

    def after(self, stmts: Sequence[ast.stmt], live: Names) -> list[Names]:
        """What is live after each statement of a list, given what is live after the list."""
        result = [live]
        for stmt in reversed(stmts[1:]):
            facts = self.of(stmt)
            result.append(facts.gen | _without(result[-1], facts.kill))
        return result[::-1] if stmts else []

    def before(self, stmts: Sequence[ast.stmt], live: Names) -> Names:
        """What is live before a list of statements, given what is live after it."""
        facts = self.sequence(stmts)
        return facts.gen | _without(live, facts.kill)

    def _facts(self, node: ast.AST) -> Facts:
        if isinstance(node, ast.expr) and (read := _plain_reads(node)) is not None:
            return Facts(gen=read)
        match node:
            case ast.Break() | ast.Continue() | ast.Return() | ast.Raise():
                return self._jump(node)
            case ast.If() | ast.IfExp() | ast.BoolOp() | ast.Compare():
                return self._branch(node)
            case ast.For() | ast.While():
                return self._loop(node)
            case Hand(value=value, leave=leave):
                jumps = frozenset(("return",) if leave else ())
                return then(self.of(value), Facts(jumps=jumps))
            case ast.Constant() | ast.Pass() | ast.Global() | ast.Nonlocal():
                return Facts()
            case _:
                return self._binding(node)

    def _binding(self, node: ast.AST) -> Facts:
        """What assigns; of a target, its place in the statement says that it is assigned."""
        match node:
            case ast.Name(id=name):
                one = frozenset((name,))
                return Facts(kill=one, binds=one)
            case ast.Assign(targets=targets, value=value):
                return self.sequence([value, *targets])
            case ast.AnnAssign(target=target, value=value):
                return self.sequence([value, target]) if value else Facts()
            case ast.NamedExpr(target=target, value=value):
                return self.sequence([value, target])
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                one = frozenset((name,))
                return then(self.of(value), Facts(gen=one, kill=one, updates=one))
            case ast.AugAssign(target=target, value=value):
                return self.sequence([value, target])
            case ast.Subscript(value=value, slice=index, ctx=ast.Store() | ast.Del()):
                return then(self.sequence([index, value]), Facts(writes=_base(value)))
            case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()):
                return then(self.of(value), Facts(writes=_base(value)))
            case _:
                return self._other(node)

    def _jump(self, node: ast.AST) -> Facts:
        read = self.sequence(ast.iter_child_nodes(node))
        name = type(node).__name__.lower()
        return then(read, Facts(kill=None, jumps=frozenset((name,)) - {"raise"}))

    def _branch(self, node: ast.If | ast.IfExp | ast.BoolOp | ast.Compare) -> Facts:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                return then(self.of(test), either(self.sequence(body), self.sequence(orelse)))
            case ast.IfExp(test=test, body=value, orelse=other):
                return then(self.of(test), either(self.of(value), self.of(other)))
            case ast.BoolOp(values=[first, *rest]):
                return then(self.of(first), either(self.sequence(rest), Facts()))
            case _:
                return self.sequence(ast.iter_child_nodes(node))

    def _loop(self, node: ast.For | ast.While) -> Facts:
        """A loop may run no iteration, so it assigns nothing for certain but what its test does."""
        body = self.sequence(node.body)
        inside = Facts(body.gen, NOTHING, body.binds, body.updates, body.writes, body.jumps)
        orelse = self.sequence(node.orelse)
        if isinstance(node, ast.For):
            target = self.of(node.target)
            head = self.of(node.iter)
            once = then(target, Facts(body.gen, NOTHING, body.binds))
            inside = _merged(inside, target, once.gen | target.gen, NOTHING)
        else:
            head = self.of(node.test)
        facts = then(head, then(inside, either(orelse, Facts())))
        kept = facts.jumps & {"return"} | orelse.jumps
        pinned = facts.pinned | body.pinned
        kill = None if is_endless(node) and "break" not in body.jumps else facts.kill
        return Facts(facts.gen, kill, facts.binds, facts.updates, facts.writes, kept, pinned)

    def _try(self, node: ast.Try) -> Facts:
        """The body may end anywhere, so it assigns nothing for certain where a handler follows."""
        body = self.sequence([*node.body, *node.orelse])
        paths = [self.sequence([h.type, *h.body]) for h in node.handlers]
        facts = body
        for path in paths:
            facts = either(facts, path)
        reads = facts.gen.union(_reads(node), *(p.gen for p in paths))
        return then(replace(facts, gen=reads), self.sequence(node.finalbody))

    def read_first(self, node: ast.stmt) -> Names:
        """The names that a statement may read before it binds them, if nothing is tried twice."""
        match node:
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last):
                paths = [self.sequence([h.type, *h.body]).gen - {h.name or ""} for h in handlers]
                return self.sequence([*body, *orelse]).gen.union(self.sequence(last).gen, *paths)
            case ast.With():
                return self.sequence(ast.iter_child_nodes(node)).gen
        return self.of(node).gen

    def _other(self, node: ast.AST) -> Facts:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                one, inside = frozenset((name,)), _reads(node)
                return Facts(gen=inside - one, kill=one, binds=one, pinned=inside)
            case ast.Lambda():
                return Facts(gen=_reads(node), pinned=_reads(node))
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return Facts(gen=_reads(node))
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                bound = frozenset((n.asname or n.name).split(".")[0] for n in names)
                return Facts(kill=bound, binds=bound)
            case ast.Call():
                read = self.sequence(ast.iter_child_nodes(node))
                return then(read, Facts(writes=_written(node)))
            case ast.Try():
                return self._try(node)
            case ast.TryStar() | ast.With():
                read = self.sequence(ast.iter_child_nodes(node))
                return Facts(
                    read.gen | _reads(node),
                    NOTHING,
                    read.binds,
                    read.updates,
                    read.writes,
                    read.jumps,
                    read.pinned,
                )
            case _:
                return self.sequence(ast.iter_child_nodes(node))


_PLAIN = (
    ast.Name,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.Subscript,
    ast.Compare,
    ast.Attribute,
    ast.Slice,
    ast.Tuple,
    ast.BoolOp,
    ast.IfExp,
)


def _plain_reads(node: ast.expr) -> Names | None:
    """The names that an expression reads, where reading is all it does; the common case, fast."""
    found: set[str] = set()
    stack: list[ast.AST] = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Name):
            if not isinstance(inner.ctx, ast.Load):
                return None
            found.add(inner.id)
        elif isinstance(inner, ast.Call):
            if _written(inner):
                return None
            stack += (inner.func, *inner.args, *(k.value for k in inner.keywords))
        elif isinstance(inner, _PLAIN):
            if not isinstance(getattr(inner, "ctx", None), ast.Load | None):
                return None
            stack += [n for n in ast.iter_child_nodes(inner) if isinstance(n, ast.expr)]
        else:
            return None
    return frozenset(found)


_UPDATES = (
    "append",
    "pop",
    "extend",
    "insert",
    "sort",
    "fill",
    "reverse",
    "clear",
    "remove",
    "update",
    "put",
    "partition",
    "resize",
    "setfield",
    "__setitem__",
    "__delitem__",
    *("add", "discard", "setdefault", "popitem"),
    *("difference_update", "intersection_update", "symmetric_difference_update"),
    *("appendleft", "popleft", "extendleft", "rotate"),
)
_WRITERS = (WRITERS | {"setitem", "delitem"}) - {"next", "exec", "eval"}
"""Functions that write into an array, a list or an object that they are given first."""
_IN_PLACE = {name for name in dir(operator) if re.fullmatch(r"__i(?!ndex|nv)\w+__", name)}
"""`__iadd__` and its kin."""


def _written(node: ast.Call) -> Names:
    """The names of what a call writes to, as far as its text tells."""
    found = NOTHING
    match node.func:
        case ast.Attribute(value=value, attr=name):
            if name in _UPDATES or name in _IN_PLACE:
                found |= _base(value)
        case ast.Name(id=name):
            pass
        case _:
            name = ""
    if node.args and (name in _WRITERS or f"__{name}__" in _IN_PLACE):
        found |= _base(node.args[0])
    for keyword in node.keywords:
        if keyword.arg == "out":
            value = keyword.value
            found = found.union(
                *map(_base, value.elts if isinstance(value, ast.Tuple) else [value])
            )
    return found


def _base(node: ast.AST) -> Names:
    """The name that an element, part or attribute belongs to."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return frozenset((node.id,)) if isinstance(node, ast.Name) else NOTHING


def _reads(node: ast.AST) -> Names:
    """Every name that is read anywhere inside, or that a function inside may change."""
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            found.add(inner.id)
        elif isinstance(inner, ast.Nonlocal):
            found.update(inner.names)
    return frozenset(found)
