"""Building statements: a `Builder` collects them, a `Handle` lets a rule be written as arithmetic.

`lambda y, x: 0.5 / y` and `lambda y, x: np.cos(x)` are rules. Called with handles they append the
statements `div(0.5, y)` and `cos(x)`: operators through Python's own protocol, functions through
NumPy's `__array_ufunc__` and `__array_function__` (NEP 13 and 18), so a rule is plain NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from adjointgen.errors import NoRule, Span
from adjointgen.ir.nodes import (
    TAPES,
    Apply,
    Block,
    Call,
    Const,
    Function,
    Literal,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    defined_in,
    natural,
    walk,
)
from adjointgen.ir.types import PYTHON, Type
from adjointgen.records import replace
from adjointgen.rules.framework.handle_protocol import ArrayProtocol, called
from adjointgen.rules.framework.table import TABLE, Row


def const(value: Literal, type: Type | None = None) -> Const:
    """A literal operand, typed by what it is unless told."""
    return Const(value, natural(value) if type is None else type)


_NOTHING = Block((), (), ()), frozenset[str](), ()


class Names:
    """Fresh value names of one function: `y`, `y_2`, `y_3`; temporaries are `t`, `t_2`."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._count: dict[str, int] = {}

    @classmethod
    def of(cls, function: Function, also: Iterable[str] = ()) -> Names:
        """A supply that avoids every name of a function, those of its tapes included."""
        slots = (s.slot for s in walk(function.body) if isinstance(s, TAPES))
        return cls([*(v.name for v in defined_in(function.body)), *slots, *also])

    def fresh(self, stem: str) -> str:
        stem = stem or "t"
        count = self._count.get(stem, 0)
        while True:
            count += 1
            name = stem if count == 1 else f"{stem}_{count}"
            if name not in self._taken:
                self._count[stem] = count
                self._taken.add(name)
                return name


class Builder:
    """Appends statements to the block being built. One builder serves one function.

    `module` is whose numbers a rule computes with, and `wanted` says for which of its arguments an
    adjoint rule is asked, all where it is empty.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.span: Span | None = None
        self.module = ""
        self.wanted: tuple[bool, ...] = ()
        self._followed: tuple[Block, frozenset[str], tuple[Value, ...]] = _NOTHING
        self._stack: list[list[Stmt]] = [[]]
        self._made: dict[str, Apply] = {}

    @property
    def stmts(self) -> tuple[Stmt, ...]:
        return tuple(self._stack[-1])

    def made(self, operand: Operand) -> Apply | None:
        """The operation, added here, that has this operand for its only result."""
        return self._made.get(operand.name) if isinstance(operand, Value) else None

    def follow(self, forward: Block, varied: frozenset[str], seeds: Iterable[Value]) -> None:
        """Build the reverse sweep of a block, where those values and not the seeds are varied."""
        self._followed = forward, varied, tuple(seeds)

    @cached_property
    def unvaried(self) -> frozenset[str]:
        """The names of values that are known not to vary with what is differentiated."""
        forward, varied, seeds = self._followed
        return frozenset(v.name for v in (*defined_in(forward), *seeds)) - varied

    @cached_property
    def makers(self) -> Mapping[str, Apply]:
        """The operations of the forward sweep by their only results."""
        every = walk(self._followed[0])
        return {s.result.name: s for s in every if isinstance(s, Apply) and len(s.results) == 1}

    @property
    def last(self) -> Stmt | None:
        """The statement that was appended last to the block."""
        return self._stack[-1][-1] if self._stack[-1] else None

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Collect the statements appended meanwhile in a list of their own."""
        inner: list[Stmt] = []
        self._stack.append(inner)
        try:
            yield inner
        finally:
            self._stack.pop()

    @contextmanager
    def called_as(self, stmt: Apply) -> Iterator[None]:
        """While a rule for this operation is run: numbers are computed by the user's module.

        `math` where `math` or Python itself was called, which raise alike, else NumPy. A rule that
        fails is one for other operands: NoRule (AG201).
        """
        row = TABLE[stmt.op]
        first = "" if row.symbol or not row.spellings else row.spellings[0]
        spelling = str(stmt.option("spelling", first))
        above = self.module
        self.module = "numpy" if spelling.startswith((".", "numpy.", "scipy.")) else "math"
        try:
            yield
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            given = ", ".join(str(a.type) for a in stmt.args)
            raise NoRule(
                f"no derivative rule for {spelling.lstrip('.') or row.name} of {given}",
                code="AG201",
                span=stmt.span,
                help="declare the types of the arguments, if they are others",
            ) from error
        finally:
            self.module = above

    def value(self, root: str, type: Type, stem: str = "") -> Value:
        """A fresh value; `stem` names a temporary without giving it a root."""
        return Value(self.names.fresh(root or stem), type, root)

    def add(self, stmt: Stmt) -> None:
        self._stack[-1].append(stmt)
        if isinstance(stmt, Apply) and len(stmt.results) == 1:
            self._made[stmt.results[0].name] = stmt

    def apply(
        self, op: str, *args: Operand, root: str = "", stem: str = "", **options: Any
    ) -> Value:
        """Append `result = op(*args, **options)`; the type follows from the table."""
        (result,) = self.apply_many(op, *args, roots=(root,), stem=stem, **options)
        return result

    def apply_many(
        self, op: str, *args: Operand, roots: tuple[str, ...] = (), stem: str = "", **options: Any
    ) -> tuple[Value, ...]:
        """The same for operations with several results."""
        row = TABLE[op]
        types = row.infer(tuple(a.type for a in args), options)
        if self.module == "math" and "spelling" not in options:
            options |= _of_math(row, (*(a.type for a in args), *types))
        roots = roots if len(roots) == len(types) else ("",) * len(types)
        results = tuple(self.value(r, t, stem) for r, t in zip(roots, types, strict=True))
        self.add(Apply(results, op, args, tuple(sorted(options.items())), self.span))
        return results

    def rename(self, value: Value, root: str, stem: str = "") -> Value:
        """Give the value that the last statement made another name, if it did make it.

        It is a version of the variable `root`, or a temporary that is called after its `stem`.
        """
        stmts = self._stack[-1]
        last = stmts[-1] if stmts else None
        if not isinstance(last, Apply | Call) or value not in last.results:
            return value
        if isinstance(last, Apply) and len(last.results) > 1:
            return value
        named = self.value(root, value.type, stem)
        results = tuple(named if r == value else r for r in last.results)
        stmts.pop()
        self.add(replace(last, results=results))
        return named

    def retyped(self, value: Value, type: Type) -> Value:
        """The result of the last statement, of which more is known than its operation tells."""
        known = replace(value, type=type)
        self.name_last(value, known)
        return known

    def name_last(self, value: Value, name: Value) -> None:
        """Give the only result of the last statement the name that is known elsewhere."""
        last = self._stack[-1].pop()
        assert not isinstance(last, Record | Replay) and last.results == (value,)
        self.add(replace(last, results=(name,)))

    def replace_last(self, stmt: Stmt) -> None:
        """Put a statement in the place of the last one."""
        self._stack[-1].pop()
        self.add(stmt)

    def handle(self, operand: Operand) -> Handle:
        return Handle(self, operand)

    def lower(self, value: Any) -> Operand:
        """A handle, operand or Python number as an operand."""
        if isinstance(value, Handle):
            return value.operand
        if isinstance(value, Value | Const):
            return value
        if getattr(value, "shape", ()):
            help = "compute it from the operands: np.zeros_like(x), np.arange(len(x))"
            raise NoRule("a rule holds an array of its own", code="AG201", help=help)
        return const(value)


