"""Which way tests go in a run, call by call and iteration by iteration.

    for k in range(3):                 if a[k] > 0: true in the iterations 0 and 2, false in 1
        if a[k] > 0:
            ...

The text of what runs is compiled again with a probe around each test, and one that counts at the
start of each loop and of its iterations. Where a test is asked is told by the lines of the calls
that lead there, and by the iterations of the loops around it.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Set
from linecache import getline
from types import CodeType, FrameType
from typing import Any, Final

from adjointgen.frontend.domain.untaken import OUTCOME, Asked, Outcomes, Place, Taken, place_of
from adjointgen.observe.exchange import codes_of, exchange, probed

_PROBE: Final = "__adjointgen_probe__"
_MOST: Final = 256
"""A test that is asked more often is not told of."""
_INLINE: Final = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def outcomes(function: Callable[[], object], files: Set[str] | None = None) -> Outcomes:
    """Run a function twice, and note which way its tests go; raises what it raises.

    The tests, and the calls that lead there, are those in `files`, if these are given.
    """
    ran = codes_of(function, files)
    noted = _Noted()
    setattr(builtins, _PROBE, noted)
    new = dict(probed(ran, lambda file, tree: _Probing(file).visit(tree)))
    noted.codes = set(new.values())
    exchange(new)
    function()
    return {place: asked for place, asked in noted.found.items() if len(asked) <= _MOST}


def held_tests(found: Outcomes) -> tuple[Taken, ...]:
    """The tests, each as one that goes as it went."""
    return tuple(
        Taken(file, place, OUTCOME, f"{place[0]}: no derivative where {_said(file, place)}")
        for file, place in found
    )


def _said(file: str, place: Place) -> str:
    line = getline(file, place[0]).encode()
    end = place[3] if place[2] == place[0] else len(line)
    return f"`{line[place[1] : end].decode(errors='replace').strip()}` turns out otherwise"


class _Noted:
    """What is noted while a function runs: outcomes, and the iterations of loops by frame."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, Place], list[Asked]] = {}
        self.codes: set[CodeType] = set()
        self._loops: dict[int, dict[tuple[str, int], int]] = {}

    def __call__(self, what: str, file: str, place: Place, value: Any = None) -> Any:
        frame = sys._getframe(1)
        if what == "enter":
            self._loops[id(frame)] = {}
        elif what == "start":
            self._own(frame)[file, place[0]] = -1
        elif what == "next":
            around = frame.f_back if frame.f_code.co_name in _INLINE else None
            loops = self._own(around or frame)
            loops[file, place[0]] = loops.get((file, place[0]), -1) + 1
        else:
            value = bool(value)
            asked = self.found.setdefault((file, place), [])
            if len(asked) <= _MOST:
                asked.append((*self._where(frame), value))
        return value

    def _own(self, frame: FrameType) -> dict[tuple[str, int], int]:
        return self._loops.setdefault(id(frame), {})

    def _where(self, frame: FrameType | None) -> tuple[tuple[int, ...], frozenset[Any]]:
        lines: list[int] = []
        loops: set[tuple[str, int, int]] = set()
        while frame is not None:
            if frame.f_code in self.codes or frame.f_code.co_name in _INLINE:
                own = self._loops.get(id(frame), {})
                loops |= {(file, line, count) for (file, line), count in own.items()}
            caller = frame.f_back
            if caller is not None and caller.f_code in self.codes:
                lines.append(caller.f_lineno)
            frame = caller
        return tuple(reversed(lines)), frozenset(loops)


class _Probing(ast.NodeTransformer):
    """Puts a probe around each test, and others where loops begin and go on."""

    def __init__(self, file: str) -> None:
        self.file = file

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        first = node.body[0]
        told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        node.body.insert(1 if told else 0, self._statement("enter", node))
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._tested(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._tested(node)

    def visit_While(self, node: ast.While) -> Any:
        self._tested(node)
        node.body.insert(0, self._statement("next", node))
        return [self._statement("start", node), node]

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        node.body.insert(0, self._statement("next", node))
        return [self._statement("start", node), node]

    def visit_ListComp(self, node: Any) -> ast.AST:
        """Each entry is counted by a condition that holds."""
        self.generic_visit(node)
        place, first = place_of(node) or (0, 0, 0, 0), node.generators[0]
        first.iter = self._at(first.iter, "start", place, first.iter)
        for generator in node.generators:
            tests = [(test, place_of(test)) for test in generator.ifs]
            generator.ifs = [
                test if known is None else self._at(test, "test", known, test)
                for test, known in tests
            ]
        counted = self._at(node, "next", place, ast.copy_location(ast.Constant(True), node))
        first.ifs.insert(0, counted)
        return node  # type: ignore[no-any-return]

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def _at(self, where: ast.AST, what: str, place: Place, value: ast.expr) -> ast.expr:
        return ast.copy_location(self._probe(what, place, value), where)

    def _tested(self, node: Any) -> ast.AST:
        place = place_of(node.test)
        self.generic_visit(node)
        if place is not None:
            node.test = ast.copy_location(self._probe("test", place, node.test), node.test)
        return node  # type: ignore[no-any-return]

    def _statement(self, what: str, node: ast.AST) -> ast.stmt:
        made = self._probe(what, place_of(node) or (0, 0, 0, 0))
        return ast.copy_location(ast.Expr(ast.copy_location(made, node)), node)

    def _probe(self, what: str, place: Place, *value: ast.expr) -> ast.expr:
        known = [ast.Constant(what), ast.Constant(self.file), ast.Constant(place)]  # type: ignore[arg-type]
        return ast.Call(ast.Name(_PROBE, ast.Load()), [*known, *value], [])
