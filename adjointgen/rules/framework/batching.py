"""Many samples at once: what an operation is where some operands have an axis more, their first.

    y = sum(x * w)         ->    y = sum(x * w, axis=1)           x: (n, 5), w: (5,), y: (n,)

The field `batch` of a row is such a rule. It is given the operation with its operands as they are
now (`Sample`), of which some are `many`, and gives the result for all samples, batch axis first; of
a row that `measures` it gives the one result of all. NotBatched says that there is none for these
operands: then samples are done one by one. (van Merrienboer et al. 2018, Radul and Hoffman:
batching transformations of array programs, as `vmap` of JAX.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from adjointgen.errors import NotBatched
from adjointgen.ir.nodes import Const
from adjointgen.ir.types import INTEGER, PYTHON, Dim, Type
from adjointgen.records import dataclass
from adjointgen.rules.framework.shape_helpers import length
from adjointgen.rules.framework.type_rules import axes_of

REFUSED = "samples cannot be computed at once: "


def not_batched(why: str) -> NoReturn:
    """Raise NotBatched (AG143)."""
    help = "call it for each sample: vmap does that where it has to, unless loop=False"
    raise NotBatched(REFUSED + why, code="AG143", help=help)


@dataclass(frozen=True, slots=True)
class Sample:
    """One operation: its operands, which of them are of `many` samples, and how many these are.

    `types` are those of the results for one sample, `name` is that of the operation and `options`
    has all of its options, `given` those that the statement has.
    """

    name: str
    args: tuple[Any, ...]
    many: tuple[bool, ...]
    options: Mapping[str, Any]
    given: Mapping[str, Any]
    types: tuple[Type, ...]
    count: Any

    def rank(self, k: int) -> int:
        """The rank of an operand for one sample."""
        found = self.args[k].type.rank
        if found is None:
            not_batched("the rank of an array is not known")
        return int(found) - self.many[k]

    def apply(self, *args: Any, **changed: Any) -> Any:
        """The same operation of other operands, with some options changed."""
        options = {**self.given, **changed}
        if len(self.types) > 1:
            return self.args[0].several(self.name, *args, **options)
        return self.args[0].apply(self.name, *args, **options)

    def op(self, name: str, *args: Any, **options: Any) -> Any:
        """Another operation."""
        return self.args[0].apply(name, *args, **options)

    def only(self, *places: int) -> None:
        """Raise NotBatched where others than these operands are of many samples."""
        if any(many for k, many in enumerate(self.many) if k not in places):
            not_batched(f"an operand of {self.name} is another for each sample")

    def aligned(self, k: int, rank: int) -> Any:
        """An operand that broadcasts with samples of a rank; what all share does as it is."""
        return aligned(self.args[k], self.rank(k), rank) if self.many[k] else self.args[k]

    def each(self, k: int) -> Any:
        """An operand with a batch axis, of equal samples where it has none."""
        a = self.args[k]
        return a if self.many[k] else repeated(a, self.count)


Batch = Callable[[Sample], Any]


def repeated(a: Any, count: Any) -> Any:
    """`a` as many times: a new array."""
    rank = a.type.rank
    if rank is None or a.type.kind not in ("scalar", "array"):
        not_batched("a list or an object would be one for each sample")
    if rank == 0:
        return a.apply("full", count, a)
    return a.apply("tile", a, count, *(1,) * rank)


def shifted(axis: Any) -> Any:
    """Axes of a sample as those of a batch; those that count from the end stay."""
    if isinstance(axis, tuple | list):
        return tuple(map(shifted, axis))
    return axis if axis < 0 else axis + 1


def aligned(a: Any, own: int, rank: int) -> Any:
    """What has a batch axis, with axes after it, so that it broadcasts with samples of a rank."""
    if own >= rank or (not own and not rank):
        return a
    pattern = ", ".join([":", *["None"] * (rank - own), *[":"] * own])
    return a.apply("load", a, index=pattern)


def entries(sample: Sample) -> Any:
    """Entry by entry: samples of lower rank get axes, so that they broadcast as before."""
    (type,) = sample.types
    if type.is_scalar and type.dtype in INTEGER and type.dtype != "bool":
        # Python's integers have no bound.
        not_batched("integers are computed for each sample")
    return chosen(sample)


def chosen(sample: Sample) -> Any:
    """The same, where integers are chosen and not computed."""
    (type,) = sample.types
    operands = [a.operand for a in sample.args]
    values = [k for k, a in enumerate(operands) if not _is_left_out(a)]
    rank = max(sample.rank(k) for k in values)
    args = list(sample.args)
    for k in values:
        args[k] = sample.aligned(k, rank)
    if any(a.type.kind == "list" for k, a in enumerate(sample.args) if sample.many[k]):
        not_batched("a list is another for each sample")
    made = sample.apply(*args)
    return made if made.type.dtype == type.dtype else _narrowed(sample, args, type)


def _is_left_out(operand: Any) -> bool:
    return isinstance(operand, Const) and operand.value is None


def _narrowed(sample: Sample, args: Sequence[Any], type: Type) -> Any:
    """The same with numbers of Python's in the dtype of the array that they stand beside."""
    narrow = [
        (
            a.apply("cast", a, dtype=type.dtype)
            if sample.many[k] and not sample.rank(k) and a.type.dtype in PYTHON
            else a
        )
        for k, a in enumerate(args)
    ]
    made = sample.apply(*narrow)
    if made.type.dtype != type.dtype:
        not_batched(f"{sample.name} has another dtype for arrays than for numbers")
    return made


