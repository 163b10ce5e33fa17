"""What holds of every function in the IR, one named invariant each; tests ask after every pass.

A pass that breaks one has a fault, so the error is an `InternalError` and carries the listing.
An adjoint is *open* until `close_adjoint.py` has run: its reverse blocks read values that are
defined in forward blocks above them, which is out of scope anywhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from adjointgen.errors import InternalError
from adjointgen.ir.edit import flags_of
from adjointgen.ir.nodes import (
    LOOPS,
    UNDEFINED,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Leaf,
    Loop,
    Node,
    Operand,
    Record,
    Replay,
    Stmt,
    Tree,
    Value,
    While,
    blocks_of,
    defined_in,
    operands_of,
    results_of,
    walk,
)
from adjointgen.ir.text import show
from adjointgen.ir.types import Type


class Place(Protocol):
    """A parameter of an operation, as the table of rules declares it."""

    @property
    def operand(self) -> bool: ...
    @property
    def required(self) -> bool: ...
    @property
    def variadic(self) -> bool: ...


class Signature(Protocol):
    """A row of the table of rules, seen from here: what the operation may be applied to."""

    @property
    def parameters(self) -> Sequence[Place]: ...


def verify(
    function: Function, open: bool = False, rows: Mapping[str, Signature] | None = None
) -> None:
    """Raise InternalError where an invariant does not hold.

    With `open`, reads of values in forward blocks are allowed; with `rows`, the operations are
    held to a table.
    """
    faults = [
        *defined_once(function),
        *reads_see_definitions(function, open),
        *counts_agree(function),
        *carried_types_stay(function),
        *flags_are_bool(function),
        *tapes_pair(function),
        *operations_exist(function, rows),
    ]
    if faults:
        raise InternalError("; ".join(faults), show(function))


def defined_once(function: Function) -> Iterator[str]:
    """Every name is defined once; the test of a `While` may share parameters with the body."""
    count = Counter(v.name for v in defined_in(function.body))
    for stmt in walk(function.body):
        if isinstance(stmt, While):
            pairs = zip(stmt.test.params, stmt.body.params, strict=False)
            count.subtract(p.name for p, q in pairs if p == q)
    yield from (f"{name} is defined more than once" for name, n in count.items() if n > 1)


def reads_see_definitions(function: Function, open: bool = False) -> Iterator[str]:
    """Every read is of a value defined above it and in scope, exactly as it was defined."""
    scope: dict[str, Value] = {}

    def read(operands: Iterable[Operand]) -> Iterator[str]:
        for value in operands:
            if not isinstance(value, Value):
                continue
            if value.name not in scope:
                yield f"{value.name} is read where it is not defined"
            elif scope[value.name] != value:
                yield f"{value.name} is read as {value} but defined as {scope[value.name]}"

    def enter(block: Block, more: Iterable[Value] = ()) -> Iterator[str]:
        inner = {v.name: v for v in (*more, *block.params)}
        scope.update(inner)
        for stmt in block.stmts:
            yield from read(operands_of(stmt))
            index = (stmt.index,) if isinstance(stmt, Loop) else ()
            for child in blocks_of(stmt):
                yield from enter(child, index)
            results = {v.name: v for v in results_of(stmt)}
            scope.update(results)
            inner |= results
        yield from read(block.yields)
        if not open:
            for name in inner:
                scope.pop(name, None)

    yield from enter(function.body)


def counts_agree(function: Function) -> Iterator[str]:
    """What enters, is carried, is yielded and leaves is equally many."""
    leaves = _leaves(function.results)
    if not len(function.body.yields) == len(function.names) == leaves:
        yield f"{len(function.names)} names and {leaves} places for {function.body.yields}"
    if len(function.body.params) != len(function.parameters):
        yield f"{len(function.parameters)} parameters for {len(function.body.params)} values"
    for stmt in walk(function.body):
        wanted = len(stmt.inits if isinstance(stmt, LOOPS) else results_of(stmt))
        name = _name(stmt)
        match stmt:
            case Loop() | While():
                flag = stmt.breaks if isinstance(stmt, While) else stmt.trips is not None
                yield from _count(name, "parameters", stmt.body.params, wanted)
                yield from _count(name, "yields", stmt.body.yields, wanted + flag)
                yield from _count(name, "results", stmt.results, wanted)
                if isinstance(stmt, While):
                    yield from _count(name, "parameters of the test", stmt.test.params, wanted)
                    yield from _count(name, "yields of the test", stmt.test.yields, 1)
            case Branch():
                for arm in (stmt.then, stmt.orelse):
                    yield from _count(name, "parameters", arm.params, 0)
                    yield from _count(name, "yields", arm.yields, wanted)


def _count(name: str, what: str, found: Sequence[object], wanted: int) -> Iterator[str]:
    if len(found) != wanted:
        yield f"{name}: {len(found)} {what} where there should be {wanted}"


def carried_types_stay(function: Function) -> Iterator[str]:
    """What enters a loop, is carried, is yielded and leaves has one kind, dtype and rank.

    A rank that is not known may be any. The same holds for what the arms of a branch yield. What is
    undefined fits anything.
    """
    for stmt in walk(function.body):
        columns: list[tuple[Value, tuple[Operand, ...]]] = []
        match stmt:
            case Loop() | While():
                yields = stmt.body.yields[flags_of(stmt) :]
                tests = stmt.test.params if isinstance(stmt, While) else stmt.body.params
                rest = zip(stmt.inits, tests, yields, stmt.results, strict=False)
                columns = list(zip(stmt.body.params, rest, strict=False))
            case Branch():
                arms = zip(stmt.then.yields, stmt.orelse.yields, strict=False)
                columns = list(zip(stmt.results, arms, strict=False))
        for value, others in columns:
            for other in others:
                if not _fits(other, value.type):
                    yield f"{_name(stmt)}: {value.name} is {value.type}, but meets {other}"


def _fits(operand: Operand, type: Type) -> bool:
    if isinstance(operand, Const) and operand.value == UNDEFINED:
        return True
    other = operand.type
    same = (other.kind, other.dtype) == (type.kind, type.dtype)
    return same and (type.rank == other.rank or None in (type.rank, other.rank))


def flags_are_bool(function: Function) -> Iterator[str]:
    """What stops a loop is a bool, and what is tested is a scalar or an object."""
    for stmt in walk(function.body):
        stops = stmt.breaks if isinstance(stmt, While) else isinstance(stmt, Loop) and stmt.trips
        if isinstance(stmt, LOOPS) and stops:
            flag = stmt.body.yields[0] if stmt.body.yields else None
            if flag is None or (flag.type.dtype, flag.type.kind) != ("bool", "scalar"):
                yield f"{_name(stmt)}: the stop flag is {flag}"
        tests = stmt.test.yields if isinstance(stmt, While) else ()
        tests = (stmt.test,) if isinstance(stmt, Branch) else tests
        for test in tests:
            if test.type.kind not in ("scalar", "object"):
                yield f"{_name(stmt)}: the test is {test}"


def tapes_pair(function: Function) -> Iterator[str]:
    """Every slot that is replayed is recorded, and with the type that is replayed."""
    recorded: dict[str, list[Operand]] = {}
    for stmt in walk(function.body):
        if isinstance(stmt, Record):
            recorded.setdefault(stmt.slot, []).append(stmt.value)
    for stmt in walk(function.body):
        if not isinstance(stmt, Replay):
            continue
        if stmt.slot not in recorded:
            yield f"{stmt.slot} is replayed but never recorded"
        for value in recorded.get(stmt.slot, ()):
            if not _fits(value, stmt.result.type):
                yield f"{stmt.slot} is recorded as {value.type}, replayed as {stmt.result.type}"


def operations_exist(function: Function, rows: Mapping[str, Signature] | None) -> Iterator[str]:
    """Every operation is in the table and applied to as many operands as it takes."""
    if rows is None:
        return
    for stmt in walk(function.body):
        if not isinstance(stmt, Apply):
            continue
        if stmt.op not in rows:
            yield f"{stmt.op} is not an operation"
            continue
        places = [p for p in rows[stmt.op].parameters if p.operand]
        least = sum(p.required and not p.variadic for p in places)
        most = None if any(p.variadic for p in places) else len(places)
        if len(stmt.args) < least or (most is not None and len(stmt.args) > most):
            yield f"{stmt.op} takes {least} to {most} operands, not {len(stmt.args)}"


def _leaves(tree: Tree) -> int:
    if isinstance(tree, Node):
        return sum(map(_leaves, tree.children))
    return int(isinstance(tree, Leaf))


def _name(stmt: Stmt) -> str:
    names = ", ".join(v.name for v in results_of(stmt))
    return f"{type(stmt).__name__} {names}".rstrip()
