"""Copies of arguments in which whatever is one object, or one memory, still is one.

    twins(tree)         the copy; views of one array are views of one copy
    tied(trees)         which two of the parts share storage

`structures.fresh` takes the parts apart, which is right for a point that is moved along a line.
What a function does to its arguments, though, depends on which of them are one.
"""

import copy
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from adjointgen.verify.structures import children

Array: TypeAlias = np.ndarray[Any, Any]
Tie: TypeAlias = tuple[str, str]

MOST = 100
"""Parts that are compared with each other."""
WORK = 10_000
"""How long NumPy may look for an entry that two views share."""


def twins(tree: Any) -> Any:
    """A copy that shares no storage with `tree`, and within itself what `tree` shares.

    What cannot be copied, such as modules and open files, is passed along (`uncopied`).
    """
    memo: dict[int, Any] = {}
    for _, part in _parts(tree, ""):
        if isinstance(part, np.ndarray):
            memo[id(part)] = _twin(part, memo)
        elif not _copies(part):
            memo[id(part)] = part
    try:
        return copy.deepcopy(tree, memo)
    except Exception:  # what an object of the user's raises only means that it is not copied
        return tree


def uncopied(tree: Any) -> tuple[str, ...]:
    """The paths of what `twins` passes along although it may change: iterators, open files."""
    return tuple(path for path, part in _parts(tree, "") if not (_constant(part) or _copies(part)))


def tied(trees: Mapping[str, Any]) -> frozenset[Tie]:
    """The pairs of paths at which one array, list, dict or object stands, or parts of one array."""
    parts = [(path, part) for name in trees for path, part in _parts(trees[name], name)]
    held = [(path, part) for path, part in parts if _has_storage(part)][:MOST]
    return frozenset(
        (one, other)
        for (one, left), (other, right) in combinations(held, 2)
        if left is right or _overlap(left, right)
    )


def _parts(tree: Any, path: str, inside: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """A tree and everything in it, containers first; what holds itself is entered once."""
    yield path, tree
    if id(tree) not in inside:
        for label, part in children(tree) or ():
            yield from _parts(part, path + label, (*inside, id(tree)))


def _twin(array: Array, memo: dict[int, Any]) -> Array:
    """The same view of a copy of the memory."""
    owner = array
    while isinstance(base := _base(owner), np.ndarray):
        owner = base
    if id(owner) not in memo:
        memo[id(owner)] = copy.deepcopy(owner) if owner.dtype.hasobject else owner.copy("K")
    twin: Array = memo[id(owner)]
    if owner is array:
        return twin
    if twin.strides != owner.strides or type(array) is not np.ndarray or array.dtype.hasobject:
        return copy.deepcopy(array)
    start = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    whole = twin.reshape(-1, order="A").view(np.uint8) if twin.size else twin
    if not 0 <= start <= whole.nbytes:
        return copy.deepcopy(array)
    return np.ndarray(array.shape, array.dtype, whole.data, start, array.strides)


def _base(array: Array) -> object:
    """What an array is a view of; behind `as_strided` an object stands between."""
    base: object = array.base
    return base if base is None or isinstance(base, np.ndarray) else getattr(base, "base", None)


def _copies(part: Any) -> bool:
    """Whether an object can be copied; containers are no question, their parts are."""
    if children(part) is not None or _constant(part):
        return True
    try:
        copy.deepcopy(part)
    except Exception:  # as above
        return False
    return True


def _constant(part: Any) -> bool:
    """Whether an object is one that no function changes, or that all may share."""
    return isinstance(part, str | bytes | int | float | complex | type(None) | type(np))


def _has_storage(part: Any) -> bool:
    if isinstance(part, np.ndarray):
        return part.size > 0
    return children(part) is not None and not isinstance(part, tuple)


def _overlap(one: Any, other: Any) -> bool:
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return False
    try:
        return np.shares_memory(one, other, max_work=WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return np.may_share_memory(one, other)
