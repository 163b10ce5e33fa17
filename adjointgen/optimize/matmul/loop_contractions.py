"""Contractions of tensors in loops as products of matrices, where no axis has to move.

    np.tensordot(t, w, axes=((1,), (3,)))    ->    (t @ w.reshape(72, 16).T).reshape(4, 3, 3, 8)

`np.tensordot` finds the order of the axes anew in each call, which takes longer than the product
of small matrices; and the form that a matrix has here is made once where the matrix stays. The
user's own contractions keep their form, and so do all outside of loops. (Tensor contractions by
products of matrices: Di Napoli, Fabregat-Traver, Quintana-Ortí and Bientinesi 2014.)
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from adjointgen.analysis.loops.loop_matmuls import EXACT
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import LOOPS, NESTED, Apply, Block, Function, Value, walk
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Handle, Names
from adjointgen.rules.framework.shape_helpers import length
from adjointgen.rules.linalg.einsum import contracted


def as_matrices(function: Function, frozen: Collection[str]) -> Function:
    """The function with such contractions, but those of `frozen` names, as products."""
    if not any(isinstance(s, Apply) and s.op == "tensordot" for s in walk(function.body)):
        return function
    builder, changed = Builder(Names.of(function)), False

    def within(block: Block, in_loop: bool) -> Block:
        nonlocal changed
        with builder.block() as made:
            for stmt in block.stmts:
                builder.span = stmt.span
                if isinstance(stmt, NESTED):
                    inside = in_loop or isinstance(stmt, LOOPS)
                    builder.add(rebuild(stmt, lambda o: o, partial(within, in_loop=inside)))
                elif in_loop and isinstance(stmt, Apply) and _is_plain(stmt, frozen):
                    changed = True
                    made_of = builder.lower(_product(builder, stmt))
                    assert isinstance(made_of, Value)
                    builder.name_last(made_of, stmt.result)
                else:
                    builder.add(stmt)
        return replace(block, stmts=tuple(made))

    body = within(function.body, False)
    return replace(function, body=body) if changed else function


def _is_plain(stmt: Apply, frozen: Collection[str]) -> bool:
    """Whether a contraction is one of two matrices when the axes are taken together."""
    if stmt.op != "tensordot" or any(r.name in frozen for r in stmt.results):
        return False
    a, b = (x.type for x in stmt.args)
    if a.dtype != b.dtype or a.dtype not in EXACT:
        return False
    left, right = contracted(stmt.option("axes", 2), a.rank or 0, b.rank or 0)
    pairs = sorted(zip(left, right, strict=True))
    return all(
        0 < len(axes) < (x.rank or 0) and _is_run(axes, x.rank or 0)
        for axes, x in (([p for p, _ in pairs], a), ([q for _, q in pairs], b))
    )


def _is_run(axes: list[int], rank: int) -> bool:
    """Whether axes are the first or the last of an array, in their order."""
    return axes in (list(range(len(axes))), list(range(rank - len(axes), rank)))


def _product(builder: Builder, stmt: Apply) -> Any:
    """The product of both operands as matrices, in the shape of the contraction."""
    a, b = map(builder.handle, stmt.args)
    p, q = a.type.rank or 0, b.type.rank or 0
    left, right = contracted(stmt.option("axes", 2), p, q)
    made = _matrix(a, left, last=True) @ _matrix(b, right, last=False)
    rest = [(a, k) for k in range(p) if k not in left]
    rest += [(b, k) for k in range(q) if k not in right]
    return made if len(rest) == 2 else made.apply("reshape", made, *(length(*r) for r in rest))


def _matrix(x: Handle, summed: list[int], last: bool) -> Any:
    """The array as a matrix, whose last or else first axis is that over which is summed."""
    rank = x.type.rank or 0
    leads = 0 in summed
    cut = len(summed) if leads else rank - len(summed)
    made: Any = x
    if rank > 2:
        made = x.apply("reshape", x, _count(x, range(cut)), _count(x, range(cut, rank)))
    return made.apply("transpose", made) if last == leads else made


def _count(x: Handle, axes: range) -> Any:
    """How many entries an array has along some axes."""
    count = length(x, axes[0])
    for axis in axes[1:]:
        count = count * length(x, axis)
    return count
