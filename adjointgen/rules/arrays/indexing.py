"""Reading and writing parts of arrays, and the type of a part.

`load`, `store` and `accumulate` carry the text between the brackets as the option `index`, in which
each `_` stands for the next operand. The length of a slice is stated only where it is certain.
Lengths are `max(0, symbol + offset)`, and with n the length of the axis

* `a:` with a literal a >= 0 has length `n-a`, `:-b` has `n-b`, `a:-b` has `n-a-b`, for every n;
* a literal stop (`:3`) or a start from the end (`-3:`) is clamped, so it is exact for a literal n
  only;
* a stop known as `n-k`, from an operand, is exact where k < 0 (clamped to n) or k is 0, 1 or 2:
  with k >= 3 and n < k the stop is negative, counts from the end, and may name an entry again;
* any other known bound may be clamped or negative: the length is a symbol of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count

from adjointgen.ir.nodes import Apply, Operand
from adjointgen.ir.types import OBJECT, Dim, Shape, Type, broadcast
from adjointgen.records import dataclass
from adjointgen.rules.framework.type_rules import Options, Types, fresh, shaped


@dataclass(frozen=True, slots=True)
class Slot:
    """An operand in an index, by its number among the index operands."""

    number: int


@dataclass(frozen=True, slots=True)
class Slice:
    """`start:stop:step`, each left out, a literal or an operand."""

    start: int | Slot | None
    stop: int | Slot | None
    step: int | Slot | None


@dataclass(frozen=True, slots=True)
class Fancy:
    """A literal list of indices, by its length."""

    length: int


@dataclass(frozen=True, slots=True)
class NewAxis:
    """`None` or `np.newaxis`."""


@dataclass(frozen=True, slots=True)
class Rest:
    """`...`, or any expression that is not understood, which makes the rank unknown."""

    understood: bool = True


Item = int | Slot | Slice | Fancy | NewAxis | Rest


@lru_cache(maxsize=1024)
def parse_index(pattern: str) -> tuple[Item, ...]:
    """The items of an index pattern: `"_, 1:-1"` is an operand and a slice."""
    node = ast.parse(f"a[{pattern}]", mode="eval").body
    assert isinstance(node, ast.Subscript)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    numbers = count()
    return tuple(_item(part, numbers) for part in parts)


def _item(node: ast.expr, numbers: Iterator[int]) -> Item:
    match node:
        case ast.Slice(lower=lower, upper=upper, step=step):
            return Slice(*(_bound(b, numbers) for b in (lower, upper, step)))
        case ast.Constant(value=None) | ast.Attribute(attr="newaxis"):
            return NewAxis()
        case ast.Constant(value=value) if value is ...:
            return Rest()
        case ast.List(elts=elts) if all(_literal(e) is not None for e in elts):
            return Fancy(len(elts))
        case _:
            bound = _bound(node, numbers)
            return Rest(understood=False) if bound is None else bound


def _bound(node: ast.expr | None, numbers: Iterator[int]) -> int | Slot | None:
    """A literal, an operand, or None for a bound that is left out or `None`."""
    if isinstance(node, ast.Name) and node.id == "_":
        return Slot(next(numbers))
    return None if node is None else _literal(node)


def _literal(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    return None


def part_shape(shape: Shape | None, pattern: str, operands: Sequence[Type]) -> Shape | None:
    """The shape of `a[pattern]` for an array of the given shape; None where the rank is unknown."""
    items = parse_index(pattern)
    fancy = _fancy_shape(items, operands)
    if shape is None or fancy is None or Rest(understood=False) in items:
        return None
    rest = len(shape) - sum(_axes_taken(item, operands) for item in items)
    if rest < 0:
        return None
    if Rest() not in items:
        items = (*items, Rest())
    dims: list[Dim | None] = []
    axis, places = 0, []
    for position, item in enumerate(items):
        taken = rest if isinstance(item, Rest) else _axes_taken(item, operands)
        if isinstance(item, int | Slot | Fancy):
            places.append((position, len(dims)))
        else:
            dims += _basic(item, shape[axis : axis + taken], operands)
        axis += taken
    if _is_advanced(items, operands):
        # Indices that stand side by side leave their shape in their place; else it comes first.
        apart = places[-1][0] - places[0][0] >= len(places)
        place = 0 if apart else places[0][1]
        dims[place:place] = fancy
    return tuple(dims)


def _basic(item: Item, axes: Shape, operands: Sequence[Type]) -> Shape:
    """What `...`, `None` or a slice makes of the axes that it stands for."""
    if isinstance(item, NewAxis):
        return (Dim("", 1),)
    if isinstance(item, Slice):
        return (_slice_length(axes[0], item, operands),)
    return axes


def _operand(item: Item, operands: Sequence[Type]) -> Type | None:
    return operands[item.number] if isinstance(item, Slot) else None


def _axes_taken(item: Item, operands: Sequence[Type]) -> int:
    """How many axes of the array an item consumes; a mask takes as many as it has."""
    if isinstance(item, NewAxis | Rest):
        return 0
    type = _operand(item, operands)
    return type.rank or 1 if type is not None and type.dtype == "bool" else 1


def _is_advanced(items: Sequence[Item], operands: Sequence[Type]) -> bool:
    types = [_operand(item, operands) for item in items]
    return any(isinstance(item, Fancy) for item in items) or any(
        t and not t.is_scalar for t in types
    )


def _fancy_shape(items: Sequence[Item], operands: Sequence[Type]) -> Shape | None:
    """The shape that the integer and mask indices broadcast to; None where it is unknown."""
    shapes: list[Shape | None] = []
    for item in items:
        type = _operand(item, operands)
        if isinstance(item, Fancy):
            shapes.append((Dim("", item.length),))
        elif type is not None and (type.kind == "object" or type.shape is None):
            return None
        elif type is not None and type.dtype == "bool":
            # How many entries a mask selects is known at run time only.
            shapes.append((None,))
        elif type is not None:
            shapes.append(type.shape)
    return broadcast(*shapes)


def _slice_length(dim: Dim | None, item: Slice, operands: Sequence[Type]) -> Dim | None:
    """The length of `axis[start:stop:step]`: None where a bound is not known.

    A length that depends on how the bounds are clamped is a symbol of its own, `<n|0|2|>`: equal
    slices of equal axes have equal lengths.
    """
    bounds = (item.start, item.stop, item.step)
    values = [_value(b, operands) for b in bounds]
    if dim is None or any(b is not None and v is None for b, v in zip(bounds, values, strict=True)):
        return None
    known = [None if v is None else v.known for v in values]
    start, stop, step = values
    if dim.known is not None and all(v is None or v.known is not None for v in values):
        return Dim("", len(range(*slice(*known).indices(dim.known))))
    if step not in (None, Dim("", 1)):
        return dim if (start, stop, step) == (None, None, Dim("", -1)) else _clamped(dim, values)
    lead = 0 if start is None else start.known
    tail = _distance_from_end(dim, stop)
    if lead is None or lead < 0 or tail is None:
        return _clamped(dim, values)
    return dim + (-lead - tail)


def _clamped(dim: Dim, bounds: Sequence[Dim | None]) -> Dim:
    """A symbol for the length of a slice that may be clamped."""
    return Dim("|".join([f"<{dim}", *("" if b is None else str(b) for b in bounds)]) + ">")


def _value(bound: int | Slot | None, operands: Sequence[Type]) -> Dim | None:
    if isinstance(bound, Slot):
        return operands[bound.number].value
    return None if bound is None else Dim("", bound)


def _distance_from_end(dim: Dim, stop: Dim | None) -> int | None:
    """How far before the end of a symbolic axis a stop is; None where that is not certain."""
    if stop is None:
        return 0
    if not stop.symbol:
        return -stop.offset if stop.offset < 0 else None
    if stop.symbol != dim.symbol:
        return None
    distance = dim.offset - stop.offset
    return max(0, distance) if distance <= 2 else None


def load_type(types: Types, options: Options) -> Types:
    """The type of `a[index]`."""
    a, *operands = types
    if a.kind == "object":
        return (OBJECT,)
    pattern = str(options.get("index", "_"))
    shape = part_shape(a.shape, pattern, operands)
    if a.kind == "list" and shape is not None:
        sliced = isinstance(parse_index(pattern)[0], Slice)
        return (Type(a.dtype, shape, "list") if sliced else shaped(a.dtype, shape),)
    # With an ellipsis even a single entry is a view, of no axes.
    return (fresh(a.dtype, shape) if "..." in pattern else shaped(a.dtype, shape),)


def numbers_of(stmt: Apply) -> tuple[Operand, ...]:
    """The operands of the index of a load or a store."""
    return stmt.args[1 if stmt.op == "load" else 2 :]


def is_basic(stmt: Apply) -> bool:
    """Whether an index is of whole numbers and slices alone: no entry is meant twice."""
    return all(o.type.is_scalar and o.type.dtype != "bool" for o in numbers_of(stmt))


def may_repeat(pattern: str, indices: Sequence[Operand]) -> bool:
    """Whether an index may name an entry more than once: integer arrays and lists of numbers."""
    for item in parse_index(pattern):
        match item:
            case Fancy() | Rest(understood=False):
                return True
            case Slot(number=number):
                type = indices[number].type
                if not type.is_scalar and type.dtype != "bool":
                    return True
    return False
