"""Definite assignment: the local names that a function may read before it has bound them.

    after(if)   = after(then) & after(else)
    after(for)  = before & the breaks      (with the body, where the loop runs at least once)
    after(try)  = after(body) & after(each handler), each of which starts from before(body)
    after(with) = after(body) & before(body)

What a path that has left by a jump binds does not matter: it binds everything. The equations are
those of the Java Language Specification (chapter 16), a test with the names that it has bound where
it holds and where it fails among them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from adjointgen.frontend.source.name_liveness import is_endless
from adjointgen.records import dataclass, field

Names = frozenset[str]
Bound = Names | None
"""The names that are bound; None past a jump."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@lru_cache(maxsize=256)
def maybe_unbound(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, local: Names, given: Names
) -> Names:
    """The local names that some path reads unbound, where the parameters are `given`."""
    flow = _Flow(local)
    flow.sequence([node.body] if isinstance(node, ast.Lambda) else node.body, given)
    return frozenset(flow.found)


def both(a: Bound, b: Bound) -> Bound:
    """What is bound where two paths meet."""
    if a is None or b is None:
        return b if a is None else a
    return a & b


def _more(bound: Bound, names: Iterable[str]) -> Bound:
    return None if bound is None else bound.union(names)


@dataclass(slots=True)
class _Flow:
    """What is bound after each construct, given what is bound before it."""

    local: Names
    found: set[str] = field(default_factory=set)
    leaving: list[tuple[list[Bound], list[Bound]]] = field(default_factory=list)
    """What is bound at each `break` and each `continue` of the loops around."""

    def sequence(self, nodes: Sequence[ast.AST], bound: Bound) -> Bound:
        for node in nodes:
            bound = self.of(node, bound)
        return bound

    def of(self, node: ast.AST | None, bound: Bound) -> Bound:
        if node is None or bound is None:
            return bound
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node, bound)
        return self.sequence([*ast.iter_child_nodes(node)], bound)

    def name(self, node: ast.Name, bound: Names) -> Bound:
        if isinstance(node.ctx, ast.Store):
            return bound | {node.id}
        if node.id in self.local and node.id not in bound:
            self.found.add(node.id)
        return bound - {node.id} if isinstance(node.ctx, ast.Del) else bound

    def assign(self, node: ast.Assign, bound: Names) -> Bound:
        return self.sequence([node.value, *node.targets], bound)

    def annotated(self, node: ast.AnnAssign, bound: Names) -> Bound:
        return self.sequence([node.value, node.target], bound) if node.value else bound

    def augmented(self, node: ast.AugAssign, bound: Names) -> Bound:
        if isinstance(node.target, ast.Name):
            self.name(ast.Name(node.target.id, ast.Load()), bound)
        return self.sequence([node.target, node.value], bound)

    def walrus(self, node: ast.NamedExpr, bound: Names) -> Bound:
        return self.sequence([node.value, node.target], bound)

    def definition(self, node: ast.FunctionDef, bound: Names) -> Bound:
        outside = [*node.decorator_list, *getattr(getattr(node, "args", None), "defaults", ())]
        self.inside(node, bound)
        return _more(self.sequence(outside, bound), [node.name])

    def closed(self, node: ast.Lambda, bound: Names) -> Bound:
        self.inside(node, bound)
        return self.sequence(node.args.defaults, bound)

    def inside(self, node: ast.AST, bound: Names) -> None:
        """What a function reads of the one around it, it may read as soon as it is defined."""
        names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
        read = {part.id for part in names if isinstance(part.ctx, ast.Load)}
        own = {arg.arg for arg in ast.walk(node) if isinstance(arg, ast.arg)}
        self.found |= (read & self.local) - bound - own

    def imported(self, node: ast.Import, bound: Names) -> Bound:
        return bound.union((n.asname or n.name).split(".")[0] for n in node.names)

    def comprehension(self, node: ast.ListComp, bound: Names) -> Bound:
        """Its own names are bound inside alone; what `:=` binds in it may not be."""
        inside: Bound = bound
        for part in node.generators:
            inside = self.sequence([part.iter, part.target, *part.ifs], inside)
        values = [v for k in ("elt", "key", "value") if (v := getattr(node, k, None)) is not None]
        self.sequence(values, inside)
        return bound

    def test(self, node: ast.expr, bound: Bound) -> tuple[Bound, Bound]:
        """What is bound where a test holds, and where it fails."""
        match node:
            case ast.Constant(value=value):
                after = self.of(node, bound)
                return (after, None) if value else (None, after)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                holds, fails = self.test(operand, bound)
                return fails, holds
            case ast.BoolOp(op=op, values=values):
                return self._joined(isinstance(op, ast.And), values, bound)
        after = self.of(node, bound)
        return after, after

    def _joined(self, every: bool, values: Sequence[ast.expr], bound: Bound) -> tuple[Bound, Bound]:
        """`a and b` (every), or `a or b`: the last is reached where none before has decided."""
        decided: Bound = None
        for value in values:
            holds, fails = self.test(value, bound)
            bound, left = (holds, fails) if every else (fails, holds)
            decided = both(decided, left)
        return (bound, decided) if every else (decided, bound)

    def logic(self, node: ast.BoolOp, bound: Names) -> Bound:
        return both(*self.test(node, bound))

    def compared(self, node: ast.Compare, bound: Names) -> Bound:
        after = self.sequence([node.left, node.comparators[0]], bound)
        self.sequence(node.comparators[1:], after)
        return after

    def chosen(self, node: ast.If | ast.IfExp, bound: Names) -> Bound:
        holds, fails = self.test(node.test, bound)
        if isinstance(node, ast.IfExp):
            return both(self.of(node.body, holds), self.of(node.orelse, fails))
        return both(self.sequence(node.body, holds), self.sequence(node.orelse, fails))

    def looped(self, node: ast.While, bound: Names) -> Bound:
        holds, fails = self.test(node.test, bound)
        breaks, _ = self._body(node.body, holds)
        return both(self.sequence(node.orelse, None if is_endless(node) else fails), breaks)

    def counted(self, node: ast.For, bound: Names) -> Bound:
        before = self.of(node.iter, bound)
        breaks, end = self._body(node.body, self.of(node.target, before))
        end = end if _runs(node.iter) else before
        return both(self.sequence(node.orelse, end), breaks)

    def _body(self, body: Sequence[ast.stmt], bound: Bound) -> tuple[Bound, Bound]:
        """What is bound where a `break` leaves the loop, and where the body ends.

        What an iteration deletes is not bound in the next one.
        """
        breaks: list[Bound] = []
        continues: list[Bound] = []
        self.leaving.append((breaks, continues))
        continues.append(self.sequence(body, bound))
        self.leaving.pop()
        again = both(bound, _all(continues))
        if again != bound:
            return self._body(body, again)
        return _all(breaks), _all(continues)

    def left(self, node: ast.stmt, bound: Names) -> Bound:
        bound_here = self.sequence([*ast.iter_child_nodes(node)], bound)
        if isinstance(node, ast.Break | ast.Continue) and self.leaving:
            self.leaving[-1][isinstance(node, ast.Continue)].append(bound_here)
        return None

    def tried(self, node: ast.Try, bound: Names) -> Bound:
        """The body may end anywhere, so a handler starts from what was bound before it."""
        end = self.sequence([*node.body, *node.orelse], bound)
        for handler in node.handlers:
            names = [handler.name] if handler.name else []
            end = both(end, self.sequence(handler.body, _more(self.of(handler.type, bound), names)))
        before = self.sequence(node.finalbody, bound)
        return None if end is None or before is None else end | before

    def managed(self, node: ast.With, bound: Names) -> Bound:
        """A manager may take an exception in which the body ends, anywhere in it."""
        items = [p for i in node.items for p in (i.context_expr, i.optional_vars) if p is not None]
        entered = self.sequence(items, bound)
        return both(self.sequence(node.body, entered), entered)

    def matched(self, node: ast.Match, bound: Names) -> Bound:
        left, end = self.of(node.subject, bound), None
        for case in node.cases:
            inside = _more(left, _captures(case.pattern))
            holds, _ = (inside, None) if case.guard is None else self.test(case.guard, inside)
            end = both(end, self.sequence(case.body, holds))
            if case.guard is None and _takes_all(case.pattern):
                return end
        return both(end, left)


