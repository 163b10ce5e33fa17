"""What the names of a module may stand for once its statements have run, from their text alone.

    if FAST: def h(x): ...          h: {the first, the second}; the first alone where FAST is True
    else:    def h(x): ...
    for _ in names: def abs(x): ... abs: {the definition, the builtin function}

A state maps a name to the set of its possible bindings. A statement replaces the set, the ends of a
branch are joined, and where a body may stop anywhere (a loop, a `try` with handlers) all that it
binds is joined with what was there before. This is reaching definitions (Aho, Lam, Sethi and Ullman
2006, section 9.2) on the syntax tree. A binding keeps what the names in its expression stood for at
that point, since these may be bound again below.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from adjointgen.frontend.domain.constant_fold import evaluate
from adjointgen.frontend.source.static_tests import UNKNOWN, Value, decided
from adjointgen.records import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """One way in which a name gets its meaning; `stmt` is None where nothing says which one.

    `value` is the constant that is bound, `seen` what the names in the statement stood for, `spare`
    whether it stands in a handler of exceptions.
    """

    stmt: ast.stmt | None
    value: object = UNKNOWN
    seen: Mapping[str, Bindings] = field(default_factory=dict)
    spare: bool = False


Bindings = frozenset[Binding]
State = dict[str, Bindings]

UNBOUND = Binding(None)
"""The name is not bound: it is that of a builtin function, or of nothing."""
ANYTHING = Binding(None)
"""Something that the text does not show."""
_REST = "*"
_NONE: State = {_REST: frozenset({UNBOUND})}

Stars = Callable[[str], Iterable[str] | None]
"""The names that `from module import *` binds; None where these are not known."""


def bindings(body: Sequence[ast.stmt], stars: Stars = lambda _: None) -> State:
    """The state after a module's or a class's statements; `of` reads it.

    A module that always raises is read as if it did not: its text is all that there is.
    """
    state = _Flow(stars).run((s for s in body if not isinstance(s, ast.Raise)), dict(_NONE))
    return dict(_NONE) if state is None else state


def of(state: Mapping[str, Bindings], name: str) -> Bindings:
    """The bindings that a name may have."""
    return state.get(name) or state.get(_REST) or _NONE[_REST]


def joined(states: Iterable[State | None]) -> State | None:
    """The state where several paths meet; None where no path arrives."""
    found: State | None = None
    for state in states:
        if found is None or state is None:
            found = found if state is None else dict(state)
            continue
        for name in {*found, *state}:
            found[name] = of(found, name) | of(state, name)
    return found


class _Flow:
    """Runs statements on states; `log` has all bindings that were made on the way."""

    def __init__(self, stars: Stars) -> None:
        self.stars = stars
        self.log: list[tuple[str, Binding]] = []
        self.spare = False

    def run(self, body: Iterable[ast.stmt], state: State | None) -> State | None:
        for stmt in body:
            if state is None:
                return None
            state = self.statement(stmt, state)
        return state

    def statement(self, stmt: ast.stmt, state: State) -> State | None:
        match stmt:
            case ast.If():
                return self.branch(stmt, state)
            case ast.Try() | ast.TryStar():
                return self.attempt(stmt, state)
            case ast.For() | ast.While() | ast.AsyncFor():
                return self.loop(stmt, state)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                return self.managed(stmt, items, body, state)
            case ast.Match(cases=cases):
                before = joined([dict(state), self.bound(stmt, state)])
                return joined([before, *(self.run(c.body, dict(before or {})) for c in cases)])
            case ast.Raise() | ast.Return() | ast.Break() | ast.Continue():
                return None
        return self.bound(stmt, state)

    def branch(self, stmt: ast.If, state: State) -> State | None:
        self.bind_inside(stmt, stmt.test, state)
        held = truth(stmt.test, state)
        then = None if held is False else self.run(stmt.body, dict(state))
        other = None if held is True else self.run(stmt.orelse, dict(state))
        return joined([then, other])

    def attempt(self, stmt: ast.Try | ast.TryStar, state: State) -> State | None:
        start = len(self.log)
        before = dict(state)
        ended = self.run(stmt.orelse, self.run(stmt.body, state))
        ends = [ended]
        if any(map(may_raise, stmt.body)):
            stopped = self.during(before, start)
            outer, self.spare = self.spare, True
            ends += [self.handled(handler, dict(stopped)) for handler in stmt.handlers]
            self.spare = outer
        return self.run(stmt.finalbody, joined(ends))

    def handled(self, handler: ast.ExceptHandler, state: State) -> State | None:
        ended = self.run(handler.body, state)
        if ended is not None and handler.name:
            self.bind(ended, handler.name, UNBOUND)
        return ended

    def loop(self, stmt: ast.For | ast.While | ast.AsyncFor, state: State) -> State | None:
        start, before = len(self.log), dict(state)
        self.run(stmt.body, self.bound(stmt, dict(state)))
        for name, _ in self.log[start:]:
            # An iteration begins with what an earlier one has left.
            state[name] = of(state, name) | {ANYTHING}
        del self.log[start:]
        ended = self.run(stmt.body, self.bound(stmt, state))
        if isinstance(stmt, ast.For) and _runs(stmt) and ended is not None:
            return self.run(stmt.orelse, ended)
        stopped = self.during(before, start)
        return joined([self.run(stmt.orelse, dict(stopped)), stopped])

    def managed(
        self, stmt: ast.stmt, items: list[ast.withitem], body: list[ast.stmt], state: State
    ) -> State | None:
        start, before = len(self.log), dict(state)
        ended = self.run(body, self.bound(stmt, state))
        if all(_lets_pass(item.context_expr) for item in items) or not any(map(may_raise, body)):
            return ended
        return joined([ended, self.during(before, start)])

    def during(self, before: State, start: int) -> State:
        """The state where it is not known how many of the statements since `start` have run."""
        state = dict(before)
        for name, binding in self.log[start:]:
            if name == _REST:
                _anything(state)
            else:
                state[name] = of(state, name) | {binding}
        return state

    def bound(self, stmt: ast.stmt, state: State) -> State:
        """After what the statement itself binds, bodies of its own left out."""
        match stmt:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                parts = [*stmt.decorator_list, *filter(None, stmt.args.kw_defaults)]
                self.bind(state, name, self.made(stmt, state, [*parts, *stmt.args.defaults]))
            case ast.ClassDef(name=name):
                self.bind(state, name, self.made(stmt, state, stmt.decorator_list))
            case ast.Import(names=names):
                for alias in names:
                    self.bind(state, alias.asname or alias.name.split(".")[0], self.made(stmt))
            case ast.ImportFrom(names=names):
                self.imported(stmt, state)
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                self.assigned(stmt, value, state)
            case ast.AnnAssign():
                pass
            case _:
                self.bind_inside(stmt, stmt, state)
        return state

    def imported(self, stmt: ast.ImportFrom, state: State) -> None:
        for alias in stmt.names:
            if alias.name != "*":
                self.bind(state, alias.asname or alias.name, self.made(stmt))
                continue
            names = self.stars("." * stmt.level + (stmt.module or ""))
            if names is None:
                self.log.append((_REST, ANYTHING))
                _anything(state)
            for name in names or ():
                self.bind(state, name, self.made(stmt))

    def assigned(self, stmt: ast.stmt, value: ast.expr, state: State) -> None:
        """Plain targets get the value, other names in the statement what nobody knows."""
        targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]  # type: ignore[attr-defined]
        made = []
        for name, part in (pair for target in targets for pair in _paired(target, value)):
            alone = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], part), stmt)
            folded = evaluate(part, lambda own: known(state, own))
            made.append((name, self.made(alone, state, [part], folded)))
        self.bind_inside(stmt, stmt, state)
        for name, binding in made:
            self.bind(state, name, binding)

    def bind_inside(self, stmt: ast.stmt, node: ast.AST, state: State) -> None:
        """The names that are stored or deleted somewhere in a node."""
        perhaps = _walrus(node)
        for name, deleted in _stored(node):
            before = of(state, name) if name in perhaps else frozenset()
            self.bind(state, name, UNBOUND if deleted else self.made(stmt))
            state[name] |= before

    def made(
        self,
        stmt: ast.stmt,
        state: State | None = None,
        parts: Iterable[ast.AST] = (),
        value: object = UNKNOWN,
    ) -> Binding:
        names = {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}
        return Binding(stmt, value, {n: of(state or {}, n) for n in names}, self.spare)

    def bind(self, state: State, name: str, binding: Binding) -> None:
        self.log.append((name, binding))
        state[name] = frozenset({binding})


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that get an expression each: `a, b = 1.0, 2`."""
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ast.Tuple(elts=targets) | ast.List(elts=targets), ast.Tuple(elts=parts) | ast.List(
            elts=parts
        ) if len(targets) == len(parts):
            if not any(isinstance(part, ast.Starred) for part in (*targets, *parts)):
                for one, part in zip(targets, parts, strict=True):
                    yield from _paired(one, part)


