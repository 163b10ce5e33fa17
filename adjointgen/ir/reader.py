"""The reader of listings: the grammar that `ir/text.py` prints, by recursive descent.

A line is a statement and indentation a block, so each method either consumes words of the current
line or lines of one depth. Names are looked up in one scope for the whole function: they are
unique, and the reverse blocks of an open adjoint read those of its forward blocks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TypeVar

from adjointgen.ir.edit import stem
from adjointgen.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Dtype,
    Function,
    Leaf,
    Literal,
    Loop,
    Node,
    Operand,
    Options,
    Packed,
    Parameter,
    Record,
    Replay,
    Slot,
    Stmt,
    Tree,
    Value,
    While,
    natural,
)
from adjointgen.ir.packing import plain_parameters, plain_results
from adjointgen.ir.schedules import Schedule, stated
from adjointgen.ir.types import parse_type
from adjointgen.records import replace

T = TypeVar("T")

_CODE = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^"#])*')  # what stands before a comment
_NAME = r"[^\W\d][\w.]*"
_STRING = r'"(?:[^"\\]|\\.)*"'
_TYPE = r"(?:list )?\w+(?:=[\w.+|<>-]+|\[[^\]]*\])?"
_FLOAT = r'-?\d[\d.]*(?:e[+-]?\d+)?|float\("-?\w+"\)'
_WORDS: dict[str, Literal] = {"True": True, "False": False, "None": None, "undefined": UNDEFINED}


def read(text: str) -> Function:
    """The function that a listing shows. Raises ValueError where the text is not one."""
    return _Reader(text).program()


class _Reader:
    """`line` is what is left of the current line, `row` the number of the next."""

    def __init__(self, text: str) -> None:
        stripped = (_CODE.match(line) for line in text.split("\n"))
        self.lines = [found[0].rstrip() for found in stripped if found and found[0].strip()]
        self.row = 0
        self.line = ""
        self.values: dict[str, Value] = {}

    def program(self) -> Function:
        """A function, and below it those that it calls."""
        first, callees = self.function(), []
        while self.depth() == 0 and self.lines[self.row].startswith("function "):
            callees.append(self.function())
        if self.depth() >= 0:
            raise self.fail("the end of the function")
        return replace(first, callees=tuple(callees))

    def function(self) -> Function:
        self.advance()
        self.need("function")
        name = self.need(_NAME)
        params = self.many(self.define)
        self.need("->")
        names = self.many(lambda: self.need(_NAME))
        self.close()
        parameters, results, imports = plain_parameters(params), plain_results(len(names)), []
        if self.ahead("parameters"):
            parameters = self.rest(lambda: self.many(self.parameter))
        if self.ahead("results"):
            results = self.rest(self.tree)
        packed: list[Packed] = []
        while self.ahead("packed"):
            packed.append(self.rest(lambda: Packed(self.need(_NAME), self.tree())))
        while self.ahead("import"):
            imports.append(self.rest(self.string))
        body = self.block(params, 0, "return")
        lines = tuple(imports)
        return Function(name, parameters, body, results, names, imports=lines, packed=tuple(packed))

    def parameter(self) -> Parameter:
        keyword_only = self.match(r"named(?=\s+\w)") is not None
        star = self.match(r"\*\*?") or ""
        name = self.need(_NAME)
        default = self.string() if self.match("=") else ""
        return Parameter(name, default, keyword_only, star)

    def tree(self) -> Tree:
        if self.match("<"):
            slot = Slot(self.word())
            self.need(">")
            return slot
        if not self.line.startswith('"'):
            name = self.need(_NAME)
            return Leaf("" if name == "_" else name)
        make = self.string()
        keys, *of = self.some(self.string) if self.match(r"\[") else ("()",)
        self.match(r"\]")
        return Node(make, self.many(self.tree), ast.literal_eval(keys), "".join(of))

    def block(self, params: tuple[Value, ...], above: int, end: str = "yield") -> Block:
        """The lines indented more than the line above them."""
        depth = self.depth()
        if depth <= above:
            raise self.fail("an indented line")
        stmts: list[Stmt] = []
        yields: tuple[Operand, ...] = ()
        while self.depth() == depth:
            self.advance()
            if self.match(rf"{end}\b"):
                yields = self.some(self.operand)
                self.close()
                break
            if not self.match(r"pass\Z"):
                stmts.append(self.stmt(depth))
        if self.depth() > above:
            raise self.fail(f"the block to end after {end!r}")
        return Block(params, tuple(stmts), yields)

    def stmt(self, depth: int) -> Stmt:
        results: tuple[Value, ...] = ()
        if re.match(rf"{_NAME}(?:'[\w.]*)?:", self.line):
            results = self.some(self.define)
            self.need("=")
        if self.match(r"loop\b"):
            return self.loop(results, depth)
        if self.match(r"while\b"):
            return self.repeat(results, depth)
        if self.match(r"if\b"):
            return self.branch(results, depth)
        stmt = self.simple(results)
        self.close()
        return stmt

    def simple(self, results: tuple[Value, ...]) -> Stmt:
        if self.match(r"record\b"):
            slot = self.word()
            self.need("<-")
            return Record(slot, self.operand())
        if self.match(r"replay\b"):
            (result,) = results
            return Replay(result, self.word())
        if self.match(r"call\b"):
            name, args = self.word(), self.many(self.operand)
            return Call(results, name, args, effect=self.match(r"effect\b") is not None)
        op = self.need(_NAME)
        return Apply(results, op, self.many(self.operand), self.options())

    def loop(self, results: tuple[Value, ...], depth: int) -> Loop:
        index = self.define()
        backwards = self.match(r"backwards\b") is not None
        parallel = self.match(r"parallel\b") is not None
        self.need(r"from\b")
        start, stop, step = self.many(self.operand)
        params, inits = self.carry()
        trips = self.define() if self.match(r"trips\b") else None
        pair, schedule = self.pair(), self.schedule()
        self.end_head()
        body, bounds = self.block(params, depth), (start, stop, step)
        made = Loop(results, index, bounds, inits, body, backwards, trips, pair)
        return replace(made, parallel=parallel, schedule=schedule)

    def repeat(self, results: tuple[Value, ...], depth: int) -> While:
        params, inits = self.carry()
        self.need("trips")
        trips = self.define()
        breaks = self.match(r"breaks\b") is not None
        pair, schedule = self.pair(), self.schedule()
        self.end_head()
        inner = self.depth()
        self.advance()
        self.need("test")
        own = self.many(self.define) if self.line.startswith("(") else params
        self.end_head()
        test = self.block(own, inner)
        self.advance()
        self.need("body")
        self.end_head()
        made = While(results, trips, inits, test, self.block(params, inner), breaks, pair)
        return replace(made, schedule=schedule)

    def branch(self, results: tuple[Value, ...], depth: int) -> Branch:
        test = self.operand()
        pair = self.pair()
        self.end_head()
        then = self.block((), depth)
        self.advance()
        self.need("else")
        self.end_head()
        return Branch(results, test, then, self.block((), depth), pair)

    def carry(self) -> tuple[tuple[Value, ...], tuple[Operand, ...]]:
        pairs = self.many(self.carried) if self.match(r"carry\b") else ()
        return tuple(p for p, _ in pairs), tuple(i for _, i in pairs)

    def carried(self) -> tuple[Value, Operand]:
        value = self.define()
        self.need("=")
        return value, self.operand()

    def schedule(self) -> Schedule | None:
        found = self.match(r"independent\b|checkpoint\([^)]*\)")
        return None if found is None else stated(found)

    def pair(self) -> int:
        return int(self.need(r"\d+")) if self.match(r"pair\b") else 0

    def end_head(self) -> None:
        self.need(":")
        self.close()

    def define(self) -> Value:
        name = self.need(_NAME)
        root = self.match(r"'[\w.]*")
        self.need(":")
        type = parse_type(self.need(_TYPE))
        value = Value(name, type, stem(name) if root is None else root[1:])
        self.values[name] = value
        return value

    def operand(self) -> Operand:
        value = self.literal()
        if value is None:
            name = self.need(_NAME, "an operand")
            if name in self.values:
                return self.values[name]
            if name not in _WORDS:
                raise self.fail(f"a definition of {name!r} above")
            value = _WORDS[name]
        type = parse_type(self.need(_TYPE)) if self.match(r":(?=\w)") else natural(value)
        return Const(value, type)

    def literal(self) -> Literal:
        """A number or string; None where there is neither."""
        if self.match(r"complex\("):
            real = self.number()
            self.need(",")
            value = complex(float(real), float(self.number()))
            self.need(r"\)")
            return value
        if self.match(r"dtype\("):
            named = Dtype(self.string())
            self.need(r"\)")
            return named
        if self.line.startswith('"'):
            return self.string()
        return self.number() if re.match(_FLOAT, self.line) else None

    def number(self) -> int | float:
        text = self.need(_FLOAT)
        if text.startswith("float"):
            return float(text[len('float("') : -len('")')])
        return int(text) if text.lstrip("-").isdigit() else float(text)

    def options(self) -> Options:
        if not self.line.startswith("["):
            return ()
        call = ast.parse(f"f({self.line[1:].rstrip().removesuffix(']')})", mode="eval").body
        self.line = ""
        assert isinstance(call, ast.Call)
        return tuple((k.arg or "", _evaluate(k.value)) for k in call.keywords)

    def string(self) -> str:
        return str(ast.literal_eval(self.need(_STRING)))

    def word(self) -> str:
        return self.string() if self.line.startswith('"') else self.need(_NAME)

    def some(self, item: Callable[[], T]) -> tuple[T, ...]:
        """One or more items, separated by commas."""
        items = [item()]
        while self.match(","):
            items.append(item())
        return tuple(items)

    def many(self, item: Callable[[], T]) -> tuple[T, ...]:
        """Items between brackets."""
        self.need(r"\(")
        items = () if self.line.startswith(")") else self.some(item)
        self.need(r"\)")
        return items

    def rest(self, item: Callable[[], T]) -> T:
        """One item after the first word of a line of its own."""
        self.advance()
        self.need(r"\w+")
        found = item()
        self.close()
        return found

    def depth(self) -> int:
        """The indentation of the next line, -1 at the end."""
        if self.row == len(self.lines):
            return -1
        return len(self.lines[self.row]) - len(self.lines[self.row].lstrip())

    def ahead(self, word: str) -> bool:
        return self.depth() > 0 and self.lines[self.row].lstrip().startswith(f"{word} ")

    def advance(self) -> None:
        if self.depth() < 0:
            raise self.fail("another line")
        self.line = self.lines[self.row].strip()
        self.row += 1

    def match(self, pattern: str) -> str | None:
        """Consume a pattern, and the blanks after it, if the line goes on with it."""
        found = re.match(rf"({pattern})\s*", self.line)
        if found is None:
            return None
        self.line = self.line[found.end() :]
        return found[1]

    def need(self, pattern: str, what: str = "") -> str:
        if (found := self.match(pattern)) is None:
            raise self.fail(what or pattern)
        return found

    def close(self) -> None:
        if self.line:
            raise self.fail("the end of the line")

    def fail(self, expected: str) -> ValueError:
        here = self.lines[self.row - 1].strip() if self.row else ""
        return ValueError(f"expected {expected} before {self.line!r} in {here!r}")


def _evaluate(node: ast.expr) -> object:
    """The value of an option: literals, and floats that are not finite."""
    match node:
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))]):
            return float(text)
        case ast.Call(func=ast.Name(id="complex"), args=[real, imag]):
            return complex(*(float(str(_evaluate(part))) for part in (real, imag)))
        case ast.Tuple(elts=elements):
            return tuple(map(_evaluate, elements))
        case _:
            return ast.literal_eval(node)
