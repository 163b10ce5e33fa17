"""Lengths of axes by how arrays were made, where types do not tell.

`x[:i]` has as many entries in each iteration as `y[:i]` if `x` and `y` have; what that number is
does not matter. A length is a `Dim` where the type knows it, and otherwise a term: the slice of an
axis by bounds in affine form, the integer that an array was made with, the lengths that broadcast,
or the axis of a value about which nothing is known. Equal terms are equal lengths wherever both
values are defined, since every name has one value there.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.costs import LENGTH_DEPTH
from adjointgen.ir.affine import Affine, Forms, of_dim, variable
from adjointgen.ir.edit import flags_of, is_one_array
from adjointgen.ir.nodes import Apply, Block, Loop, Operand, Value, walk
from adjointgen.ir.types import Dim, same_length
from adjointgen.records import dataclass, field
from adjointgen.rules.arrays.indexing import Fancy, Item, NewAxis, Rest, Slice, Slot, parse_index
from adjointgen.rules.framework.table import TABLE
from adjointgen.rules.framework.type_rules import boolean_type, elementwise_type, floating_type

Length = Dim | tuple[object, ...]
Lengths = tuple[Length, ...]

BROADCASTING = (elementwise_type, floating_type, boolean_type)
ONE = Dim("", 1)


@dataclass(slots=True)
class Measures:
    """The lengths of the arrays that a sweep has met; the user's statements count."""

    makers: dict[str, Apply] = field(default_factory=dict)
    found: dict[str, Lengths] = field(default_factory=dict)
    pairs: dict[int, str] = field(default_factory=dict)
    counts: set[str] = field(default_factory=set)
    forms: _Forms = field(default_factory=lambda: _Forms())
    carried: dict[str, tuple[Loop, int, Operand]] = field(default_factory=dict)
    """What loops carry, in the loop and after it: the loop, the place, and the first value."""

    def note(self, stmt: Apply) -> None:
        self.makers.update((r.name, stmt) for r in stmt.results)
        if TABLE.get(stmt.op).sized:
            self.counts.update(a.name for a in stmt.args if isinstance(a, Value))

    def read(self, body: Block) -> None:
        """All of a program at once."""
        for stmt in walk(body):
            if isinstance(stmt, Loop):
                self.enter(stmt, stmt.inits)
            elif isinstance(stmt, Apply):
                self.note(stmt)

    def enter(self, loop: Loop, inits: Sequence[Operand]) -> None:
        """A loop begins with these values.

        The loop of a reverse sweep has the index of its forward loop in each iteration.
        """
        for k, init in enumerate(inits):
            found = loop, k, init
            self.carried[loop.body.params[k].name] = self.carried[loop.results[k].name] = found
        if loop.pair:
            first = self.pairs.setdefault(loop.pair, loop.index.name)
            self.forms.known[loop.index.name] = variable(first)

    def same(self, a: Operand, b: Operand) -> bool:
        """Whether two arrays that met in one valid operation have the same shape."""
        if a == b:
            return True
        p, q = self.of(a), self.of(b)
        if p is None or q is None or len(p) != len(q):
            return False
        return all(_same(m, n) for m, n in zip(p, q, strict=True))

    def of(self, operand: Operand, depth: int = LENGTH_DEPTH) -> Lengths | None:
        """The lengths of an array; None where their number is not known."""
        shape = operand.type.shape
        if shape is None or operand.type.kind not in ("scalar", "array"):
            return None
        if None not in shape:
            return tuple(d for d in shape if d is not None)
        if not isinstance(operand, Value):
            return None
        if operand.name not in self.found:
            self.found[operand.name] = self.measured(operand, depth)
        return self.found[operand.name]

    def measured(self, value: Value, depth: int) -> Lengths:
        """The lengths that the type gives, the others by the statement that made the array."""
        shape = value.type.shape or ()
        stmt = self.makers.get(value.name)
        made = None
        if depth:
            made = self.through(value, depth - 1) if stmt is None else self.made(stmt, depth - 1)
        if made is None or len(made) != len(shape):
            made = (None,) * len(shape)
        pairs = enumerate(zip(shape, made, strict=True))
        return tuple(dim or term or ("axis", value.name, k) for k, (dim, term) in pairs)

    def through(self, value: Value, depth: int) -> Lengths | None:
        """The lengths of an array that each iteration of a loop leaves as long as it was."""
        loop, k, init = self.carried.get(value.name, (None, 0, value))
        if loop is None or value.type.kind != "array":
            return None
        if is_one_array(loop, k):
            return self.of(init, depth)
        param, end = loop.body.params[k], loop.body.yields[k + flags_of(loop)]
        assumed = self.of(init, depth)
        if assumed is None or not isinstance(end, Value) or init.type.rank != param.type.rank:
            return None
        if init.type.kind != "array" or param.name in self.found:
            return assumed if self.found.get(param.name) == assumed else None
        before = set(self.found)
        self.found[param.name] = assumed
        if self.of(end, depth) == assumed:
            return assumed
        for name in self.found.keys() - before:
            del self.found[name]
        return None

    def made(self, stmt: Apply, depth: int) -> Sequence[Length | None] | None:
        """What a statement says about the lengths of its only result."""
        op, args = stmt.op, stmt.args
        if len(stmt.results) != 1:
            return None
        row = TABLE[op]
        if row.shape_of is not None:
            return self.of(args[row.shape_of], depth)
        if row.sized:
            return self.integers(stmt.args[:-1] if op == "full" else stmt.args)
        if op == "reshape":
            return self.reshaped(stmt, depth)
        if row.kind == "elementwise" or row.infer in BROADCASTING or op == "select":
            return self.broadcast([self.of(a, depth) for a in args])
        first = self.of(args[0], depth) if args else None
        if first is None:
            return None
        match op:
            case "load":
                return self.part(first, stmt, depth)
            case "transpose":
                return _permuted(first, stmt.option("axes"))
            case "matmul" | "dot":
                return self.product(first, self.of(args[1], depth), op)
            case "outer":
                second = self.of(args[1], depth)
                flat = second is not None and len(first) == len(second) == 1
                return (*first, *second) if flat and second is not None else None
            case _:
                return _reduced(first, stmt) if row.reduces else None

    def integers(self, operands: Sequence[Operand]) -> list[Length | None]:
        """The lengths that an array is made with."""
        return [self.integer(a) for a in operands]

    def reshaped(self, stmt: Apply, depth: int) -> list[Length | None]:
        """The same, where a number may be -1 and stand for what is left."""
        lengths = self.integers(stmt.args[1:])
        before = ("left", self.of(stmt.args[0], depth), tuple(lengths))
        pairs = zip(stmt.args[1:], lengths, strict=True)
        return [n if n is None or self.is_count(a) else (*before, n) for a, n in pairs]

    def is_count(self, operand: Operand) -> bool:
        """Whether a number is no -1: known, or the length of an array that is made with it."""
        return operand.name in self.counts if isinstance(operand, Value) else True

    def integer(self, operand: Operand) -> Length | None:
        form = self.form(operand)
        if form is None or (not form.terms and form.constant < 0):
            return None
        return ("integer", form) if form.terms else Dim("", form.constant)

    def form(self, operand: Operand) -> Affine | None:
        self.forms.makers = self.makers
        return self.forms.of(operand)

    def broadcast(self, parts: Sequence[Lengths | None]) -> list[Length | None] | None:
        known = [p for p in parts if p is not None]
        if len(known) < len(parts):
            return None
        rank = max(map(len, known), default=0)
        return [_broadcast([p[k - rank] for p in known if len(p) >= rank - k]) for k in range(rank)]

    def product(self, a: Lengths, b: Lengths | None, op: str) -> Sequence[Length | None] | None:
        """The lengths of a product of matrices and vectors, or of stacks of matrices."""
        if b is None or not a or not b:
            return None
        if len(a) <= 2 and len(b) <= 2:
            return a[:-1] + b[1:]
        stack = (
            self.broadcast((a[:-2], b[:-2])) if op == "matmul" and min(len(a), len(b)) > 1 else None
        )
        return None if stack is None else [*stack, a[-2], b[-1]]

    def part(self, whole: Lengths, stmt: Apply, depth: int) -> list[Length | None] | None:
        """The lengths of `a[index]`."""
        items = list(parse_index(str(stmt.option("index"))))
        operands = stmt.args[1:]
        if any(isinstance(i, Fancy) for i in items) or Rest(understood=False) in items:
            return None
        arrays = [i for i in items if isinstance(i, Slot) and not operands[i.number].type.is_scalar]
        if arrays and any(isinstance(i, int | Slot) for i in items if i not in arrays[:1]):
            return None
        counts = [_axes(item, operands) for item in items]
        if sum(counts) > len(whole):
            return None
        if Rest() not in items:
            items.append(Rest())
            counts.append(0)
        made: list[Length | None] = []
        axis = 0
        for item, taken in zip(items, counts, strict=True):
            count = len(whole) - sum(counts) if isinstance(item, Rest) else taken
            lengths = self.item(item, whole[axis : axis + count], operands, depth)
            if lengths is None:
                return None
            made += lengths
            axis += count
        return made

    def item(
        self, item: Item, axes: Lengths, operands: Sequence[Operand], depth: int
    ) -> Sequence[Length | None] | None:
        """What an item of an index makes of the axes that it stands for."""
        match item:
            case Rest():
                return axes
            case NewAxis():
                return (ONE,)
            case Slice(start=start, stop=stop, step=step):
                bounds = [self.bound(b, operands) for b in (start, stop, step)]
                return (None,) if "?" in bounds else (_slice(axes[0], bounds),)
            case Slot(number=number) if not operands[number].type.is_scalar:
                index = operands[number]
                if index.type.dtype == "bool" and isinstance(index, Value):
                    return (("true", index.name),)
                return self.of(index, depth)
            case _:
                return ()

    def bound(self, bound: int | Slot | None, operands: Sequence[Operand]) -> object:
        """A bound in a form that equal bounds share, `"?"` where there is none."""
        if isinstance(bound, Slot):
            return self.form(operands[bound.number]) or "?"
        return None if bound is None else Affine(bound)


