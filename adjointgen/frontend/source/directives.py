"""Directives: comments that tell adjointgen how to differentiate what follows.

    # adjointgen: checkpoint(log)
    for i in range(n):

A directive stands above the statement or the loop that it is for. One that is not known, or that
stands where it means nothing, is refused: a misspelt one would otherwise be ignored in silence.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final, NoReturn

from adjointgen.errors import SourceError, Span
from adjointgen.frontend.source.source import Source
from adjointgen.ir.directives import OF_CALLS, OF_NAMES, Directive
from adjointgen.ir.schedules import FORMS, INDEPENDENT, Schedule, schedule
from adjointgen.records import dataclass

KNOWN: Final[tuple[str, ...]] = (
    "checkpoint(...)",
    "independent",
    "joint",
    "split",
    "recompute(x)",
    "store(x)",
    "adjoint_of(x) as x_bar: statement",
)
_DIRECTIVE: Final = re.compile(r"#\s*adjointgen\s*:\s*(.*?)\s*")
_CALL: Final = re.compile(r"(\w+)\s*(?:\((.*)\))?")
_HOOK: Final = re.compile(r"adjoint_of\s*\(\s*(\w+)\s*\)\s*as\s+(\w+)\s*:\s*(.+)")
_OF_LOOPS: Final = ("checkpoint", "independent")


@dataclass(frozen=True, slots=True)
class Hook:
    """A statement of the user's for the reverse sweep, where the adjoint of `name` is complete and
    is called `bar` in it."""

    name: str
    bar: str
    statement: str
    line: int


def check_directives(source: Source) -> None:
    """Raise SourceError (AG012) for a directive in a function that is not known or not placed."""
    for line, text in _directives(source):
        stmt = _statement(source, line)
        found = _hook(source, line, text)
        if found is not None:
            if stmt is None:
                _refuse(source, line, f"{text!r} stands above no statement", _ABOVE)
            continue
        word, argument = _known(source, line, text)
        if word in _OF_LOOPS:
            _loop_schedule(source, line, text)
            kinds = ast.For | ast.While if word == "checkpoint" else ast.For
            if not isinstance(stmt, kinds):
                _refuse(source, line, f"{text!r} stands above no loop", "write it above a `for`")
        elif word in OF_CALLS and (stmt is None or not _has_call(stmt)):
            _refuse(source, line, f"{text!r} stands above no call", "write it above one")
        elif word in OF_NAMES and (stmt is None or argument not in _computed(stmt)):
            what = f"{argument} is not computed in the statement below"
            _refuse(source, line, what, f"write {text} above the statement or loop that does")


_ABOVE: Final = "write it above the statement before which the adjoint is wanted"


def schedule_of(source: Source, loop: ast.For | ast.While) -> Schedule | None:
    """The schedule that a directive above a loop names."""
    for line, text in _directives(source):
        if text.startswith(_OF_LOOPS) and _statement(source, line) is loop:
            return _loop_schedule(source, line, text)
    return None


def hooks_of(source: Source, stmt: ast.stmt) -> list[Hook]:
    """The statements for the reverse sweep above a statement."""
    found = (
        _hook(source, line, text)
        for line, text in _directives(source)
        if text.startswith("adjoint_of") and _statement(source, line) is stmt
    )
    return [hook for hook in found if hook is not None]


def hooked(source: Source) -> Iterator[tuple[ast.stmt, frozenset[str], str]]:
    """The statements with such directives above them: what these read there, and which variable is
    another version of itself from there on."""
    for line, text in _directives(source):
        stmt = _statement(source, line)
        hook = _hook(source, line, text) if stmt is not None else None
        if stmt is not None and hook is not None:
            read = {n.id for n in ast.walk(ast.parse(hook.statement)) if isinstance(n, ast.Name)}
            yield stmt, frozenset({hook.name, *read} - {hook.bar}), hook.name


def is_called_apart(source: Source, node: ast.AST) -> bool:
    """Whether a directive asks that what is called in a place has sweeps of its own."""
    line = getattr(node, "lineno", 0)
    if "adjointgen" not in source.text and not source.asked:
        return False
    return any(d.kind in OF_CALLS and d.first <= line <= d.last for d in directives([source]))


def directives(sources: Iterable[Source]) -> tuple[Directive, ...]:
    """What the directives of functions say of what is kept. Raises as `check_directives`."""
    found: dict[Directive, None] = {}
    for source in sources:
        check_directives(source)
        for line, text in _directives(source):
            stmt = _statement(source, line)
            match = _CALL.fullmatch(text)
            if stmt is None or match is None or match[1] not in (*OF_NAMES, *OF_CALLS):
                continue
            last = stmt.end_lineno or stmt.lineno
            name = (match[2] or "").strip()
            found[Directive(match[1], name, source.file, stmt.lineno, last)] = None
    return tuple(found)


def _directives(source: Source) -> Iterator[tuple[int, str]]:
    """The directives of a function: their lines and texts."""
    if "adjointgen" in source.text:
        for line, comment in source.comments():
            found = _DIRECTIVE.fullmatch(comment)
            if found:
                yield line, found[1]
    yield from source.asked


def _statement(source: Source, line: int) -> ast.stmt | None:
    """The statement that a comment is of: the one on its own line, or the next one."""
    later = (n for n in ast.walk(source.node) if isinstance(n, ast.stmt) and n.lineno >= line)
    return min(later, key=lambda n: (n.lineno, n.col_offset), default=None)


def _known(source: Source, line: int, text: str) -> tuple[str, str]:
    """The word and the argument of a directive, which is understood as far as that."""
    found = _CALL.fullmatch(text)
    word = found[1] if found else ""
    takes = word == "checkpoint" or word in OF_NAMES
    if found is None or word not in (*_OF_LOOPS, *OF_CALLS, *OF_NAMES):
        _refuse(source, line, f"unknown directive {text!r}", f"known are {', '.join(KNOWN)}")
    argument = (found[2] or "").strip()
    if not takes and found[2] is not None:
        _refuse(source, line, f"{word} takes no arguments", f"write `# adjointgen: {word}`")
    if word in OF_NAMES and not argument.isidentifier():
        _refuse(source, line, f"{text!r} names no variable", f"write {word}(x)")
    return word, argument


def _loop_schedule(source: Source, line: int, text: str) -> Schedule:
    word, argument = _known(source, line, text)
    if word == INDEPENDENT.kind:
        return INDEPENDENT
    try:
        return schedule(argument)
    except ValueError as error:
        _refuse(source, line, str(error), f"checkpoint takes {FORMS}")


def _hook(source: Source, line: int, text: str) -> Hook | None:
    """What an `adjoint_of` directive says. Raises SourceError (AG012) where it is none."""
    if not text.startswith("adjoint_of"):
        return None
    found = _HOOK.fullmatch(text)
    if found is None:
        help = "write adjoint_of(x) as x_bar: print(x_bar)"
        _refuse(source, line, f"{text!r} is no directive", help)
    name, bar, statement = found.groups()
    try:
        (parsed,) = ast.parse(statement).body
    except (SyntaxError, ValueError):
        _refuse(source, line, f"{statement!r} is no statement", "one statement on one line")
    _check_hook(source, line, name, bar, parsed)
    return Hook(name, bar, statement, line)


def _check_hook(source: Source, line: int, name: str, bar: str, parsed: ast.stmt) -> None:
    own = {n.id for n in ast.walk(source.node) if isinstance(n, ast.Name)}
    own |= {a.arg for a in ast.walk(source.node) if isinstance(a, ast.arg)}
    if name not in own:
        _refuse(source, line, f"there is no variable {name} here", "name one of the function")
    if bar in own:
        _refuse(source, line, f"{bar} is a variable of the function", "take another name")
    if not isinstance(parsed, ast.Expr | ast.Assign | ast.AugAssign):
        _refuse(source, line, "only a call or an assignment may stand there", _SIMPLE)
    if others := _bound(parsed) - {bar}:
        what = f"the statement assigns {min(others)}, which is not {bar}"
        _refuse(source, line, what, f"assign {bar} alone, or call a function")


_SIMPLE: Final = "put what is longer into a function, and call it"


def _bound(stmt: ast.stmt) -> set[str]:
    """The names that a statement assigns, or parts of."""
    return {_base(n) for n in ast.walk(stmt) if isinstance(getattr(n, "ctx", None), ast.Store)}


def _base(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _computed(stmt: ast.stmt) -> set[str]:
    """The variables that a statement assigns, or parts of, or that a call in it may write to."""
    given = (a for n in ast.walk(stmt) if isinstance(n, ast.Call) for a in n.args)
    return _bound(stmt) | {a.id for a in given if isinstance(a, ast.Name)}


def _has_call(stmt: ast.stmt) -> bool:
    return any(isinstance(n, ast.Call) for n in ast.walk(stmt))


def _refuse(source: Source, line: int, message: str, help: str) -> NoReturn:
    text = source.text.splitlines()[line - 1]
    start = text.index("#")
    span = Span(source.file, line, start, line, len(text))
    raise SourceError(message, code="AG012", span=span, source=source.text, help=help)