def _all(paths: Iterable[Bound]) -> Bound:
    found: Bound = None
    for path in paths:
        found = both(found, path)
    return found


def _runs(node: ast.expr) -> bool:
    """Whether a loop over this runs at least once, as far as its text tells."""
    match node:
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return any(not isinstance(e, ast.Starred) for e in elts)
        case ast.Call(func=ast.Name(id="range"), args=args) if args and not node.keywords:
            known = [a.value for a in args if isinstance(a, ast.Constant)]
            if len(known) == len(args) and all(type(k) is int for k in known):
                return len(known) < 3 and bool(range(*known))  # type: ignore[arg-type]
    return False


def _captures(pattern: ast.pattern) -> list[str]:
    return [
        name
        for part in ast.walk(pattern)
        for key in ("name", "rest")
        if isinstance(name := getattr(part, key, None), str)
    ]


def _takes_all(pattern: ast.pattern) -> bool:
    """Whether every subject matches."""
    match pattern:
        case ast.MatchAs(pattern=inner):
            return inner is None or _takes_all(inner)
        case ast.MatchOr(patterns=patterns):
            return any(map(_takes_all, patterns))
    return False


_HANDLERS: dict[type[ast.AST], Callable[[_Flow, Any, Names], Bound]] = {
    ast.Name: _Flow.name,
    ast.Assign: _Flow.assign,
    ast.AnnAssign: _Flow.annotated,
    ast.AugAssign: _Flow.augmented,
    ast.NamedExpr: _Flow.walrus,
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), _Flow.definition),
    ast.Lambda: _Flow.closed,
    **dict.fromkeys((ast.Import, ast.ImportFrom), _Flow.imported),
    **dict.fromkeys(_COMPREHENSIONS, _Flow.comprehension),
    ast.BoolOp: _Flow.logic,
    ast.Compare: _Flow.compared,
    **dict.fromkeys((ast.If, ast.IfExp), _Flow.chosen),
    ast.While: _Flow.looped,
    **dict.fromkeys((ast.For, ast.AsyncFor), _Flow.counted),
    **dict.fromkeys((ast.Break, ast.Continue, ast.Return, ast.Raise), _Flow.left),
    ast.Try: _Flow.tried,
    **dict.fromkeys((ast.With, ast.AsyncWith), _Flow.managed),
    ast.Match: _Flow.matched,
}
