"""Mapping trees: every pass rebuilds statements out of mapped operands, blocks and definitions.

`rebuild` is the one place that knows how each statement is put together. The rest are uses of it:
reads replaced by other operands, definitions renamed, a block copied under fresh names.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import TypeGuard, TypeVar, assert_never

from adjointgen.ir.nodes import (
    NESTED,
    STORES,
    TAPES,
    WRITES,
    Apply,
    Block,
    Branch,
    Call,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    defined_in,
    reads_of,
    results_of,
    walk,
)
from adjointgen.records import replace

T = TypeVar("T")
Substitution = Mapping[str, Operand]
OperandMap = Callable[[Operand], Operand]
BlockMap = Callable[[Block], Block]
ValueMap = Callable[[Value], Value]


def rebuild(
    stmt: Stmt,
    operand: OperandMap,
    block: BlockMap,
    define: ValueMap = lambda value: value,
) -> Stmt:
    """A statement with its operands, its blocks and the values that it defines itself mapped."""
    match stmt:
        case Apply():
            return _rebuild_apply(stmt, operand, define)
        case Call():
            results, args = tuple(map(define, stmt.results)), tuple(map(operand, stmt.args))
            return replace(stmt, results=results, args=args)
        case Record():
            return Record(stmt.slot, operand(stmt.value), stmt.span)
        case Replay():
            return Replay(define(stmt.result), stmt.slot, stmt.span)
        case Branch():
            test, results = operand(stmt.test), tuple(map(define, stmt.results))
            then, orelse = block(stmt.then), block(stmt.orelse)
            return Branch(results, test, then, orelse, stmt.pair, stmt.span)
        case Loop():
            return _rebuild_loop(stmt, operand, block, define)
        case While():
            inits, results = tuple(map(operand, stmt.inits)), tuple(map(define, stmt.results))
            before, body, trips = block(stmt.test), block(stmt.body), define(stmt.trips)
            return replace(stmt, results=results, trips=trips, inits=inits, test=before, body=body)
        case _:
            assert_never(stmt)


def _rebuild_apply(stmt: Apply, operand: OperandMap, define: ValueMap) -> Apply:
    results, args = tuple(map(define, stmt.results)), tuple(map(operand, stmt.args))
    if args == stmt.args and results == stmt.results:
        return stmt
    return Apply(results, stmt.op, args, stmt.options, stmt.span)


def _rebuild_loop(loop: Loop, operand: OperandMap, block: BlockMap, define: ValueMap) -> Loop:
    start, stop, step = loop.bounds
    return replace(
        loop,
        bounds=(operand(start), operand(stop), operand(step)),
        inits=tuple(map(operand, loop.inits)),
        index=define(loop.index),
        body=block(loop.body),
        results=tuple(map(define, loop.results)),
        trips=define(loop.trips) if loop.trips else None,
    )


def substitute(operand: Operand, by: Substitution) -> Operand:
    """What stands for an operand; without a substitute it stands for itself."""
    return by.get(operand.name, operand) if isinstance(operand, Value) else operand


def substitute_in(block: Block, by: Substitution) -> Block:
    """The block with its reads, at any depth, replaced. Substitutes are not substituted again."""
    if not by:
        return block
    return Block(
        block.params,
        tuple(substitute_stmt(s, by) for s in block.stmts),
        tuple(substitute(y, by) for y in block.yields),
    )


def substitute_stmt(stmt: Stmt, by: Substitution) -> Stmt:
    """The statement with its reads, at any depth, replaced."""
    return rebuild(stmt, lambda o: substitute(o, by), lambda b: substitute_in(b, by))


def with_simple(block: Block, change: Callable[[Stmt], Stmt]) -> Block:
    """The block with every statement that has no blocks of its own changed, at any depth."""

    def inner(b: Block) -> Block:
        return replace(b, stmts=tuple(map(statement, b.stmts)))

    def statement(stmt: Stmt) -> Stmt:
        if isinstance(stmt, NESTED):
            return rebuild(stmt, lambda operand: operand, inner)
        return change(stmt)

    return inner(block)


def rename(block: Block, names: Mapping[str, str]) -> Block:
    """The block with definitions and reads, at any depth, under other names."""
    return with_values(block, lambda v: replace(v, name=names[v.name]) if v.name in names else v)


def with_values(block: Block, value: ValueMap) -> Block:
    """The block with every value, where it is defined and where it is read, mapped."""

    def operand(o: Operand) -> Operand:
        return value(o) if isinstance(o, Value) else o

    def inner(b: Block) -> Block:
        stmts = tuple(rebuild(s, operand, inner, value) for s in b.stmts)
        return Block(tuple(map(value, b.params)), stmts, tuple(map(operand, b.yields)))

    return inner(block)


def stem(name: str) -> str:
    """What is left of a name without its number: `y_2` is a version of `y`."""
    head, _, number = name.rpartition("_")
    return head if head and number.isdigit() else name


def clone(block: Block, fresh: Callable[[str], str], by: Substitution | None = None) -> Block:
    """A copy whose definitions have fresh names; its reads of outer values are replaced.

    `fresh(stem)` gives an unused name; the stem is the root, or for a temporary its name without
    the number. Tape slots keep their names.
    """
    defined = {v.name: v for v in defined_in(block)}
    names = {name: fresh(v.root or stem(name)) for name, v in defined.items()}
    return substitute_in(rename(block, names), by or {})


def copied(block: Block, fresh: Callable[[str], str]) -> Block:
    """A copy under fresh names, tapes included."""
    body = clone(block, fresh)
    used = {s.slot for s in walk(body) if isinstance(s, TAPES)}
    slots = {slot: fresh(stem(slot)) for slot in sorted(used)}

    def renamed(stmt: Stmt) -> Stmt:
        return replace(stmt, slot=slots[stmt.slot]) if isinstance(stmt, TAPES) else stmt

    return with_simple(body, renamed) if slots else body


def flags_of(stmt: Loop | While) -> int:
    """How many yields of the body stand before the carried ones: the stop flag, or none."""
    return len(stmt.body.yields) - len(stmt.inits)


def carried(stmt: Loop | While) -> tuple[tuple[Value, Operand, Operand, Value], ...]:
    """The carried values of a loop: parameter, initial value, value for the next turn, result."""
    ends = stmt.body.yields[flags_of(stmt) :]
    return tuple(zip(stmt.body.params, stmt.inits, ends, stmt.results, strict=True))


def is_one_array(loop: Loop | While, k: int) -> bool:
    """Whether what a loop carries is one array throughout, changed by nothing but stores."""
    flags = flags_of(loop)
    return base_of(loop.body.yields[flags + k], loop.body) == loop.body.params[k]


def base_of(value: Operand, block: Block) -> Operand | None:
    """The array that a version was stored into, going back through a block; None if several."""
    for stmt in reversed(block.stmts):
        if value not in results_of(stmt):
            continue
        match stmt:
            case Apply(op=op) if op in WRITES:
                value = stmt.args[0]
            case Loop() | While() if value in stmt.results:
                k = stmt.results.index(value)
                if not is_one_array(stmt, k):
                    return None
                value = stmt.inits[k]
            case Branch():
                k = stmt.results.index(value)
                ends = {base_of(arm.yields[k], arm) for arm in (stmt.then, stmt.orelse)}
                if len(ends) > 1 or None in ends:
                    return None
                (end,) = ends
                assert end is not None
                value = end
            case _:
                return None
    return value


def merged(stmt: Stmt) -> Iterator[tuple[Value, Operand]]:
    """What a loop carries and a branch gives, each with the values that it may be."""
    match stmt:
        case Loop() | While():
            for param, init, end, result in carried(stmt):
                yield from ((param, init), (param, end), (result, param))
            if isinstance(stmt, While):
                yield from zip(stmt.test.params, stmt.body.params, strict=True)
        case Branch():
            for arm in (stmt.then, stmt.orelse):
                yield from zip(stmt.results, arm.yields, strict=True)
        case _:
            pass


def versions(loop: Loop, names: set[str]) -> set[str]:
    """The names of all versions of an array inside a loop."""
    found = set(names)
    size = 0
    while size != len(found):
        size = len(found)
        for stmt in walk(loop.body):
            if isinstance(stmt, Apply):
                pairs = [(stmt.result, stmt.args[0])] if stmt.op in WRITES else []
            else:
                pairs = list(merged(stmt))
            found |= {r.name for r, source in pairs if is_among(source, found)}
    return found


def name_of(operand: Operand) -> str:
    """The name of a value; a literal has none."""
    return operand.name if isinstance(operand, Value) else ""


def reads_by(stmt: Stmt) -> Iterator[Value]:
    """What a statement reads, at any depth."""
    return reads_of(Block((), (stmt,), ()))


def is_among(operand: Operand, names: Container[str]) -> bool:
    """Whether an operand is a value of one of these names."""
    return isinstance(operand, Value) and operand.name in names


def with_columns(stmt: Loop | While | Branch, columns: Sequence[int]) -> Loop | While | Branch:
    """The statement with only these of its columns.

    A column is what a loop carries, or a result of a branch, by number: the result and all that it
    comes from.
    """

    def some(many: tuple[T, ...], first: int = 0) -> tuple[T, ...]:
        return many[:first] + tuple(many[first + k] for k in columns)

    results = some(stmt.results)
    if isinstance(stmt, Branch):
        then, orelse = (replace(b, yields=some(b.yields)) for b in (stmt.then, stmt.orelse))
        return replace(stmt, results=results, then=then, orelse=orelse)
    inner = stmt.body
    body = Block(some(inner.params), inner.stmts, some(inner.yields, flags_of(stmt)))
    if isinstance(stmt, Loop):
        return replace(stmt, results=results, inits=some(stmt.inits), body=body)
    test = replace(stmt.test, params=some(stmt.test.params))
    return replace(stmt, results=results, inits=some(stmt.inits), test=test, body=body)


def is_of_numbers(body: Block) -> bool:
    """Whether a body computes numbers alone, and makes no array but with an entry changed."""
    return all(
        not r.type.is_array or isinstance(s, NESTED) or (isinstance(s, Apply) and s.op in STORES)
        for s in walk(body)
        for r in results_of(s)
    )


def is_check(stmt: Stmt) -> TypeGuard[Apply]:
    """Whether a statement checks what the program takes for granted of its arguments."""
    return isinstance(stmt, Apply) and stmt.option("assumes") is not None
