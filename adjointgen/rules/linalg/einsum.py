"""Contractions of tensors: `tensordot` and `einsum`, which are linear in every operand.

The adjoint of a contraction is the contraction of `y_bar` with the other operands over the axes
that these contributed to the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.ir.types import Dim, Type, broadcast, same_length
from adjointgen.rules.framework.batching import Sample, not_batched
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general, linear
from adjointgen.rules.framework.shape_helpers import always, length, rank_of
from adjointgen.rules.framework.type_rules import (
    Types,
    axes_of,
    fresh,
    result_dtype,
    shaped,
)
from adjointgen.rules.linalg.batched_products import with_letter

Options = Mapping[str, Any]
Args = Sequence[Any]


def contracted(axes: Any, p: int, q: int) -> tuple[list[int], list[int]]:
    """The axes of both operands that `tensordot` sums over."""
    if isinstance(axes, int):
        return list(range(p - axes, p)), list(range(axes))
    left, right = axes
    return list(axes_of(left, p)), list(axes_of(right, q))


def _batched_tensordot(sample: Sample) -> Any:
    """As an `einsum`."""
    p, q = sample.rank(0), sample.rank(1)
    letters = "abcdefghijklmnopqrstuvw"
    if p + q > len(letters):
        not_batched("a product has more axes than letters")
    left, right = contracted(sample.options["axes"], p, q)
    own, other = list(letters[:p]), list(letters[p : p + q])
    for k, j in zip(left, right, strict=True):
        other[j] = own[k]
    free = [c for k, c in enumerate(own) if k not in left]
    free += [c for k, c in enumerate(other) if k not in right]
    return with_letter(sample, ["".join(own), "".join(other)], "".join(free))


def _tensordot_type(types: Types, options: Options) -> Types:
    a, b = (t.shape for t in types)
    dtype = result_dtype(types)
    if a is None or b is None:
        return (fresh(dtype, None),)
    left, right = contracted(options.get("axes", 2), len(a), len(b))
    kept = [d for k, d in enumerate(a) if k not in left]
    # The result stays an array at rank 0.
    return (fresh(dtype, (*kept, *(d for k, d in enumerate(b) if k not in right))),)


def _tensordot_back(
    y_bar: Any, other: Any, rank: int, own: list[int], others: list[int], first: bool
) -> Any:
    """`y_bar` against the other operand along its free axes; the axes then stand as free, summed,
    or as summed, free if these are their places; else they are put back there."""
    free = [k for k in range(rank) if k not in own]
    other_free = [k for k in range(rank_of(other, "tensordot")) if k not in others]
    start = len(free) if first else 0
    bar_axes = tuple(range(start, start + len(other_free)))
    # The other's remaining axes come in its order: the own axes that they were summed with.
    remaining = [own[others.index(k)] for k in sorted(others)]
    order = free + remaining
    if order != sorted(order) and remaining + free == sorted(order):
        return y_bar.apply("tensordot", other, y_bar, axes=(tuple(other_free), bar_axes))
    product = y_bar.apply("tensordot", y_bar, other, axes=(bar_axes, tuple(other_free)))
    if order == sorted(order):
        return product
    places = tuple(int(k) for k in np.argsort(order))
    return product.apply("transpose", product, axes=places)


def _tensordot_left(y_bar: Any, a: Any, b: Any, axes: Any) -> Any:
    p, q = (rank_of(a, "tensordot"), rank_of(b, "tensordot"))
    left, right = contracted(axes, p, q)
    return _tensordot_back(y_bar, b, p, left, right, first=True)


def _tensordot_right(y_bar: Any, a: Any, b: Any, axes: Any) -> Any:
    p, q = (rank_of(a, "tensordot"), rank_of(b, "tensordot"))
    left, right = contracted(axes, p, q)
    return _tensordot_back(y_bar, a, q, right, left, first=False)


linear(
    "tensordot",
    "a, b, axes=2",
    ["numpy.tensordot"],
    {0: _tensordot_left, 1: _tensordot_right},
    infer=_tensordot_type,
    cost=10,
    fits=always,
    domain=[
        ("float64[2,3]", "float64[3,4]", {"axes": 1}),
        ("float64[2,3]", "float64[2,3]", {"axes": 2}),
        ("float64[2,3]", "float64[3,2]", {"axes": ((0, 1), (1, 0))}),
        ("float64[2,3,4]", "float64[4,5,2]", {"axes": ((0, 2), (2, 0))}),
        ("float64[2,3,4]", "float64[4,5,3]", {"axes": ((1, -1), (-1, 0))}),
        ("float64[2]", "float64[3]", {"axes": 0}),
    ],
    loop="contraction",
    batch=_batched_tensordot,
)


def parse_einsum(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The index letters of the operands and of the result.

    An ellipsis becomes capital letters, aligned at the right; an omitted result has the letters
    that occur once, in the order of the alphabet.
    """
    text, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = text.split(",")
    counts = [
        rank - len(part) + 3 if "..." in part else 0
        for part, rank in zip(inputs, ranks, strict=True)
    ]
    spare = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in subscripts]
    letters = "".join(spare[: max(counts)][::-1])
    inputs = [
        part.replace("...", letters[len(letters) - n :])
        for part, n in zip(inputs, counts, strict=True)
    ]
    if arrow:
        return inputs, output.replace("...", letters)
    every = "".join(inputs)
    named = [c for c in sorted(set(every)) if c not in letters and every.count(c) == 1]
    return inputs, letters + "".join(named)