def _anything(state: State) -> None:
    for name in state:
        state[name] |= {ANYTHING}


def known(state: Mapping[str, Bindings], name: str) -> object:
    """The constant that a name stands for, or an object that is none."""
    values = {type(b.value): b.value for b in of(state, name)}
    same = len({repr(b.value) for b in of(state, name)}) == len(values) == 1
    return next(iter(values.values())) if same else UNKNOWN


def truth(test: ast.expr, state: Mapping[str, Bindings]) -> bool | None:
    """Whether a test of the module holds; None where that is not known."""

    def value(name: str) -> Value:
        found = known(state, name)
        if found is UNKNOWN and name == "__name__" and of(state, name) == {UNBOUND}:
            return "the module is imported"
        return found

    return decided(test, value)


def may_raise(stmt: ast.stmt) -> bool:
    """Whether a statement of a module can end with an exception."""
    match stmt:
        case ast.FunctionDef(decorator_list=[], args=ast.arguments(defaults=[], kw_defaults=[])):
            return False
        case (
            ast.Pass()
            | ast.Global()
            | ast.Assign(
                targets=[ast.Name()],
                value=ast.Constant() | ast.Lambda(args=ast.arguments(defaults=[])),
            )
        ):
            return False
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Import(names=names):
            return not all(a.name.partition(".")[0] in _THERE for a in names)
    return True