def unchanged(sample: Sample) -> Any:
    """What takes arrays of any rank, and does with the last axes or entries what it does anyway."""
    sample.only(0)
    return sample.apply(*sample.args)


def itself(sample: Sample) -> Any:
    """The operand: numbers of an array need no conversion."""
    return sample.args[0]


def reduction(sample: Sample) -> Any:
    """Along `axis`, by default all axes of a sample."""
    sample.only(0)
    rank, axis = sample.rank(0), sample.options.get("axis")
    if not rank:
        not_batched(f"{sample.name} is of one number")
    axes = tuple(range(1, rank + 1)) if axis is None else shifted(axis)
    if isinstance(axes, tuple) and len(axes) == 1:
        (axes,) = axes
    return sample.apply(*sample.args, axis=axes)


def along(sample: Sample) -> Any:
    """Along one axis; without one, along that of a vector."""
    sample.only(0)
    axis = sample.options.get("axis")
    if axis is None and sample.rank(0) != 1:
        not_batched(f"{sample.name} flattens its operand")
    return sample.apply(*sample.args, axis=1 if axis is None else shifted(axis))


def every_axis(sample: Sample) -> Any:
    """Along `axis`, by default each of the axes of a sample."""
    return reduction(sample) if sample.options.get("axis") is None else along(sample)


def by_axes(*names: str) -> Batch:
    """What says which axes it is about in these options."""

    def batch(sample: Sample) -> Any:
        sample.only(0)
        given = {name: shifted(sample.options[name]) for name in names}
        return sample.apply(*sample.args, **given)

    return batch


def joined(sample: Sample) -> Any:
    """All operands have a batch axis then."""
    axis = sample.options.get("axis", 0)
    if axis is None:
        not_batched(f"{sample.name} flattens its operands")
    parts = [sample.each(k) for k in range(len(sample.args))]
    return sample.apply(*parts, axis=shifted(axis))


def stacked_entries(sample: Sample) -> Any:
    """`np.array([a, b])` is `np.stack` along the first axis of a sample."""
    parts = [sample.each(k) for k in range(len(sample.args))]
    return sample.op("stack", *parts, axis=1)


def transposed(sample: Sample) -> Any:
    """The batch axis stays the first."""
    rank, axes = sample.rank(0), sample.options.get("axes")
    if rank < 2:
        return sample.args[0]
    order = range(rank)[::-1] if axes is None else axes_of(axes, rank)
    return sample.op("transpose", sample.args[0], axes=(0, *(k + 1 for k in order)))


def reshaped(sample: Sample) -> Any:
    """The lengths after that of the batch."""
    sample.only(0)
    a, *lengths = sample.args
    if sample.options.get("order", "C") != "C":
        not_batched("entries are read in another order")
    return sample.op("reshape", a, sample.count, *lengths)


def flattened(sample: Sample) -> Any:
    """A vector for each sample."""
    if sample.options.get("order", "C") != "C":
        not_batched("entries are read in another order")
    return sample.op("reshape", sample.args[0], sample.count, -1)


def lengths_of(a: Any, first: int = 0) -> list[Any]:
    """The lengths of the axes from one on."""
    return [length(a, axis) for axis in range(first, a.type.rank)]


