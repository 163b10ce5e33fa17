"""Runs the intermediate representation directly, by its definition.

Every value is immutable: `store` copies. A row of the table is called by its first spelling; the
rows that no Python function spells have their meaning in `STRUCTURAL`. What a pass does to a
program is right where this interpreter gives the same numbers before and after it.
"""

import importlib
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from functools import cache
from itertools import count
from typing import Any, assert_never

import numpy as np

from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Function,
    Leaf,
    Loop,
    Node,
    Operand,
    Record,
    Replay,
    Slot,
    Stmt,
    Tree,
    Value,
    While,
)
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.table import Row
from tests.interp_lists import LISTS
from tests.interp_written import HELPERS, placeholders, written

# Options that say how an operation is printed.
LABELS = ("spelling", "callee", "effect")
USER_CODE = ("verbatim", "statement")
Environment = dict[str, Any]
Functions = Mapping[str, Callable[..., Any]]


def run(
    function: Function,
    *args: Any,
    environment: Mapping[str, Any] | None = None,
    functions: Functions | None = None,
) -> Any:
    """The packed result of a function; `functions` are what its `Call` statements name."""
    known = dict(functions or {})
    for callee in function.callees:
        known[callee.name] = _called(callee, environment, known)
    return _called(function, environment, known)(*args)


def _called(
    function: Function, environment: Mapping[str, Any] | None, functions: Functions
) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        names: dict[str, Any] = {"np": np, "numpy": np}
        exec("\n".join(function.imports), names)
        names.update(environment or {})
        machine = Machine(names, functions)
        yields = machine.call(function.body, args)
        return pack(function.results, iter(yields), machine.tapes)

    return call


def pack(tree: Tree, values: Iterator[Any], tapes: Mapping[str, list[Any]]) -> Any:
    """The structure that a tree describes, filled from the leaves."""
    match tree:
        case Leaf():
            return next(values)
        case Slot(name=name):
            return tapes[name]
        case Node(make="tuple" | "", children=children):
            return tuple(pack(c, values, tapes) for c in children)
        case Node(make="list", children=children):
            return [pack(c, values, tapes) for c in children]
        case Node(make=make):
            raise NotImplementedError(f"no structure {make!r}")


