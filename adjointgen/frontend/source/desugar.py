"""Desugaring: statements that abbreviate others are spelled out before anything looks at them.

    match s:                       if Fits(s, "a" | "b"): ...
        case "a" | "b": ...        elif Fits(s, [p, *q]):
        case [p, *q] if p > 0: ...     p, q = Part(s, (0,)), Part(s, (Rest(1, 0),))
                                       if p > 0: ...

`Fits` and `Part` are expressions of the frontend's own, with the places of the patterns. A case
that its guard turns away goes on to the next, as in Python; an alternative that binds names is a
case of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, ClassVar, TypeVar

from adjointgen.records import dataclass

Tree = TypeVar("Tree", bound=ast.AST)


class Made(ast.Call):
    """A call that is not in the text, and so cannot be copied from there."""


def placed(made: Tree, node: ast.AST) -> Tree:
    """A tree of which all parts have a place."""
    for part in ast.walk(made):
        if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return made


@dataclass(frozen=True, slots=True)
class Rest:
    """The entries of a sequence that a star takes: all but some at its start and its end."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One step into a value: the entry at an index, counted from the end where it is negative."""

    index: int


@dataclass(frozen=True, slots=True)
class Keyed:
    """The entry of a mapping."""

    key: ast.expr


@dataclass(frozen=True, slots=True)
class Others:
    """The entries of a mapping that `**rest` takes: all but those of the keys."""

    keys: tuple[ast.expr, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """The attribute of an object: by its name, or the number that its class gives it."""

    name: str | int
    owner: ast.expr


Step = Entry | Keyed | Attribute | Rest | Others
Path = tuple[Step, ...]


class Fits(ast.expr):
    """Whether a value fits a pattern."""

    _fields: ClassVar[tuple[str, ...]] = ("subject", "pattern")

    def __init__(self, subject: Any = None, pattern: Any = None) -> None:
        # Copying makes a node without its parts first.
        super().__init__()
        self.subject, self.pattern = subject, pattern


class Part(ast.expr):
    """What a pattern binds a name to."""

    _fields: ClassVar[tuple[str, ...]] = ("subject",)

    def __init__(self, subject: Any = None, path: Path = ()) -> None:
        super().__init__()
        self.subject, self.path = subject, path


def spelled_out(tree: ast.Module, text: str) -> ast.Module:
    """The module without abbreviations."""
    if "match" not in text:
        return tree
    name = "subject"
    while name in text:
        name += "_"
    spelled: ast.Module = _Spelling(name).visit(tree)
    return spelled


class _Spelling(ast.NodeTransformer):
    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        self.generic_visit(node)
        cases = [one for case in node.cases for one in _alternatives(case)]
        captured = {name for case in cases for name, _ in captures(case.pattern)}
        subject = node.subject
        first: list[ast.stmt] = []
        guards = [n for case in cases if case.guard is not None for n in ast.walk(case.guard)]
        captured |= {n.target.id for n in guards if isinstance(n, ast.NamedExpr)}
        if not isinstance(subject, ast.Name) or subject.id in captured:
            kept = ast.copy_location(ast.Name(self.name, ast.Store()), subject)
            first = [ast.copy_location(ast.Assign([kept], subject), subject)]
            subject = ast.copy_location(ast.Name(self.name, ast.Load()), subject)
        return [*first, *_chain(subject, cases)]


def _chain(subject: ast.expr, cases: Sequence[ast.match_case]) -> list[ast.stmt]:
    if not cases:
        return []
    case, *others = cases
    rest = _chain(subject, others)
    body: list[ast.stmt] = case.body
    if case.guard is not None:
        body = [ast.copy_location(ast.If(case.guard, body, rest), case.guard)]
    bound = [_bound(subject, name, path, case.pattern) for name, path in captures(case.pattern)]
    test = ast.copy_location(Fits(subject, case.pattern), case.pattern)
    return [ast.copy_location(ast.If(test, [*bound, *body], rest), case.pattern)]


def _bound(subject: ast.expr, name: str, path: Path, place: ast.pattern) -> ast.stmt:
    target = ast.copy_location(ast.Name(name, ast.Store()), place)
    value = ast.copy_location(Part(subject, path), place)
    return ast.copy_location(ast.Assign([target], value), place)


def captures(pattern: ast.pattern, path: Path = ()) -> Iterator[tuple[str, Path]]:
    """The names that a pattern binds, each with its way into the value."""
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if inner is not None:
                yield from captures(inner, path)
            if name is not None:
                yield name, path
        case ast.MatchStar(name=str(name)):
            yield name, path
        case ast.MatchMapping(keys=keys, rest=str(name)):
            for step, inner in parts(pattern):
                yield from captures(inner, (*path, step))
            yield name, (*path, Others(tuple(keys)))
        case _:
            for step, inner in parts(pattern):
                yield from captures(inner, (*path, step))


def parts(pattern: ast.pattern) -> list[tuple[Step, ast.pattern]]:
    """The patterns directly inside a pattern, each with the step to what it is for."""
    match pattern:
        case ast.MatchSequence(patterns=inner):
            star = next((k for k, p in enumerate(inner) if isinstance(p, ast.MatchStar)), None)
            after = 0 if star is None else len(inner) - star - 1
            steps: list[Step] = [
                Entry(k) if star is None or k < star else Entry(k - len(inner))
                for k in range(len(inner))
            ]
            if star is not None:
                steps[star] = Rest(star, after)
            return list(zip(steps, inner, strict=True))
        case ast.MatchMapping(keys=keys, patterns=inner):
            return [(Keyed(k), p) for k, p in zip(keys, inner, strict=True)]
        case ast.MatchClass(cls=cls, patterns=inner, kwd_attrs=names, kwd_patterns=named):
            by_number = [(Attribute(k, cls), p) for k, p in enumerate(inner)]
            return [
                *by_number,
                *((Attribute(n, cls), p) for n, p in zip(names, named, strict=True)),
            ]
    return []


def _alternatives(case: ast.match_case) -> Iterator[ast.match_case]:
    """The case once for each alternative that binds names."""
    if not any(True for _ in captures(case.pattern)) and not _binds(case.pattern):
        yield case
        return
    for pattern in _spread(case.pattern):
        yield ast.match_case(pattern, case.guard, case.body)


def _binds(pattern: ast.pattern) -> bool:
    return any(isinstance(n, ast.MatchAs) and n.name is not None for n in ast.walk(pattern))


def _spread(pattern: ast.pattern) -> list[ast.pattern]:
    """The patterns without alternatives that one with alternatives stands for."""
    if not _binds(pattern):
        return [pattern]
    match pattern:
        case ast.MatchOr(patterns=patterns):
            return [one for p in patterns for one in _spread(p)]
        case ast.MatchAs(pattern=ast.pattern() as inner, name=name):
            made: list[ast.pattern] = [ast.MatchAs(p, name) for p in _spread(inner)]
        case ast.MatchSequence(patterns=patterns):
            made = [ast.MatchSequence(list(row)) for row in _rows(patterns)]
        case ast.MatchMapping(keys=keys, patterns=patterns, rest=rest):
            made = [ast.MatchMapping(keys, list(row), rest) for row in _rows(patterns)]
        case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=names, kwd_patterns=named):
            number = len(patterns)
            made = [
                ast.MatchClass(cls, list(row[:number]), names, list(row[number:]))
                for row in _rows([*patterns, *named])
            ]
        case _:
            return [pattern]
    return [ast.copy_location(one, pattern) for one in made]


def _rows(patterns: Sequence[ast.pattern]) -> Iterator[tuple[ast.pattern, ...]]:
    return product(*map(_spread, patterns))


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """These, and all the statements in them."""
    for stmt in body:
        yield stmt
        for part in ("body", "orelse", "finalbody"):
            yield from statements(getattr(stmt, part, ()))
        for part in ("handlers", "cases"):
            for inner in getattr(stmt, part, ()):
                yield from statements(inner.body)


@lru_cache(maxsize=32)
def changed_names(tree: ast.Module) -> frozenset[str]:
    """The names of a module that its functions declare to be theirs to change."""
    found = (stmt for stmt in statements(tree.body) if isinstance(stmt, ast.Global))
    return frozenset(name for stmt in found for name in stmt.names)