def reshaped_like(sample: Sample) -> Any:
    """In the shape of another operand's sample."""
    a, like = sample.args
    if all(sample.many):
        return sample.apply(a, like)
    if sample.many[0]:
        return sample.op("reshape", a, sample.count, *lengths_of(like))
    return repeated(sample.op("reshape", a, *lengths_of(like, 1)), sample.count)


def spread(sample: Sample) -> Any:
    """The transpose of a reduction: axes are put in after the batch axis."""
    y, like = sample.args
    own, rank = sample.rank(0), sample.rank(1)
    axis, keepdims = sample.options["axis"], sample.options["keepdims"]
    new = () if axis is None or keepdims else tuple(k + 1 for k in axes_of(axis, rank))
    if sample.many[0] and (axis is None or keepdims):
        new = tuple(range(1, rank - own + 1))
    if not sample.many[1]:
        pattern = ", ".join("None" if k in new else ":" for k in range(rank + 1))
        y = sample.op("load", y, index=pattern) if new else y
        return sample.op("broadcast_to", y, sample.count, *lengths_of(like))
    if new and not sample.many[0]:
        new = (0, *new)
    return sample.op("expand", y, like, axis=new or None, keepdims=False)


def broadcasted(sample: Sample) -> Any:
    """To a shape that has the batch axis before it."""
    sample.only(0)
    a, *shape = sample.args
    a = aligned(a, sample.rank(0), len(shape))
    return sample.op("broadcast_to", a, sample.count, *shape)


def filled(sample: Sample) -> Any:
    """A new array of numbers, each for its sample."""
    shape = sample.args[:-1]
    sample.only(len(shape))
    if not all(s.type.is_scalar for s in shape):
        not_batched("a shape is one value")
    return sample.apply(sample.count, *shape, sample.aligned(len(shape), len(shape)))


def filled_like(sample: Sample) -> Any:
    """The same, of the shape of an operand."""
    a, value = sample.args[0], sample.aligned(1, sample.rank(0))
    if sample.many[0]:
        return sample.apply(a, value)
    dtype = sample.types[0].dtype
    return sample.op("full", sample.count, *lengths_of(a), value, dtype=dtype)


def measured(sample: Sample) -> Any:
    """The length of an axis is the same for each sample."""
    axis = sample.options["axis"]
    return sample.apply(sample.args[0], axis=shifted(axis))


def counted(sample: Sample) -> Any:
    """The entries of one sample."""
    lengths = lengths_of(sample.args[0], 1)
    product: Any = 1
    for n in lengths:
        both = isinstance(n, int) and isinstance(product, int)
        product = n * product if both or not isinstance(product, int) or product != 1 else n
    return product


def at_least(sample: Sample) -> Any:
    """With axes before those of a sample."""
    a, rank, wanted = sample.args[0], sample.rank(0), sample.types[0].rank or 0
    if wanted == 3 and rank in (1, 2):
        return sample.op("load", a, index=":, None, :, None" if rank == 1 else ":, :, :, None")
    return aligned(a, rank, wanted)


def without_ones(sample: Sample) -> Any:
    """Axes of length 1 are left out; the batch axis is not."""
    if (axis := sample.options["axis"]) is not None:
        return sample.apply(sample.args[0], axis=shifted(axis))
    shape = sample.args[0].type.shape[1:]
    if any(d is None for d in shape):
        not_batched("a length may be 1")
    ones = tuple(k for k, d in enumerate(shape, 1) if d == Dim("", 1))
    return sample.apply(sample.args[0], axis=ones) if ones else sample.args[0]


def by_truth(name: str) -> Batch:
    """`and`, `or` and `not` of truth values, each for its sample."""

    def batch(sample: Sample) -> Any:
        if any(a.type.dtype != "bool" for a in sample.args):
            not_batched("a choice is another for each sample")
        return sample.op(name, *sample.args)

    return batch


def of_two(decides: str) -> Batch:
    """Python's `max` and `min`: the second where it is more or less than the first."""

    def batch(sample: Sample) -> Any:
        a, b = sample.args
        return sample.op("select", sample.op(decides, b, a), b, a)

    return batch


def rounded(name: str) -> Batch:
    """An integer for each sample."""

    def batch(sample: Sample) -> Any:
        if len(sample.args) > 1:
            not_batched("Python rounds to digits in another way than NumPy")
        (a,) = sample.args
        if sample.types[0].dtype not in INTEGER or sample.rank(0):
            return sample.op(name, a)
        return sample.op("cast", sample.op(name, a), dtype="int64")

    return batch