_THERE = frozenset({"numpy", "math", "cmath", "sys", "functools", "itertools", "operator"})
"""Modules whose import does not fail where a generated program runs."""
_PASSING = frozenset({"catch_warnings", "errstate", "open", "localcontext"})


def _lets_pass(manager: ast.expr) -> bool:
    """Whether a context manager is known to keep no exception."""
    match manager:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name in _PASSING
    return False


def _runs(stmt: ast.For) -> bool:
    """Whether the body of a loop runs to its end at least once, whatever it iterates over."""
    jumps = (ast.Break, ast.Continue)
    if any(isinstance(n, jumps) for part in stmt.body for n in ast.walk(part)):
        return False
    match stmt.iter:
        case ast.Tuple(elts=[_, *_] as elts) | ast.List(elts=[_, *_] as elts):
            return not any(isinstance(e, ast.Starred) for e in elts)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(count))]):
            return count > 0
    return False


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_INNER = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _stored(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """The names that a node binds in the scope that it stands in, and which of them it deletes."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name, False
        case ast.Name(id=name, ctx=ast.Del()):
            yield name, True
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, False
        case ast.MatchMapping(rest=str(name)):
            yield name, False
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _SCOPES) or (
            isinstance(child, ast.stmt | ast.ExceptHandler) and child is not node
        ):
            continue
        if isinstance(node, _INNER):
            # Targets are the comprehension's own; a walrus in it is not.
            yield from ((n, d) for n, d in _stored(child) if n in _walrus(child))
        else:
            yield from _stored(child)


def _walrus(node: ast.AST) -> set[str]:
    inside = (n.target for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
    return {target.id for target in inside if isinstance(target, ast.Name)}
