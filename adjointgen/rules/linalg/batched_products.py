"""Products for many samples at once: vectors are what `matmul` has no stacks of.

A @ b   ->   b @ A.T                        b of many samples
             np.einsum("zij,zj->zi", A, b)  both
"""

from __future__ import annotations

from typing import Any

from adjointgen.rules.framework.batching import Sample, aligned, not_batched, shifted


def product(sample: Sample) -> Any:
    """Stacks of matrices as they are; vectors of many samples as rows of one matrix."""
    a, b = sample.args
    p, q = sample.rank(0), sample.rank(1)
    match p, q, sample.many:
        case (1, 1, (True, True)):
            return sample.op("einsum", a, b, subscripts="zi,zi->z")
        case (1, 2, (True, True)):
            return sample.op("einsum", a, b, subscripts="zi,zij->zj")
        case (2, 1, (True, True)):
            return sample.op("einsum", a, b, subscripts="zij,zj->zi")
        case (1, 1, (False, True)):
            return b @ a
        case (2, 1, (False, True)):
            return b @ a.apply("transpose", a)
    stacked_vector = min(p, q) == 1 and max(p, q) > 2
    if stacked_vector and sample.many[0 if p == 1 else 1]:
        not_batched("a product is of a vector and a stack")
    if min(p, q) > 1:
        a, b = sample.aligned(0, q), sample.aligned(1, p)
    return a @ b


def dotted(sample: Sample) -> Any:
    """`np.dot`: of numbers entry by entry, of vectors and matrices a product."""
    p, q = sample.rank(0), sample.rank(1)
    if not p or not q:
        return sample.aligned(0, q) * sample.aligned(1, p)
    if max(p, q) > 2:
        not_batched("a product is of more than matrices")
    return product(sample)


def inner(sample: Sample) -> Any:
    """Over the last axis of both."""
    p, q = sample.rank(0), sample.rank(1)
    if not p or not q or max(p, q) > 2:
        return dotted(sample)
    left, right = ("i" if p == 2 else "") + "k", ("j" if q == 2 else "") + "k"
    return with_letter(sample, [left, right], left[:-1] + right[:-1])


def vdotted(sample: Sample) -> Any:
    """Of two vectors."""
    if any(a.type.dtype.startswith("complex") for a in sample.args):
        not_batched("numbers are complex")
    if sample.rank(0) != 1 or sample.rank(1) != 1:
        not_batched("vdot flattens its operands")
    return product(sample)


def outer(sample: Sample) -> Any:
    """A column for each sample times a row for each."""
    a, b = sample.args
    if sample.rank(0) != 1 or sample.rank(1) != 1:
        not_batched("outer flattens its operands")
    column = sample.op("load", a, index=":, :, None" if sample.many[0] else ":, None")
    row = sample.op("load", b, index=":, None, :") if sample.many[1] else b
    return column * row


def crossed(sample: Sample) -> Any:
    """Along the last axis."""
    p, q = sample.rank(0), sample.rank(1)
    return sample.op("cross", sample.aligned(0, q), sample.aligned(1, p))


def with_letter(sample: Sample, inputs: list[str], output: str) -> Any:
    """A contraction with one letter more, that of the samples."""
    letter = next(c for c in "zyxwvutsrqponmlkjihgfedcbaZYX" if c not in "".join(inputs))
    parts = [letter + p if many else p for p, many in zip(inputs, sample.many, strict=True)]
    subscripts = f"{','.join(parts)}->{letter}{output}"
    return sample.op("einsum", *sample.args, subscripts=subscripts)


def stacked(sample: Sample) -> Any:
    """What NumPy does with each matrix of a stack."""
    sample.only(0)
    if str(sample.given.get("spelling", "")).startswith("scipy."):
        return sample.apply(*sample.args, spelling=f"numpy.linalg.{sample.name}")
    return sample.apply(*sample.args)


def solved(sample: Sample) -> Any:
    """A vector on the right is a matrix of one column for each sample."""
    a, b = sample.args
    p, q = sample.rank(0), sample.rank(1)
    if q == 1:
        b = sample.op("load", b, index=":, :, None" if sample.many[1] else ":, None")
    a = aligned(a, p, max(q, 2)) if sample.many[0] else a
    b = aligned(b, max(q, 2), p) if sample.many[1] else b
    made = sample.op("solve", a, b)
    return sample.op("load", made, index="..., 0") if q == 1 else made


def normed(sample: Sample) -> Any:
    """Of vectors and matrices, or along the axes that are named."""
    rank, axis = sample.rank(0), sample.options["axis"]
    if axis is None and rank > 2:
        not_batched("a norm flattens its operand")
    new = (1 if rank == 1 else (1, 2)) if axis is None else shifted(axis)
    return sample.apply(*sample.args, axis=new)


def diagonals(sample: Sample) -> Any:
    """The diagonal of a matrix for each sample; a vector would be one of a new matrix."""
    if sample.rank(0) != 2:
        not_batched("a vector is made a matrix")
    return sample.op("diagonal", sample.args[0], offset=sample.options["k"], axis1=1, axis2=2)
