"""Which entries of the operands an entry of a result depends on, by the operation.

Sets of inputs stand in arrays of objects, so that NumPy itself broadcasts, moves and reduces them.
What no rule is for depends on all entries of all operands. A factor that is a constant 0 takes the
dependence away: masks and matrices of differences have their own structure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from inspect import signature
from typing import Any, Final

import numpy as np

from adjointgen.tracing import elementary, functions, rearrange
from adjointgen.tracing.standins import filled
from adjointgen.tracing.tape import Part, Record, Slot

NOTHING: Final[frozenset[int]] = frozenset()
union: Final[Any] = np.frompyfunc(frozenset.union, 2, 1)
Sets = Any
"""An array of sets, one for each entry."""

_REDUCED: Final = ("sum", "mean", "prod", "var", "std", "max", "min", "amax", "amin", "linalg.norm")
_RUNNING: Final = ("cumsum", "cumprod", "maximum.accumulate", "minimum.accumulate")
_PRODUCTS: Final = ("matmul", "dot")
_LINEAR: Final = ("einsum", "tensordot", "convolve", "inner", "vdot", "kron", "trace", "cross")
"""Linear in each operand: entries that depend on each other are those with a factor."""
MOST_PROBED: Final = 4_000_000
"""Entries of a matrix of factors that is looked at; for a larger one all depend on all."""
MOST_TERMS: Final = 10_000_000
"""Terms of a product of matrices of which each is looked at: of more, all depend on all."""


def local(record: Record, given: Sequence[Sets | None]) -> Sets:
    """The sets of the entries of a result; `given` are those of operands, None for constants."""
    name = record.operation.removeprefix("np.").removeprefix("math.")
    name = name.removeprefix("scipy.special.").replace("linalg.matmul", "matmul")
    if name in rearrange.NAMES:
        return _moved(record, given)
    if name in elementary.RULES or name in ("float", "real", "imag"):
        return _entrywise(record, given, name)
    rule = _RULES.get(name)
    found = None if rule is None else rule(record, given)
    return _all_of_all(record, given) if found is None else found


def empty(shape: tuple[int, ...]) -> Sets:
    """Sets of nothing."""
    made = np.empty(shape, object)
    made[...] = NOTHING
    return made


def as_array(value: Any, shape: tuple[int, ...]) -> Sets:
    """An array of its own of a shape: NumPy gives a single set as it is."""
    made = np.empty(shape, object)
    made[...] = value
    return made


def together(sets: Sets) -> frozenset[int]:
    """The union of all entries."""
    return NOTHING.union(*np.ravel(sets))


def _moved(record: Record, given: Sequence[Sets | None]) -> Sets:
    """Entries that are moved bring their sets along."""
    assert record.pull is not None
    size = int(np.prod(record.shape))
    numbers = np.arange(size, dtype=float).reshape(record.shape)
    found = empty((size,))
    for part, sets in zip(record.pull(numbers, record.kept), given, strict=True):
        if part is None or sets is None:
            continue
        assert isinstance(part, Part)
        to, source = np.ravel(part.value).astype(np.intp), np.ravel(part.positions)
        found[to] = union(found[to], np.ravel(sets)[source])
    return found.reshape(record.shape)


def _entrywise(record: Record, given: Sequence[Sets | None], name: str) -> Sets:
    """Each entry depends on those of the operands that are broadcast to it."""
    found = empty(record.shape)
    for sets in given:
        if sets is not None:
            found = as_array(union(found, sets), record.shape)
    if name in ("multiply", "divide"):
        zero = np.zeros((), bool)
        for k, constant in enumerate(_constants(record, given)):
            if constant is not None and (name == "multiply" or k == 0):
                zero = zero | np.equal(constant, 0)
        found[np.broadcast_to(zero, record.shape)] = NOTHING
    return found


def _constants(record: Record, given: Sequence[Sets | None]) -> list[Any]:
    """The values of the operands that depend on nothing, None for the others."""
    assert record.spelling is not None
    kept = [None, *record.kept[1:]]
    found = []
    for one in record.spelling.args:
        depends = isinstance(one, Slot) and given[one.number - 1] is not None
        found.append(None if depends else filled(one, kept))
    return found


def _bound(record: Record, name: str) -> dict[str, Any]:
    """The arguments of a call of NumPy's function, by the names that its rule has."""
    assert record.spelling is not None
    rule = functions.RULES[name]
    args, kwargs = record.spelling.args, record.spelling.kwargs
    bound = signature(rule).bind_partial(None, None, *args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


def _reduced(name: str) -> Callable[[Record, Sequence[Sets | None]], Sets | None]:
    """Each entry depends on those that were reduced to it."""

    def rule(record: Record, given: Sequence[Sets | None]) -> Sets | None:
        options = _bound(record, name) if name in functions.RULES else {}
        if len(given) != 1 or given[0] is None or "axis" not in options:
            return None
        sets, axis = given[0], options["axis"]
        axes = range(sets.ndim) if axis is None else np.atleast_1d(axis)
        # A union has no identity that NumPy knows of: it reduces one axis at a time.
        for k in sorted((int(axis) % sets.ndim for axis in axes), reverse=True):
            sets = union.reduce(as_array(sets, np.shape(sets)), axis=k, initial=NOTHING)
        return as_array(sets, np.shape(sets)).reshape(record.shape)

    return rule


def _running(name: str) -> Callable[[Record, Sequence[Sets | None]], Sets | None]:
    """Each entry depends on itself and those before it."""

    def rule(record: Record, given: Sequence[Sets | None]) -> Sets | None:
        axis = _bound(record, name).get("axis")
        if len(given) != 1 or given[0] is None:
            return None
        flat = np.ravel(given[0]) if axis is None else given[0]
        return union.accumulate(flat, axis=0 if axis is None else axis)

    return rule


def _sorted(record: Record, given: Sequence[Sets | None]) -> Sets | None:
    """Each entry depends on all along the axis."""
    axis = _bound(record, "sort").get("axis", -1)
    if len(given) != 1 or given[0] is None or axis is None:
        return None
    return as_array(union.reduce(given[0], axis=axis, keepdims=True), record.shape)


def _differences(record: Record, given: Sequence[Sets | None]) -> Sets | None:
    """Each entry depends on one, and on those after it."""
    options = _bound(record, "diff")
    if len(given) != 1 or given[0] is None:
        return None
    found = np.moveaxis(given[0], options["axis"], -1)
    for _ in range(options["n"]):
        found = union(found[..., 1:], found[..., :-1])
    found = np.moveaxis(found, -1, options["axis"])
    return as_array(found, record.shape) if found.shape == record.shape else None


def _product(record: Record, given: Sequence[Sets | None]) -> Sets | None:
    """Entries of a product of matrices or vectors depend on a row and a column."""
    assert record.spelling is not None
    if len(record.spelling.args) != 2 or record.spelling.kwargs:
        return None
    constants = _constants(record, given)
    values = filled(record.spelling.args, [None, *record.kept[1:]])
    numbers = iter(given)
    sides: list[Sets] = []
    lives: list[Any] = []
    for one, value, constant in zip(record.spelling.args, values, constants, strict=True):
        sets = next(numbers) if isinstance(one, Slot) else None
        if np.ndim(value) not in (1, 2):
            return None
        sides.append(empty(np.shape(value)) if sets is None else sets)
        lives.append(np.ones(np.shape(value), bool) if constant is None else np.not_equal(value, 0))
    left, alive = np.atleast_2d(sides[0]), np.atleast_2d(lives[0])
    right, living = (one.reshape(len(one), -1) for one in (sides[1], lives[1]))
    if left.size * right.shape[1] > MOST_TERMS:
        return None
    found = np.empty((len(left), right.shape[1]), object)
    for i, row in enumerate(left):
        for j in range(right.shape[1]):
            terms = np.flatnonzero(alive[i] & living[:, j])
            found[i, j] = NOTHING.union(*row[terms], *right[terms, j])
    return found.reshape(record.shape)


def _outer(record: Record, given: Sequence[Sets | None]) -> Sets | None:
    assert record.spelling is not None
    slots = [one for one in record.spelling.args if isinstance(one, Slot)]
    left, right = given[0], given[-1]
    if len(slots) != 2 or left is None or right is None:
        return None
    return as_array(union.outer(np.ravel(left), np.ravel(right)), record.shape)


def _probed(record: Record, given: Sequence[Sets | None]) -> Sets | None:
    """By the factors of an operation that is linear in its only operand that is no constant."""
    active = [k for k, sets in enumerate(given) if sets is not None]
    size = int(np.prod(record.shape))
    if len(active) != 1 or record.pull is None or isinstance(record.live, tuple):
        return None
    sets = np.ravel(given[active[0]])  # type: ignore[arg-type]
    if size * sets.size > MOST_PROBED:
        return None
    found = empty((size,))
    for k in range(size):
        unit = np.zeros(size)
        unit[k] = 1.0
        factors = record.pull(unit.reshape(record.shape), record.kept)[active[0]]
        if isinstance(factors, Part):
            return None
        found[k] = NOTHING.union(*sets[np.flatnonzero(factors)])
    return found.reshape(record.shape)


def _all_of_all(record: Record, given: Sequence[Sets | None]) -> Sets:
    """Every entry of every result depends on every entry of every operand."""
    whole = reduce(frozenset.union, (together(s) for s in given if s is not None), NOTHING)
    if isinstance(record.live, tuple):
        return [as_array(_single(whole), np.shape(part)) for part in record.live]
    return as_array(_single(whole), record.shape)


def _single(value: frozenset[int]) -> Any:
    made = np.empty((), object)
    made[()] = value
    return made


_RULES: Final[dict[str, Callable[[Record, Sequence[Sets | None]], Sets | None]]] = {
    **{name: _reduced(name) for name in _REDUCED},
    **{name: _running(name) for name in _RUNNING},
    **dict.fromkeys(_PRODUCTS, _product),
    **dict.fromkeys(_LINEAR, _probed),
    "outer": _outer,
    "sort": _sorted,
    "diff": _differences,
}