class Machine:
    """Executes blocks. The values are in one flat environment, since names are unique."""

    def __init__(self, names: Mapping[str, Any], functions: Functions) -> None:
        self.names = dict(names)
        self.functions = functions
        self.values: Environment = {}
        self.tapes: dict[str, list[Any]] = defaultdict(list)

    def call(self, block: Block, args: Sequence[Any]) -> list[Any]:
        for parameter, value in zip(block.params, args, strict=True):
            self.values[parameter.name] = value
        for stmt in block.stmts:
            self.execute(stmt)
        return [self.read(y) for y in block.yields]

    def read(self, operand: Operand) -> Any:
        return operand.value if isinstance(operand, Const) else self.values[operand.name]

    def define(self, results: Sequence[Value], values: Sequence[Any]) -> None:
        for result, value in zip(results, values, strict=True):
            self.values[result.name] = value

    def execute(self, stmt: Stmt) -> None:
        match stmt:
            case Apply(op="unpack"):
                self.unpack(stmt)
            case Apply():
                args = [self.read(a) for a in stmt.args]
                value = self.apply(stmt.op, args, dict(stmt.options))
                several = len(stmt.results) != 1 or stmt.op in USER_CODE
                self.define(stmt.results, value if several else [value])
            case Loop():
                self.loop(stmt)
            case While():
                self.repeat(stmt)
            case Branch():
                arm = stmt.then if self.read(stmt.test) else stmt.orelse
                self.define(stmt.results, self.call(arm, ()))
            case Call():
                value = self.functions[stmt.function](*(self.read(a) for a in stmt.args))
                self.define(stmt.results, value if len(stmt.results) > 1 else [value])
            case Record():
                self.tapes[stmt.slot].append(deepcopy(self.read(stmt.value)))
            case Replay():
                self.define([stmt.result], [self.tapes[stmt.slot].pop()])
            case _:
                assert_never(stmt)

    def unpack(self, stmt: Apply) -> None:
        """A tape is taken apart into values and the lists of its slots, which are popped from."""
        (tape,) = (self.read(a) for a in stmt.args)
        parts = [tape] if stmt.option("single") else list(tape)
        slots = stmt.option("slots")
        assert isinstance(slots, tuple)
        self.define(stmt.results, parts[: len(stmt.results)])
        for slot, part in zip(slots, parts[len(stmt.results) :], strict=True):
            self.tapes[slot] = list(part)

    def loop(self, stmt: Loop) -> None:
        carried = [self.read(i) for i in stmt.inits]
        indices: Any = range(*(int(self.read(b)) for b in stmt.bounds))
        trips = 0
        for index in reversed(indices) if stmt.backwards else indices:
            trips += 1
            self.values[stmt.index.name] = index
            carried = self.call(stmt.body, carried)
            if stmt.trips is not None:
                stop, *carried = carried
                if stop:
                    break
        if stmt.trips is not None:
            self.values[stmt.trips.name] = trips
        self.define(stmt.results, carried)

    def repeat(self, stmt: While) -> None:
        carried = [self.read(i) for i in stmt.inits]
        trips, stop = 0, False
        while not stop and self.call(stmt.test, carried)[0]:
            trips += 1
            carried = self.call(stmt.body, carried)
            if stmt.breaks:
                stop, *carried = carried
        self.values[stmt.trips.name] = trips
        self.define(stmt.results, carried)

    def apply(self, op: str, args: list[Any], options: dict[str, Any]) -> Any:
        """The result of an operation; a sequence of them where there is not one."""
        if op == "comment":
            return []
        return (
            self.user_code(op, args, **options) if op in USER_CODE else perform(op, args, options)
        )

    def user_code(
        self, op: str, args: list[Any], code: str, writes: Sequence[int] = (), **_: Any
    ) -> list[Any]:
        """The value of an expression, then the new versions of the operands that code writes to."""
        args = [deepcopy(a) if k in writes else a for k, a in enumerate(args)]
        names = self.names | {f"_{k}_": a for k, a in enumerate(args)}
        written = [args[k] for k in writes]
        if op == "verbatim":
            return [eval(code, names), *written]
        exec(code, names)
        return written


