"""Loops that do nothing but copy the lines of an array into another one, as assignments.

    for i in range(n):                  A[:, 1:] = rows
        A[i, 1:] = rows[i]

Such loops are what is left where all that was computed in an iteration is there before the loop.
Each line goes to the place of its iteration, and both arrays have as many lines as there are
iterations, which types tell. Where all of an array is assigned, it is the other one. What the user
copied to write into it, and nothing writes to any more, is the array that was copied.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from adjointgen.analysis.loops.loop_matmuls import Run
from adjointgen.analysis.loops.outer_product_sums import Piece, pieces_of
from adjointgen.analysis.values.storage_classes import Storage, storage
from adjointgen.ir.affine import Affine, Forms, least, variable
from adjointgen.ir.edit import rebuild, substitute, substitute_in, substitute_stmt
from adjointgen.ir.nodes import (
    NESTED,
    STORES,
    Apply,
    Block,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    defined_in,
    operands_of,
    reads_of,
    results_of,
    walk,
)
from adjointgen.ir.types import Dim
from adjointgen.optimize.matmul.loop_range_slices import WHOLE, ends, joined, reach
from adjointgen.optimize.scalar.dce import dead
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Builder, const
from adjointgen.rules.framework.table import TABLE


def assigned(function: Function, lines: Collection[str], builder: Builder) -> Function:
    """The function in which the lines of these arrays are copied without loops."""
    work = _Copies(builder, frozenset(lines))
    body = work.block(function.body)
    return dead(replace(function, body=body)) if work.changed else function


def uncopied(function: Function, before: Storage) -> Function:
    """The function without copies of arrays that were written to, and are not any more."""
    now = storage(function)
    kept = {now.of(y) for y in function.body.yields if isinstance(y, Value)}
    for stmt in walk(function.body):
        kept |= {now.of(o) for o in operands_of(stmt) if isinstance(o, Value) and _may_share(stmt)}
    by: dict[str, Operand] = {}
    for stmt in walk(function.body):
        if isinstance(stmt, Apply) and stmt.op == "copy" and before.written(stmt.result):
            free = not now.written(stmt.result) and now.of(stmt.result) not in kept
            by |= {stmt.result.name: substitute(stmt.args[0], by)} if free else {}
    return dead(replace(function, body=substitute_in(function.body, by))) if by else function


def _may_share(stmt: Stmt) -> bool:
    """Whether the storage of an operand may be handed on under another name."""
    if isinstance(stmt, Apply):
        row = TABLE.rows.get(stmt.op)
        numbers = all(r.type.is_scalar for r in stmt.results)
        return row is None or stmt.option("code") is not None or bool(row.alias and not numbers)
    return not isinstance(stmt, NESTED)


@dataclass(frozen=True, slots=True)
class _Copy:
    """What a nest does: the lines of an array are stored, each to the place of its iteration."""

    store: Apply
    lines: Value
    axes: tuple[Piece | Run, ...]


class _Copies:
    def __init__(self, builder: Builder, lines: frozenset[str]) -> None:
        self.builder = builder
        self.lines = lines
        self.by: dict[str, Operand] = {}
        self.changed = False

    def block(self, block: Block) -> Block:
        stmts: list[Stmt] = []
        for stmt in block.stmts:
            stmt = substitute_stmt(stmt, self.by)
            made = self.copied(stmt, stmts) if isinstance(stmt, Loop) else None
            if made is not None:
                self.changed = True
                stmts += made
            elif isinstance(stmt, NESTED):
                stmts.append(rebuild(stmt, lambda o: o, self.block))
            else:
                stmts.append(stmt)
        yields = tuple(substitute(y, self.by) for y in block.yields)
        return Block(block.params, tuple(stmts), yields)

    def copied(self, loop: Loop, before: list[Stmt]) -> Sequence[Stmt] | None:
        """An assignment in the place of a nest that copies."""
        copy = _copy(loop, self.lines)
        if copy is None:
            return None
        array, store = loop.inits[0], copy.store
        self.builder.span = store.span
        with self.builder.block() as made:
            pieces = self.pieces(copy, array.type.shape or ())
            if not _is_exact(copy, array, pieces):
                return None
            if store.op == "store" and _is_all(copy.lines, array, pieces):
                self.rename(copy.lines, loop.results[0], before)
                return ()
            text, at = joined(pieces)
            value = self.builder.apply(store.op, array, copy.lines, *at, index=text)
            self.builder.name_last(value, loop.results[0])
        return made

    def pieces(self, copy: _Copy, shape: Sequence[Dim | None]) -> list[Piece]:
        """What all iterations write of each axis."""
        pairs = zip(copy.axes, shape, strict=True)
        return [reach(self.builder, {}, a, dim) if isinstance(a, Run) else a for a, dim in pairs]

    def rename(self, lines: Value, result: Value, before: list[Stmt]) -> None:
        """Give an array the name of what it is assigned to, where it was made for that."""
        made = next((k for k, s in enumerate(before) if results_of(s) == (lines,)), None)
        if made is None or lines in reads_of(Block((), tuple(before[made:]), ())):
            self.by[result.name] = lines
            return
        stmt = before[made]
        assert isinstance(stmt, Apply)
        before[made] = replace(stmt, results=(result,))
        self.by[lines.name] = result


def _copy(loop: Loop, lines: Collection[str]) -> _Copy | None:
    """What a nest copies, if it does nothing else."""
    chain = _chain(loop)
    inner = chain[-1].body if chain else None
    if inner is None or not all(isinstance(s, Apply) and len(s.results) == 1 for s in inner.stmts):
        return None
    makers = {s.result.name: s for s in inner.stmts if isinstance(s, Apply)}
    store = _maker(inner.yields[0], makers)
    if store is None or store.op not in STORES or store.args[0] != inner.params[0]:
        return None
    load = _maker(store.args[1], makers)
    rest = [s for s in makers.values() if s not in (store, load)]
    if load is None or load.op != "load" or any(s.op not in ("add", "sub") for s in rest):
        return None
    array, read, written = load.args[0], pieces_of(load), pieces_of(store)
    if read is None or written is None or not isinstance(array, Value) or array.name not in lines:
        return None
    places = _Places(chain, makers)
    axes = [places.axis(piece) for piece in written]
    known = tuple(a for a in axes if a is not None)
    order = [a.loop if isinstance(a, Run) else None for a in known if _is_kept(a)]
    wanted = [places.loop(piece) for piece in read]
    if len(known) < len(axes) or order != wanted or len(order) - order.count(None) != len(chain):
        return None
    return _Copy(store, array, known)


def _chain(loop: Loop) -> tuple[Loop, ...]:
    """The loops of a nest of which each does nothing but run the next one; none for another."""
    inside = {v.name for v in defined_in(loop.body)} | {loop.index.name}
    chain = [loop]
    while True:
        last, stmts = chain[-1], chain[-1].body.stmts
        fixed = all(not isinstance(b, Value) or b.name not in inside for b in last.bounds)
        counts = last.bounds[2] in (const(1), const(-1)) and last.trips is None
        if len(last.results) != 1 or not fixed or not counts:
            return ()
        match stmts:
            case (Loop() as inner,):
                if inner.inits != last.body.params or inner.results != last.body.yields:
                    return ()
                chain.append(inner)
            case _:
                return tuple(chain)


def _maker(operand: Operand, makers: Mapping[str, Apply]) -> Apply | None:
    return makers.get(operand.name) if isinstance(operand, Value) else None


class _Places:
    """Which loop of a nest an index goes along with."""

    def __init__(self, chain: tuple[Loop, ...], makers: Mapping[str, Apply]) -> None:
        self.chain = chain
        self.inside = frozenset(v.name for v in defined_in(chain[0].body))
        self.indices = frozenset(loop.index.name for loop in chain)
        self.forms = Forms(makers, self.indices, self.inside)
        bounds = {loop.index.name: self.forms.bounds(loop) for loop in chain}
        self.box = {name: (b.low, b.high) for name, b in bounds.items()}

    def axis(self, piece: Piece) -> Piece | Run | None:
        """An axis that is written at one place per iteration of a loop, or alike in all."""
        text, operands = piece
        names = {o.name for o in operands if isinstance(o, Value)}
        if not names & (self.inside | self.indices):
            return piece
        form = self.forms.of(operands[0]) if text == "_" else None
        for loop in self.chain if form is not None else ():
            assert form is not None
            offset, low = form - variable(loop.index.name), least(form, self.box)
            if not offset.terms and low is not None and low >= 0:
                return Run(loop, offset.constant)
        return None

    def loop(self, piece: Piece) -> Loop | None:
        """The loop that an axis of the lines numbers from its least index on."""
        form = self.forms.of(piece[1][0]) if piece[0] == "_" else None
        for loop in self.chain if form is not None else ():
            low, _ = ends(loop)
            first = self.forms.of(low.operand)
            if first is not None and form == variable(loop.index.name) - first - Affine(low.more):
                return loop
        return None


def _is_kept(axis: Piece | Run) -> bool:
    return isinstance(axis, Run) or ":" in axis[0]


def _is_exact(copy: _Copy, array: Operand, pieces: Sequence[Piece]) -> bool:
    """Whether what is written has a line for each iteration, and so has what is copied."""
    text, at = joined(pieces)
    types = (array.type, *(o.type for o in at))
    (part,) = TABLE["load"].infer(types, {"index": text})
    kept = [a for a in copy.axes if _is_kept(a)]
    lengths = copy.lines.type.shape
    if part.shape is None or lengths is None or len(part.shape) != len(lengths):
        return False
    for axis, own, other in zip(kept, part.shape, lengths, strict=True):
        if isinstance(axis, Run) and not (own == other == _count(axis.loop)):
            return False
    return True


def _count(loop: Loop) -> Dim | None:
    """How often a loop runs, where that is known."""
    low, high = ends(loop)
    first, end = low.dim, high.dim
    if first is None or end is None or first.symbol:
        return None
    return end + -first.offset


def _is_all(lines: Value, array: Operand, pieces: Sequence[Piece]) -> bool:
    """Whether all of an array is assigned an array like it."""
    whole = all(piece == WHOLE for piece in pieces)
    shape = array.type.shape
    same = lines.type.with_shape(shape) == array.type and lines.type.shape == shape
    return whole and same and shape is not None and None not in shape