def _einsum_type(types: Types, options: Options) -> Types:
    dtype = result_dtype(types)
    shapes = [t.shape for t in types if t.shape is not None]
    if len(shapes) < len(types):
        return (shaped(dtype, None),)
    inputs, output = parse_einsum(options["subscripts"], [len(s) for s in shapes])
    lengths: dict[str, Dim | None] = {}
    for part, shape in zip(inputs, shapes, strict=True):
        for letter, dim in zip(part, shape, strict=True):
            known = lengths.get(letter, Dim("", 1))
            merged = broadcast((known,), (dim,))
            lengths[letter] = merged[0] if merged else None
    return (shaped(dtype, tuple(lengths[c] for c in output)),)


def _einsum_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """The sum over the operands of the product with this one's tangent."""
    total = None
    for k, dot in enumerate(dots):
        if dot is not None:
            operands = (*args[:k], dot, *args[k + 1 :])
            term = dot.apply("einsum", *operands, subscripts=options["subscripts"])
            total = term if total is None else total + term
    return total


def _einsum_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    ranks = [rank_of(a, "einsum") for a in args]
    inputs, output = parse_einsum(options["subscripts"], ranks)
    return [_einsum_back(k, y_bar, args, inputs, output) for k in range(len(args))]


def _einsum_back(k: int, y_bar: Any, args: Args, inputs: list[str], output: str) -> Any:
    """`y_bar` times the other operands, summed to the indices of this one.

    An index that occurs in this operand alone, or elsewhere where it may have one place only, is
    spread by a factor of ones; an index that occurs in it twice is a diagonal, whose second
    occurrence gets a letter of its own and an identity.
    """
    factors, operands = [output], [y_bar]
    for n, part in enumerate(inputs):
        if n != k:
            factors.append(part)
            operands.append(args[n])
    own, spare = "", iter(c for c in "abcdefghijklmnopqrstuvwxyz" if c not in "".join(inputs))
    for position, letter in enumerate(inputs[k]):
        if letter in own:
            other = next(spare)
            factors.append(letter + other)
            operands.append(y_bar.apply("eye", length(args[k], position)))
            letter = other
        own += letter
    shape = args[k].type.shape
    if not all(_is_spread(d, c, factors, operands) for c, d in zip(own, shape, strict=True)):
        factors.append(own)
        operands.append(args[k].apply("ones_like", args[k]))
    return y_bar.apply("einsum", *operands, subscripts=f"{','.join(factors)}->{own}")


def _is_spread(dim: Dim | None, letter: str, parts: Sequence[str], factors: Args) -> bool:
    """Whether one of the factors certainly has an axis of this letter that is as long."""
    if dim is not None and dim.known == 1:
        return letter in "".join(parts)
    for part, factor in zip(parts, factors, strict=True):
        shape = factor.type.shape
        if letter in part and shape is not None and same_length(shape[part.index(letter)], dim):
            return True
    return False


def _batched_einsum(sample: Sample) -> Any:
    """With one letter more."""
    ranks = [sample.rank(k) for k in range(len(sample.args))]
    return with_letter(sample, *parse_einsum(sample.options["subscripts"], ranks))


def rearranges(types: Sequence[Type], options: Mapping[str, Any]) -> bool:
    """Whether nothing is summed and nothing multiplied: then the result is a view."""
    part, arrow, output = str(options["subscripts"]).replace(" ", "").partition("->")
    if len(types) != 1:
        return False
    return {*part} <= {*output} if arrow else all(part.count(c) == 1 for c in part if c != ".")


general(
    "einsum",
    "subscripts='', *operands...",
    ["numpy.einsum"],
    _einsum_tangent,
    _einsum_adjoint,
    infer=_einsum_type,
    view="type",
    shares=rearranges,
    cost=10,
    domain=[
        ("float64[2,3]", "float64[3,4]", {"subscripts": "ij,jk->ik"}),
        ("float64[3]", "float64[3]", {"subscripts": "i,i->"}),
        ("float64[2,3]", {"subscripts": "ij->"}),
        ("float64[2,3]", {"subscripts": "ba"}),
        ("float64[3,3]", {"subscripts": "ii"}),
        ("float64[3,3]", {"subscripts": "ii->i"}),
        ("float64[2,3]", "float64[3]", "float64[2]", {"subscripts": "ij,j,i->i"}),
        ("float64[5,2,3]", "float64[3,4]", {"subscripts": "...ij,jk->...ik"}),
        ("float64[5,2,3]", "float64[1,3]", {"subscripts": "...j,...j"}),
    ],
    loop="contraction",
    batch=_batched_einsum,
)