class _Forms(Forms):
    """Affine forms, each found once; what is too deep is a name of its own."""

    def __init__(self) -> None:
        super().__init__({}, frozenset(), frozenset())
        self.known: dict[str, Affine | None] = {}
        self.depth = 0

    def of(self, operand: Operand) -> Affine | None:
        if not isinstance(operand, Value):
            return super().of(operand)
        if operand.name not in self.known:
            if self.depth == LENGTH_DEPTH:
                return variable(operand.name)
            self.depth += 1
            self.known[operand.name] = super().of(operand)
            self.depth -= 1
        return self.known[operand.name]


def _axes(item: Item, operands: Sequence[Operand]) -> int:
    """How many axes of the array an item stands for; a mask has as many as the array there."""
    if isinstance(item, NewAxis | Rest):
        return 0
    type = operands[item.number].type if isinstance(item, Slot) else None
    return type.rank or 1 if type is not None and type.dtype == "bool" else 1


def _same(a: Length, b: Length) -> bool:
    dims = isinstance(a, Dim) and isinstance(b, Dim)
    return a == b or (dims and same_length(a, b))  # type: ignore[arg-type]


def _slice(whole: Length, bounds: list[object]) -> Length:
    start, stop, step = bounds
    start = None if start == Affine(0) else start
    step = None if step == Affine(1) else step
    if isinstance(whole, Dim) and stop == of_dim(whole):
        stop = None
    if start is None and stop is None and step in (None, Affine(-1)):
        return whole
    return ("slice", whole, start, stop, step)


def _broadcast(column: list[Length]) -> Length | None:
    """The length that lengths broadcast to: ones give way."""
    wide = [c for c in dict.fromkeys(column) if c != ONE]
    if len(wide) > 1:
        return ("wide", frozenset(wide))
    return wide[0] if wide else ONE


def _permuted(lengths: Lengths, axes: object) -> Lengths | None:
    if isinstance(axes, tuple):
        # A call that fails for its axes leaves no lengths.
        fits = all(-len(lengths) <= k < len(lengths) for k in axes)
        return tuple(lengths[k] for k in axes) if fits else None
    return lengths[::-1]


def _reduced(lengths: Lengths, stmt: Apply) -> Lengths | None:
    """The lengths that are left when axes are reduced."""
    axis = stmt.option("axis")
    axes = range(len(lengths)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(stmt.args) > 1 or not all(isinstance(k, int) for k in axes):
        return None
    gone = {k % max(len(lengths), 1) for k in axes}
    if stmt.option("keepdims"):
        return tuple(ONE if k in gone else n for k, n in enumerate(lengths))
    return tuple(n for k, n in enumerate(lengths) if k not in gone)