def perform(op: str, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """One operation on values. How the user spelled it makes no difference."""
    row = TABLE[op]
    options = {name: value for name, value in options.items() if name not in LABELS}
    if op in STRUCTURAL:
        return STRUCTURAL[op](*args, **options)
    if row.symbol:
        return OPERATORS[op](*args)
    if row.written:
        return written(perform, row, args, options)
    if row.code:
        return eval(row.code, placeholders(row, args, options))
    positional, keywords = call_arguments(row, args, options)
    return function_of(row)(*positional, **keywords)


def call_arguments(
    row: Row, args: Sequence[Any], options: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """How the Python function is called: operands in order, options by keyword where possible."""
    left, keywords, positional = list(args), dict(options), []
    last = max((k for k, p in enumerate(row.parameters) if p.operand), default=-1)
    for parameter in row.parameters[: last + 1]:
        if not parameter.operand:
            positional.append(keywords.pop(parameter.name, parameter.default))
        elif parameter.variadic:
            after = sum(p.operand for p in row.parameters) - row.parameters.index(parameter) - 1
            several, left = left[: len(left) - after], left[len(left) - after :]
            positional += several if parameter.separate else [tuple(several)]
        elif left and left[0] is None and row.spellings[0].startswith("scipy."):
            left.pop(0)
            later = [p.name for p in row.parameters[row.parameters.index(parameter) + 1 :]]
            keywords |= dict(zip(later, left, strict=False))
            break
        elif left:
            positional.append(left.pop(0))
    return positional, keywords


@cache
def _attribute(spelling: str) -> Callable[..., Any]:
    module, _, name = spelling.rpartition(".")
    package, _, own = module.rpartition(".")
    # `scipy.stats.norm` is an object, not a module.
    owner = getattr(importlib.import_module(package), own, None) if package else None
    return getattr(owner or importlib.import_module(module), name)


def function_of(row: Row) -> Callable[..., Any]:
    """The Python function that a row's first spelling names; a method where it has no function."""
    for spelling in row.spellings:
        if not spelling.startswith("."):
            return _attribute(spelling)
    method = row.spellings[0][1:]
    return lambda a, *args, **options: getattr(a, method)(*args, **options)


class _Key:
    def __getitem__(self, key: Any) -> Any:
        return key


def key_of(pattern: str, operands: Sequence[Any]) -> Any:
    """The index that a pattern denotes, its `_` filled from the operands in order."""
    number = count()
    text = re.sub(r"(?<!\w)_(?!\w)", lambda _: f"_{next(number)}_", pattern)
    names = {f"_{k}_": value for k, value in enumerate(operands)}
    return eval(f"_key_[{text}]", names | {"np": np, "_key_": _Key()})


def _load(a: Any, *operands: Any, index: str = "_") -> Any:
    return a[key_of(index, operands)]


def _store(a: Any, v: Any, *operands: Any, index: str = "_") -> Any:
    result = copy(a)
    result[key_of(index, operands)] = v
    return result


def _accumulate(a: Any, v: Any, *operands: Any, index: str = "_") -> Any:
    result, key = copy(a), key_of(index, operands)
    if isinstance(result, np.ndarray):
        np.add.at(result, key, v)
    else:
        result[key] = result[key] + v
    return result


def _cast(a: Any, dtype: str) -> Any:
    if isinstance(a, np.ndarray):
        return a.astype(dtype)
    builtin = {"float64": float, "int64": int, "bool": bool, "complex128": complex}
    return builtin[dtype](a) if dtype in builtin else np.dtype(dtype).type(a)


def _select(test: Any, a: Any, b: Any) -> Any:
    return (
        (a if test else b)
        if np.ndim(test) == 0 == np.ndim(a) == np.ndim(b)
        else np.where(test, a, b)
    )


def _expand(y: Any, like: Any, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is not None and not keepdims:
        rank = np.ndim(like)
        axes = axis if isinstance(axis, tuple) else (axis,)
        y = np.expand_dims(y, tuple(a % rank for a in axes))
    return np.broadcast_to(y, np.shape(like)).copy()


def _unbroadcast(v: Any, like: Any) -> Any:
    extra = np.ndim(v) - np.ndim(like)
    if extra < 0:
        return np.broadcast_to(v, np.shape(like))
    v = np.sum(v, axis=tuple(range(extra)))
    ones = tuple(k for k, n in enumerate(np.shape(like)) if n == 1 and np.shape(v)[k] != 1)
    v = np.sum(v, axis=ones, keepdims=True)
    return np.broadcast_to(v, np.shape(like)) if isinstance(like, np.ndarray) else v


STRUCTURAL: dict[str, Callable[..., Any]] = {
    **HELPERS,
    "load": _load,
    "store": _store,
    "accumulate": _accumulate,
    "copy": copy,
    "dim": lambda a, axis=0: np.shape(a)[axis],
    "select": _select,
    "cast": _cast,
    "expand": _expand,
    "unbroadcast": _unbroadcast,
    "stop_gradient": lambda a: a,
    **LISTS,
}

OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "matmul": operator.matmul,
    "neg": operator.neg,
    "pos": operator.pos,
    "invert": operator.invert,
    "not": operator.not_,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "is": operator.is_,
    "is_not": operator.is_not,
    "in": lambda a, b: a in b,
    "not_in": lambda a, b: a not in b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