def _of_math(row: Row, types: Iterable[Type]) -> dict[str, str]:
    """The spelling of a function of Python's numbers by `math` or a builtin, where it has one."""
    if row.symbol or not all(t.is_scalar and t.dtype in PYTHON for t in types):
        return {}
    found = next((s for s in row.spellings if s.startswith("math.") or s == "builtins.abs"), None)
    return {} if found is None else {"spelling": found}


def block(params: Iterable[Value], stmts: Iterable[Stmt], yields: Iterable[Operand]) -> Block:
    return Block(tuple(params), tuple(stmts), tuple(yields))


class Handle(ArrayProtocol):
    """An operand that appends to its builder whatever is done with it."""

    __slots__ = ("builder", "operand")
    __array_priority__ = 1000.0

    def __init__(self, builder: Builder, operand: Operand) -> None:
        self.builder = builder
        self.operand = operand

    @property
    def type(self) -> Type:
        return self.operand.type

    def apply(self, op: str, *args: Any, **options: Any) -> Handle:
        lowered = [self.builder.lower(a) for a in args]
        return Handle(self.builder, self.builder.apply(op, *lowered, **options))

    def several(self, op: str, *args: Any, **options: Any) -> tuple[Handle, ...]:
        """The results of an operation that has more than one."""
        lowered = [self.builder.lower(a) for a in args]
        made = self.builder.apply_many(op, *lowered, **options)
        return tuple(Handle(self.builder, m) for m in made)

    def __getitem__(self, key: Any) -> Handle:
        """A part, by numbers, slices, `None`, `...` and handles."""
        operands: list[Any] = []
        items = key if isinstance(key, tuple) else (key,)
        pattern = ", ".join(index_text(item, operands) for item in items)
        return self.apply("load", self, *operands, index=pattern)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        row = TABLE.find(f"numpy.{ufunc.__name__}")
        if method != "__call__" or row is None:
            return NotImplemented
        return self.apply(row.name, *inputs, **options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        row = TABLE.find(f"{func.__module__}.{func.__name__}")
        if row is None:
            return NotImplemented
        return called(row, args, kwargs)


def index_text(item: Any, operands: list[Any]) -> str:
    """One item between the brackets, its handles put among the operands."""
    match item:
        case slice(start=start, stop=stop, step=step):
            ends = ["" if e is None else index_text(e, operands) for e in (start, stop)]
            return ":".join([*ends, *([] if step is None else [index_text(step, operands)])])
        case Handle():
            operands.append(item)
            return "_"
    return "..." if item is ... else repr(item)


def _binary(op: str) -> tuple[Any, Any]:
    return (
        lambda self, other: self.apply(op, self, other),
        lambda self, other: self.apply(op, other, self),
    )


def _unary(op: str) -> Any:
    return lambda self: self.apply(op, self)


for _name, _op in {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floordiv",
    "mod": "mod",
    "pow": "pow",
    "matmul": "matmul",
}.items():
    _forward, _reflected = _binary(_op)
    setattr(Handle, f"__{_name}__", _forward)
    setattr(Handle, f"__r{_name}__", _reflected)
for _name, _op in {"lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne"}.items():
    setattr(Handle, f"__{_name}__", _binary(_op)[0])
for _name, _op in {"and": "bit_and", "or": "bit_or", "xor": "bit_xor"}.items():
    setattr(Handle, f"__{_name}__", _binary(_op)[0])
    setattr(Handle, f"__r{_name}__", _binary(_op)[1])
for _name, _op in {"neg": "neg", "abs": "abs", "invert": "invert"}.items():
    setattr(Handle, f"__{_name}__", _unary(_op))
