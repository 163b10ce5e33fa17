"""Branch coverage: which ways the tests of a function went, and which they never did.

A derivative is verified on the path that its function takes at the point, and on no other.  The
function runs once with a tracer that sees every instruction; the place of an instruction in the
source says whether it belongs to a test, and the next one where the test led.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from dis import opname
from linecache import getlines
from os.path import basename
from types import CodeType, FrameType
from typing import Any, TypeAlias

import numpy as np

from adjointgen.verify.twins import twins

Place: TypeAlias = tuple[int, int, int, int]
# What one instruction says: the tests that it belongs to, and the bodies.
Marks: TypeAlias = tuple[frozenset[int], frozenset[int]]

# Instructions that are looked at: a run that takes more is seen in part.
MOST = 400_000
TESTS = ("true", "false")
ENTERED = ("entered",)
# What stands between a test and where it leads.
DECIDING = ("TO_BOOL", "NOT_TAKEN", "CACHE", "EXTENDED_ARG")
NOWHERE: Marks = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Branch:
    """A test, a loop or a handler: where it stands, how it reads, and the ways that it went."""

    file: str
    line: int
    text: str
    ways: tuple[str, ...]
    taken: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The ways that it did not go."""
        return tuple(way for way in self.ways if way not in self.taken)

    def __str__(self) -> str:
        went = (" and ".join(self.taken), *(f"never {way}" for way in self.missing))
        return f"{basename(self.file)}:{self.line} {self.text}: {', '.join(filter(None, went))}"


@dataclass(frozen=True, slots=True)
class Region:
    """A branch in its file, with the places of its test and of the body that it leads to."""

    branch: Branch
    test: Place | None
    body: Place


def branches_taken(
    function: Callable[..., Any], run: Callable[..., Any], args: Iterable[Any]
) -> tuple[Branch, ...]:
    """The branches of a function and of what it calls in its file, with the ways they went.

    `run` calls the function with these arguments.
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType) or not (regions := regions_of(code.co_filename)):
        return ()
    seen = Seen(regions, code.co_filename)
    given = twins(tuple(args))
    before = sys.gettrace()
    sys.settrace(seen.enter)
    try:
        with np.errstate(all="ignore"):
            run(*given)
    except Exception:  # what a function raises at its point is judged elsewhere
        pass
    finally:
        sys.settrace(before)
    return seen.found()


def joined(runs: Iterable[tuple[Branch, ...]]) -> tuple[Branch, ...]:
    """The branches of several runs of a function, each with the ways of all."""
    found: dict[Branch, set[str]] = {}
    for run in runs:
        for branch in run:
            found.setdefault(replace(branch, taken=()), set()).update(branch.taken)
    rows = sorted(found.items(), key=lambda row: row[0].line)
    return tuple(replace(b, taken=tuple(w for w in b.ways if w in went)) for b, went in rows)


class Seen:
    """What a run was seen to do: the ways of each region, and the code that was entered."""

    def __init__(self, regions: tuple[Region, ...], file: str) -> None:
        self.regions = regions
        self.file = file
        self.ways: list[set[str]] = [set() for _ in regions]
        self.codes: dict[CodeType, list[Marks | None]] = {}
        self.left = MOST

    def enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        """The tracer of a call; None where nothing is to be seen."""
        code = frame.f_code
        if code.co_filename != self.file or self.left <= 0:
            return None
        if code not in self.codes:
            self.codes[code] = self._marks_of(code)
        frame.f_trace_opcodes = True
        return self._follow(self.codes[code])

    def _marks_of(self, code: CodeType) -> list[Marks | None]:
        """What every instruction of a code object says.

        Conditional jumps, which may have the place of a whole statement, say nothing.
        """
        known: dict[Any, Marks] = {}
        found: list[Marks | None] = []
        for k, (first, last, column, end) in enumerate(code.co_positions()):
            name = opname[code.co_code[2 * k]]
            if None in (first, last, column, end) or "_IF_" in name or name in DECIDING:
                found.append(None)
                continue
            place: Any = (first, column, last, end)
            if place not in known:
                known[place] = self._marks(place)
            found.append(known[place])
        return found

    def _follow(self, marks: list[Marks | None]) -> Callable[[FrameType, str, Any], Any]:
        before = NOWHERE

        def see(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal before
            if event == "exception":
                before = NOWHERE
            if event != "opcode":
                return see
            if self.left <= 0:
                # What a local tracer returns cannot end it.
                sys.settrace(None)
                frame.f_trace_opcodes = False
                return None
            self.left -= 1
            here = marks[frame.f_lasti // 2]
            if here is not None and here is not before:
                for test in before[0] - here[0]:
                    self.ways[test].add(TESTS[test not in here[1]])
                for body in here[1]:
                    if self.regions[body].test is None:
                        self.ways[body].add(ENTERED[0])
                before = here
            return see

        return see

    def _marks(self, place: Place) -> Marks:
        tests = {k for k, r in enumerate(self.regions) if r.test and _inside(place, r.test)}
        bodies = {k for k, r in enumerate(self.regions) if _inside(place, r.body)}
        return frozenset(tests), frozenset(bodies)

    def found(self) -> tuple[Branch, ...]:
        """The branches in the code that was entered."""
        spans = []
        for code in self.codes:
            lines = [line for _, _, line in code.co_lines() if line is not None]
            spans.append((code.co_firstlineno, max(lines, default=0)))
        rows = []
        for region, ways in zip(self.regions, self.ways, strict=True):
            branch = region.branch
            if any(first <= branch.line <= last for first, last in spans):
                rows.append(replace(branch, taken=tuple(w for w in branch.ways if w in ways)))
        return tuple(rows)


def regions_of(file: str) -> tuple[Region, ...]:
    """The branches of a file, in order; none where its text is not at hand."""
    try:
        tree = ast.parse("".join(getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    rows = [row for node in ast.walk(tree) for row in _regions(file, node)]
    return tuple(sorted(rows, key=lambda row: row.branch.line))


def _regions(file: str, node: ast.AST) -> Iterator[Region]:
    match node:
        case ast.If(test=test, body=body):
            yield _tested(file, f"if {ast.unparse(test)}", test, _span(body))
        case ast.While(test=test, body=body) if not isinstance(test, ast.Constant):
            yield _tested(file, f"while {ast.unparse(test)}", test, _span(body))
        case ast.IfExp(test=test, body=arm):
            yield _tested(file, ast.unparse(node), test, _place(arm))
        case ast.For(target=target, iter=source, body=body):
            text = f"for {ast.unparse(target)} in {ast.unparse(source)}"
            yield _entered(file, node, text, _span(body))
        case ast.ExceptHandler(type=kind, body=body):
            text = f"except {ast.unparse(kind)}" if kind else "except"
            yield _entered(file, node, text, _span(body))
        case ast.match_case(pattern=pattern, body=body):
            yield _entered(file, pattern, f"case {ast.unparse(pattern)}", _span(body))


def _tested(file: str, text: str, test: ast.expr, body: Place) -> Region:
    return Region(Branch(file, test.lineno, _short(text), TESTS), _place(test), body)


def _entered(file: str, node: Any, text: str, body: Place) -> Region:
    return Region(Branch(file, node.lineno, _short(text), ENTERED), None, body)


def _place(node: ast.AST) -> Place:
    where: Any = node
    return where.lineno, where.col_offset, where.end_lineno, where.end_col_offset


def _span(body: list[ast.stmt]) -> Place:
    return (*_place(body[0])[:2], *_place(body[-1])[2:])


def _inside(one: Place, other: Place) -> bool:
    return other[:2] <= one[:2] and one[2:] <= other[2:]


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
