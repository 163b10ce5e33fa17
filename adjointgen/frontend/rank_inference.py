"""How many axes the names of a function have at least, from how they are used.

`b[i, j]` says that `b` has two axes, and with `b = a.copy()` or `b = 2.0 * a` so has `a`; with
`for row in a` or `row = a[i]` an array has one more than its rows. What a name is compared to is a
list of `(name, more)`: the expression has `more` axes less than the name. Uses in helpers count for
what is passed to them. All of this is a guess, for parameters whose types nobody states.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adjointgen.frontend.domain.abstract_values import Closure
from adjointgen.frontend.functions.inlining import parameters
from adjointgen.frontend.source.source import Source
from adjointgen.records import dataclass, field

Shown = list[tuple[str, int]]
"""The names that an expression is made of entry by entry, each with the axes that are gone."""

MOST = 4
DEEPEST = 8

_SAME = frozenset(
    {"copy", "astype", "clip", "round", "conj", "sort", "cumsum", "cumprod", "asarray", "array"}
)
_SAME |= {"zeros_like", "ones_like", "empty_like", "full_like", "roll", "flip", "abs", "where"}
_SAME |= {"maximum", "minimum", "exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "square"}
_MEASURES = ("len", "enumerate", "zip", "reversed", "sum")
_ATTRIBUTES = ("shape", "size", "T", "sum", "copy", "mean", "dot")
_REDUCTIONS = (
    "sum", "mean", "prod", "dot", "zeros_like", "empty_like", "ones_like", "cumsum", "diff", "std",
    "max", "min",
)  # fmt: skip
_MATRICES = ("inv", "det", "slogdet", "cholesky", "eigh", "svd", "qr", "pinv", "trace")


@dataclass(slots=True)
class Ranks:
    """What is known so far: the least number of axes, which names are subscripted, and integers.

    `said` are expressions with their axes, 0 for what is summed, say: probably an array, but a
    number could be; with each the place that says it. `same` are names with what they are made of.
    `because` has the first such place of a name.
    """

    least: dict[str, int] = field(default_factory=dict)
    probable: set[str] = field(default_factory=set)
    subscripted: set[str] = field(default_factory=set)
    integers: set[str] = field(default_factory=set)
    said: list[tuple[Shown, int, ast.AST]] = field(default_factory=list)
    same: list[tuple[str, Shown]] = field(default_factory=list)
    because: dict[str, ast.AST] = field(default_factory=dict)

    def at_least(self, shown: Shown, rank: int, node: ast.AST | None) -> None:
        """An expression has so many axes, and so have the names that it shows."""
        for name, more in self.candidates(shown):
            if node is not None:
                self.because.setdefault(name, node)
            if rank:
                self.least[name] = max(self.least.get(name, 0), min(rank + more, MOST))
            elif not more:
                self.probable.add(name)

    def rank(self, name: str) -> int:
        return self.least.get(name, 0) or int(name in self.probable)

    def candidates(self, shown: Shown) -> Shown:
        """Of several names some may be numbers: those known as arrays, or the only one."""
        arrays = [(name, more) for name, more in shown if self.rank(name)]
        return arrays or (shown if len(shown) == 1 else [])

    def settle(self) -> None:
        """Carry what is known of names to what they are made of, until nothing changes.

        Not the other way: `s = x[0]` before `s = s + x` would count without end.
        """
        before: tuple[object, ...] = ()
        while before != (dict(self.least), set(self.probable)):
            before = dict(self.least), set(self.probable)
            for shown, rank, node in self.said:
                self.at_least(shown, rank, node)
            for target, shown in self.same:
                if self.rank(target):
                    self.at_least(shown, self.least.get(target, 0), self.because.get(target))


Known = dict[tuple[ast.AST, int], Ranks]
"""What was found for functions at a depth: helpers call each other along many paths."""


def ranks_of(source: Source, depth: int = 0, known: Known | None = None) -> Ranks:
    """The ranks of the names of a function."""
    known = {} if known is None else known
    if (source.node, depth) in known:
        return known[source.node, depth]
    found = Ranks()
    for node in ast.walk(source.node):
        found.said += [(_shown(e), rank, _told_by(node, e)) for e, rank in _said(node)]
        if isinstance(node, ast.Subscript):
            found.subscripted |= {name for name, _ in _shown(node.value)}
        found.integers |= {n.id for n in _integers(node) if isinstance(n, ast.Name)}
        found.same += [(t, [(n, m) for n, m in s if n != t]) for t, s in _equal(node)]
        if isinstance(node, ast.Call) and depth < DEEPEST:
            _passed(found, source, node, depth, known)
    found.settle()
    known[source.node, depth] = found
    return found


def _shown(node: ast.AST) -> Shown:
    match node:
        case ast.Name(id=name):
            return [(name, 0)]
        case ast.Subscript(value=base, slice=index):
            return [(name, more + _taken(index)) for name, more in _shown(base)]
        case ast.BinOp(left=left, right=right, op=op) if not isinstance(op, ast.MatMult):
            return _shown(left) + _shown(right)
        case ast.UnaryOp(operand=operand):
            return _shown(operand)
        case ast.IfExp(body=one, orelse=other):
            return _shown(one) + _shown(other)
        case ast.Attribute(value=base, attr="T"):
            return _shown(base)
        case ast.Call(func=ast.Attribute(value=base, attr=name), args=args) if name in _SAME:
            module = isinstance(base, ast.Name) and base.id in ("np", "numpy", "math")
            return [s for part in (args if module else [base]) for s in _shown(part)]
    return []


def _parts(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _taken(index: ast.expr) -> int:
    """How many axes fewer a part has: one for each number, one back for each None."""
    taken = 0
    for part in _parts(index):
        match part:
            case ast.Slice() | ast.Compare() | ast.Constant(value=bool()):
                continue
            case ast.Constant(value=None) | ast.Attribute(attr="newaxis"):
                taken -= 1
            case ast.Constant(value=value) if value is ...:
                continue
            case _:
                taken += 1
    return taken


def _said(node: ast.AST) -> Iterator[tuple[ast.AST, int]]:
    """Expressions that a node says to have so many axes."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=base, attr="shape"), slice=ast.Constant(value=k)
        ):
            yield base, k + 1 if isinstance(k, int) and k >= 0 else 1
        case ast.Subscript(value=base, slice=index):
            yield base, sum(not _adds_axis(part) for part in _parts(index))
        case ast.Assign(
            targets=[ast.Tuple(elts=lengths)], value=ast.Attribute(value=base, attr="shape")
        ):
            yield base, len(lengths)
        case ast.Call(func=ast.Name(id=name), args=args) if name in _MEASURES:
            yield from ((arg, 1) for arg in args)
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _MATRICES:
            yield first, 2
        case ast.Call(func=ast.Attribute(attr="solve"), args=[first, second]):
            yield from ((first, 2), (second, 1))
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _REDUCTIONS:
            yield first, 0
        case ast.Attribute(value=base, attr=name) if name in _ATTRIBUTES:
            yield base, int(name == "shape")
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            yield iterated, 1
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            yield from ((left, 1), (right, 1))


