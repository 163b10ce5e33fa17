"""Whether every index of a program is certainly one of its array, whatever the arguments are.

    for i in range(1, len(u) - 1):
        s += u[i - 1] + u[i + 1]        1 <= i <= len(u) - 2, so both are entries of u
    s += u[k]                           nothing is known of k

Python and NumPy raise IndexError for one that is not. Compiled code reads whatever is there, unless
it compares every index, which a program without such an index can do without. The bounds are those
of the loops around, as affine forms (`affine.py`), against the lengths that the types tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adjointgen.ir.affine import Affine, Box, Forms, is_inside, of_dim
from adjointgen.ir.nodes import STORES, Apply, Block, Loop, Operand, blocks_of
from adjointgen.ir.types import Dim, Type
from adjointgen.rules.arrays.indexing import NewAxis, Rest, Slice, Slot, parse_index


def all_inside(body: Block) -> bool:
    """Whether no index of a function can be out of range."""
    forms = Forms.everywhere(body)
    return all(_holds(stmt, forms, box) for stmt, box in _indexed(body, forms, {}))


def inside(body: Block) -> frozenset[str]:
    """The results of the statements whose index cannot be out of range."""
    forms = Forms.everywhere(body)
    indexed = _indexed(body, forms, {})
    return frozenset(stmt.result.name for stmt, box in indexed if _holds(stmt, forms, box))


def _indexed(block: Block, forms: Forms, box: Box) -> Iterator[tuple[Apply, Box]]:
    """The statements with an index, each with the bounds of the loops around it, outer first."""
    for stmt in block.stmts:
        if isinstance(stmt, Apply):
            if stmt.option("index") is not None and stmt.args[0].type.kind == "array":
                yield stmt, box
            continue
        inner = box
        if isinstance(stmt, Loop):
            bounds = forms.bounds(stmt)
            inner = {**box, stmt.index.name: (bounds.low, bounds.high)}
        for part in blocks_of(stmt):
            yield from _indexed(part, forms, inner)


def _holds(stmt: Apply, forms: Forms, box: Box) -> bool:
    """Whether the index of a statement is certainly in range."""
    shape = stmt.args[0].type.shape
    items = parse_index(str(stmt.option("index")))
    if shape is None or any(isinstance(item, Rest) and not item.understood for item in items):
        return False
    if _are_too_many(items, shape):
        return False
    operands = stmt.args[2 if stmt.op in STORES else 1 :]
    return all(_fits(item, dim, operands, forms, box) for item, dim in _by_axis(items, shape))


def has_too_many(type: Type, options: Mapping[str, object]) -> bool:
    """Whether an array has fewer axes than are asked for."""
    return type.shape is not None and _are_too_many(parse_index(str(options["index"])), type.shape)


def _are_too_many(items: tuple[Any, ...], shape: tuple[Dim | None, ...]) -> bool:
    return sum(not isinstance(item, NewAxis | Rest) for item in items) > len(shape)


def _by_axis(items: tuple[Any, ...], shape: tuple[Dim | None, ...]) -> Iterator[tuple[Any, Any]]:
    """The items that pick from an axis, each with its length."""
    items = tuple(item for item in items if not isinstance(item, NewAxis))
    rest = next((k for k, item in enumerate(items) if isinstance(item, Rest)), len(items))
    behind = items[rest + 1 :]
    yield from zip(items[:rest], shape, strict=False)
    yield from zip(behind, shape[len(shape) - len(behind) :], strict=False)


def _fits(
    item: Any, dim: Dim | None, operands: tuple[Operand, ...], forms: Forms, box: Box
) -> bool:
    if isinstance(item, Slice):
        return True
    operand = operands[item.number] if isinstance(item, Slot) else None
    if dim is None or not isinstance(item, int | Slot):
        return False
    if operand is not None and not operand.type.is_scalar:
        return False
    form = Affine(item) if isinstance(item, int) else forms.of(operands[item.number])
    if form is None:
        return False
    if not form.terms and form.constant < 0:
        form = form + of_dim(dim)
    return is_inside(form, dim, box)
