"""Seeds along all unit vectors: a derivative along many directions becomes a dense Jacobian.

    f(x, x_dot):                             f(x):
        y_dot = 2 * x * x_dot        ->          x_dot = np.eye(len(x))
        return y_dot                             y_dot = 2 * x * x_dot
                                                 return y_dot.T

The program has a batch axis in its seeds and results, the first. With several seeds, each is zero
in the directions of the others. Of a tangent the directions become the last axes, those of `x`, and
each result has one block for each seed. Of an adjoint the directions are the axes of `y`, and stay
where they are. (Griewank and Walther 2008, section 3.1: seed matrices.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from adjointgen.ir.edit import substitute_in, with_simple, with_values
from adjointgen.ir.nodes import Apply, Block, Function, Operand, Stmt, Value
from adjointgen.ir.types import Dim, as_dim
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Builder, Handle, Names
from adjointgen.rules.framework.shape_helpers import length, size
from adjointgen.rules.framework.table import TABLE

Length = Any
"""A length: a number, or a handle of one."""


@dataclass(frozen=True, slots=True)
class Part:
    """The directions of one seed: the first, the one behind the last, and the axes that they have.

    It may be the first or the last part, or both.
    """

    start: Length
    stop: Length
    shape: tuple[Length, ...]
    first: bool
    last: bool

    def of(self, rows: Handle, *before: slice) -> Handle:
        """What belongs to these directions of an array that has one axis for all."""
        if not self.shape:
            return rows[(*before, self.start)]
        if self.first and self.last:
            return rows
        ends = None if self.first else self.start, None if self.last else self.stop
        return rows[(*before, slice(*ends))]

    @property
    def dims(self) -> tuple[Dim | None, ...]:
        """The lengths of the axes, as types have them."""
        return tuple(as_dim(n) if isinstance(n, int) else n.type.value for n in self.shape)


def along_inputs(
    function: Function,
    inputs: Mapping[str, Operand],
    compiled: bool = False,
    whole: Collection[str] = (),
) -> Function:
    """A batched tangent without its seeds, which are the unit vectors of these inputs, and without
    the structures that are the `whole` of some.

    The blocks of a result follow each other, in the order of the seeds. In a `compiled` program
    what gets another shape is contiguous, as Numba asks.
    """
    builder = Builder(Names.of(function))
    body, parts = _seeded(builder, function.body, inputs, compiled)
    yields = [builder.handle(y) for y in body.yields]
    blocks = tuple(_columns(y, part, compiled) for y in yields for part in parts)
    params = tuple(p for p in body.params if p.root not in whole)
    return _without_seeds(function, Block(params, builder.stmts, blocks))


def along_output(function: Function, seed: str, y: Operand) -> Function:
    """A batched adjoint without its seed: the unit vectors of a result of known shape."""
    builder = Builder(Names.of(function))
    body, (part,) = _seeded(builder, function.body, {seed: y})
    blocks = tuple(_rows(builder.handle(x_bar), part) for x_bar in body.yields)
    return _without_seeds(function, Block(body.params, builder.stmts, blocks))


def _without_seeds(function: Function, body: Block) -> Function:
    left = {p.root for p in body.params}
    parameters = tuple(p for p in function.parameters if p.name in left)
    packed = tuple(p for p in function.packed if p.name in left)
    return replace(function, parameters=parameters, body=body, packed=packed)


def _parts(builder: Builder, inputs: Sequence[Operand]) -> Iterator[Part]:
    """The directions of every input, one after the other."""
    start: Length = 0
    for k, one in enumerate(inputs):
        handle = builder.handle(one)
        rank = one.type.rank or 0
        count: Length = size(handle) if rank else 1
        stop = start + count if k else count
        shape = tuple(length(handle, axis) for axis in range(rank))
        yield Part(start, stop, shape, first=k == 0, last=k == len(inputs) - 1)
        start = stop


def _seeded(
    builder: Builder, body: Block, likes: Mapping[str, Operand], compiled: bool = False
) -> tuple[Block, list[Part]]:
    """The body without these parameters, behind the statements that make them."""
    seeds = [p for p in body.params if p.root in likes]
    parts = list(_parts(builder, [likes[seed.root] for seed in seeds]))
    total, dtype = parts[-1].stop, seeds[0].type.dtype
    count = builder.handle(builder.lower(total))
    whole = count.apply("eye", count, **({} if dtype == "float64" else {"dtype": dtype}))
    made: dict[str, Operand] = {}
    lengths: dict[str, Dim] = {}
    for seed, part in zip(seeds, parts, strict=True):
        one = part.of(whole, slice(None))
        if len(part.shape) > 1:
            one = _reshaped(one, (total, *part.shape), compiled)
        if one.type.dtype != seed.type.dtype:
            one = one.apply("cast", one, dtype=seed.type.dtype)
        operand = one.operand
        assert isinstance(operand, Value)
        made[seed.name] = builder.rename(operand, seed.root)
        first = operand.type.shape[0] if operand.type.shape else None
        lengths |= {f"{seed.root}.0": first} if first is not None else {}
    params = tuple(p for p in body.params if p.root not in likes)
    after = measured(substitute_in(replace(body, params=params), made), lengths)
    for stmt in after.stmts:
        builder.add(stmt)
    return after, parts


def measured(body: Block, lengths: Mapping[str, Dim]) -> Block:
    """The body with the lengths of the seeds as those that they are.

    A length that an argument has is read from it, so that nothing is made for its length alone.
    """
    params = {p.root: p for p in body.params}

    def measured(value: Value) -> Value:
        shape = value.type.shape
        if not shape or not any(d is not None and d.symbol in lengths for d in shape):
            return value
        dims = (d if d is None or d.symbol not in lengths else lengths[d.symbol] for d in shape)
        return replace(value, type=replace(value.type, shape=tuple(dims)))

    def read(stmt: Stmt) -> Stmt:
        axis = stmt.option("axis") if isinstance(stmt, Apply) else None
        if not isinstance(stmt, Apply) or not isinstance(axis, int):
            return stmt
        shape = stmt.args[0].type.shape
        if not TABLE.get(stmt.op).measures or not shape:
            return stmt
        dim = shape[axis]
        own = None if dim is None else dim.whole_axis
        if own is None or own[0] not in params:
            return stmt
        return replace(stmt, args=(params[own[0]],), options=(("axis", own[1]),))

    return with_simple(with_values(body, measured), read)


def _columns(y_dot: Handle, part: Part, compiled: bool) -> Operand:
    """The block of a result: its directions behind its own axes, in the shape of the input."""
    own = _own_lengths(y_dot)
    block = part.of(y_dot)
    if len(own) == 1 and part.shape:
        block = block.apply("transpose", block)
    elif own and part.shape:
        block = block.apply("moveaxis", block, source=0, destination=-1)
    if len(part.shape) > 1:
        block = _reshaped(block, (*own, *part.shape), compiled)
    return _known(block, y_dot, (*_own_dims(y_dot), *part.dims))


def _rows(x_bar: Handle, part: Part) -> Operand:
    """The block of an adjoint: its directions in the shape of the result, before its own axes."""
    block = x_bar
    if len(part.shape) != 1:
        block = x_bar.apply("reshape", x_bar, *part.shape, *_own_lengths(x_bar))
    return _known(block, x_bar, (*part.dims, *_own_dims(x_bar)))


def _own_lengths(a: Handle) -> tuple[Length, ...]:
    """The lengths of the axes behind the directions."""
    return tuple(length(a, axis) for axis in range(1, a.type.rank or 1))


def _own_dims(a: Handle) -> tuple[Dim | None, ...]:
    return (a.type.shape or ())[1:]


def _reshaped(a: Handle, shape: Sequence[Length], compiled: bool) -> Handle:
    whole = a.apply("copy", a) if compiled else a
    return whole.apply("reshape", whole, *shape)


def _known(block: Handle, before: Handle, shape: tuple[Dim | None, ...]) -> Operand:
    """A block of which the lengths are known, unless it is what was there before."""
    operand = block.operand
    if operand == before.operand or not isinstance(operand, Value):
        return operand
    return block.builder.retyped(operand, replace(operand.type, shape=shape))