def _told_by(node: ast.AST, expression: ast.AST) -> ast.AST:
    """What a person is shown as the reason: of a loop, what it runs over."""
    return expression if isinstance(node, ast.For | ast.comprehension | ast.Assign) else node


def _adds_axis(part: ast.expr) -> bool:
    match part:
        case ast.Constant(value=value):
            return value is None or value is ...
        case ast.Attribute(attr="newaxis"):
            return True
    return False


def _integers(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in an index or a range."""
    match node:
        case ast.Subscript(slice=index):
            for part in _parts(index):
                if not isinstance(part, ast.Subscript | ast.Compare | ast.Call):
                    yield from ast.walk(part)
        case ast.Call(func=ast.Name(id="range"), args=args):
            for arg in args:
                if isinstance(arg, ast.Name | ast.BinOp):
                    yield from ast.walk(arg)


def _equal(node: ast.AST) -> Iterator[tuple[str, Shown]]:
    """Names and what they are made of, entry by entry."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _bound(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _bound(target, value)
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            yield name, _shown(value)
        case ast.For(target=target, iter=iterated) | ast.comprehension(
            target=target, iter=iterated
        ):
            yield from _entries(target, iterated)


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Shown]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, _shown(value)
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                yield from _bound(one, other)


def _entries(target: ast.expr, iterated: ast.expr) -> Iterator[tuple[str, Shown]]:
    """What a loop binds: rows, or entries of several arrays at once."""
    match target, iterated:
        case ast.Name(id=name), _:
            yield name, [(n, more + 1) for n, more in _shown(iterated)]
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=args):
            for one, arg in zip(targets, args, strict=False):
                yield from _entries(one, arg)
        case ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[arg, *_]):
            yield from _entries(inner, arg)


def _passed(found: Ranks, source: Source, node: ast.Call, depth: int, known: Known) -> None:
    """What a helper says of its arguments."""
    if not isinstance(node.func, ast.Name):
        return
    helper = source.resolver.find(node.func.id)
    if not isinstance(helper, Closure):
        return
    inner = ranks_of(helper.source, depth + 1, known)
    names = [parameter.arg for parameter in parameters(helper.source.arguments)]
    passed = [*zip(names, node.args, strict=False)]
    passed += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
    for name, arg in passed:
        if inner.rank(name):
            found.said.append((_shown(arg), inner.least.get(name, 0), node))
        elif name in inner.integers and isinstance(arg, ast.Name):
            found.integers.add(arg.id)
