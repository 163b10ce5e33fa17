"""Pieces of code that are copied: which names are in them, and where these stand.

    f"{n=}"     f"a {x}"        the text of `n` is shown, so it has to stay: f"n={n!r}"
                f"b {y}"        before Python 3.12 the parser may not know where `y` stands
    1 / f(x)                    1 / f_value, where the call is a statement of its own
    (a): float = 1.0            what writes programs does not parse these parentheses

Code like this is written anew from its syntax, which says the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from itertools import pairwise

from adjointgen.frontend.source.desugar import Made
from adjointgen.frontend.source.source import Source, lines_of

Offset = Callable[[ast.AST], int]


def is_placed(text: str, node: ast.AST, swapped: Iterable[ast.expr], at: Offset) -> bool:
    """Whether the text of a node says what its tree does, and has the names that are swapped."""
    for part in ast.walk(node):
        if isinstance(part, Made) or (isinstance(part, ast.JoinedStr) and _shows_itself(part)):
            return False
        if isinstance(part, ast.AnnAssign) and not part.simple:
            return False
    return all(_is_at(text, part, at(part)) for part in swapped if isinstance(part, ast.Name))


def _is_at(text: str, name: ast.Name, start: int) -> bool:
    """Whether a name stands in the text; one that stands for a call has the place of the call."""
    if start < 0:
        return False
    whole = name.end_lineno == name.lineno and name.end_col_offset is not None
    width = name.end_col_offset - name.col_offset if whole else 0  # type: ignore[operator]
    return width == len(name.id.encode()) and text.startswith(name.id, start)


def _shows_itself(string: ast.JoinedStr) -> bool:
    for before, value in pairwise(string.values):
        if isinstance(before, ast.Constant) and isinstance(value, ast.FormattedValue):
            shown = str(before.value).rstrip()
            if shown.endswith("=") and shown[:-1].rstrip().endswith(ast.unparse(value.value)):
                return True
    return False


_DELAYED = (
    *(ast.Lambda, ast.IfExp, ast.BoolOp, ast.Compare, ast.FunctionDef, ast.ClassDef, ast.Assert),
    *(ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp, ast.If, ast.For, ast.While),
    *(ast.Try, ast.TryStar, ast.With, ast.Match, ast.AsyncFunctionDef),
)


def is_evaluated(part: ast.AST, node: ast.AST) -> bool:
    """Whether a part of a node is evaluated whenever the node is."""
    delayed = (n for n in ast.walk(node) if isinstance(n, _DELAYED))
    return not any(part is inner for outer in delayed for inner in ast.walk(outer))


def rewritten(node: ast.AST, names: Mapping[ast.expr, str]) -> tuple[str, ast.AST, Offset]:
    """The code written anew, with names for some of its parts: its text, its tree, and where a
    node of that stands in the text."""
    memo: dict[int, ast.AST] = {id(part): ast.Name(own, ast.Load()) for part, own in names.items()}
    copied = deepcopy(node, memo)
    for part in ast.walk(copied):
        if isinstance(part, Made):
            part.__class__ = ast.Call  # type: ignore[assignment]
        if isinstance(part, ast.Name) and part.id.startswith("."):
            # A variable that only the front end's own comprehension binds.
            part.id = f"_item_{part.id[1:]}"
        if isinstance(part, ast.AnnAssign) and part.value is not None:
            part.simple = int(isinstance(part.target, ast.Name))
    text = ast.unparse(copied)
    tree = ast.parse(text)
    found: ast.AST = tree.body[0]
    if isinstance(node, ast.expr) and isinstance(found, ast.Expr):
        found = found.value
    lines = [line.encode() for line in text.split("\n")]

    def at(part: ast.AST) -> int:
        line, column = part.lineno - 1, part.col_offset  # type: ignore[attr-defined]
        above = sum(len(each.decode()) + 1 for each in lines[:line])
        return above + len(lines[line][:column].decode(errors="ignore"))

    return text, found, at


def read_by_entry(node: ast.AST) -> list[ast.expr]:
    """The names of which a node reads entries only."""
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Subscript)]


def bound_inside(node: ast.AST) -> frozenset[str]:
    """Names that comprehensions and lambdas inside bind for themselves."""
    names = {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    names |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    caught = (n.name for n in ast.walk(node) if isinstance(n, ast.ExceptHandler | ast.MatchAs))
    return frozenset(names | {name for name in caught if name})


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_here(node: ast.AST) -> frozenset[str]:
    """The names that a node binds in its own scope: those that are bound all over it."""
    found: set[str] = set()
    left = [node]
    while left:
        part = left.pop()
        if isinstance(part, (ast.Lambda, *_COMPREHENSIONS)):
            walruses = (n.target for n in ast.walk(part) if isinstance(n, ast.NamedExpr))
            found |= {target.id for target in walruses}
        elif isinstance(part, ast.Name):
            found |= set() if isinstance(part.ctx, ast.Load) else {part.id}
        elif isinstance(part, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found |= bound_inside(part)
        else:
            if isinstance(part, ast.ExceptHandler | ast.MatchAs) and part.name:
                found.add(part.name)
            left.extend(ast.iter_child_nodes(part))
    return frozenset(found)


def scoped(node: ast.AST, bound: frozenset[str]) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """The parts of a node, each with the names that are bound where it stands.

    The defaults of a lambda and what a comprehension runs over first are evaluated outside of it.
    """
    outer: list[ast.AST] = []
    inside = bound
    if isinstance(node, ast.Lambda):
        outer = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        inside |= {n.arg for n in ast.walk(node.args) if isinstance(n, ast.arg)}
        inner: Iterable[ast.AST] = [node.body]
    elif isinstance(node, _COMPREHENSIONS):
        first, *_ = node.generators
        outer = [first.iter]
        inside |= frozenset().union(*(bound_inside(g.target) for g in node.generators))
        inner = (
            n
            for part in ast.iter_child_nodes(node)
            for n in (ast.iter_child_nodes(part) if isinstance(part, ast.comprehension) else [part])
            if n is not first.iter
        )
    else:
        inner = ast.iter_child_nodes(node)
    yield from ((part, bound) for part in outer)
    yield from ((part, inside) for part in inner)


def offset(source: Source, outer: ast.AST, inner: ast.AST) -> int:
    """Where the text of a node starts in that of a node around it; -1 for what has no text."""
    start, place = source.span(outer), source.span(inner)
    if start is None or place is None:
        return -1
    lines = lines_of(source.text)[start.line - 1 : place.line - 1]
    return sum(len(line) + 1 for line in lines) + place.column - start.column


def dedented(code: str, node: ast.stmt) -> str:
    """The text of a statement from the margin; what strings hold stays."""
    texts = (n for n in ast.walk(node) if isinstance(n, ast.Constant | ast.JoinedStr))
    kept = {k for n in texts for k in range(n.lineno + 1, (n.end_lineno or n.lineno) + 1)}
    first, *lines = code.split("\n")
    margin = " " * node.col_offset
    shifted = [
        line if node.lineno + k in kept else line.removeprefix(margin)
        for k, line in enumerate(lines, 1)
    ]
    return "\n".join([first, *shifted])
