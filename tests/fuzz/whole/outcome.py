"""What a call does, as Python has it: result, exception, log, arguments, and what is one.

Nothing here comes of adjointgen.
"""

import copy
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.float64]]

WORDED = ArithmeticError | TypeError | LookupError | ValueError | NameError
"""Exceptions whose text is that of whatever operation raises them."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Result and arguments are copies; `ties` are the paths of one storage in the originals."""

    result: Any
    error: Exception | None
    log: tuple[Any, ...]
    after: Any
    ties: frozenset[tuple[str, str]]


def call(module: Any, function: Callable[..., Any], args: Any, *more: Any) -> Outcome:
    """One call, with the log and the counter of its module anew; a coded refusal is raised."""
    module.LOG.clear()
    module.COUNT = 0
    result, error = None, None
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        try:
            result = function(*args, *more)
        except Exception as raised:
            if hasattr(raised, "code"):
                raise
            error = raised
    ties = frozenset(_ties({"args": args, "result": result}))
    result, after = copy.deepcopy((result, args))
    return Outcome(result, error, tuple(module.LOG), after, ties)


def parts(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a tree, containers too; objects by their attributes."""
    yield path, tree
    match tree:
        case dict():
            for key, value in tree.items():
                yield from parts(value, f"{path}[{key!r}]")
        case tuple() | list():
            for k, value in enumerate(tree):
                yield from parts(value, f"{path}[{k}]")
        case _ if _is_instance(tree):
            for key, value in vars(tree).items():
                yield from parts(value, f"{path}.{key}")


def numbers(tree: Any) -> Numbers:
    """The floats of a tree, in order."""
    leaves = [np.ravel(v) for _, v in parts(tree) if _is_float(v)]
    whole = np.concatenate([np.zeros(0), *leaves])
    return whole.astype(np.float64) if whole.dtype.kind == "f" else np.full(1, np.nan)


def refilled(tree: Any, values: Iterator[float]) -> Any:
    """A tree with other floats, in order; containers and arrays are new ones."""
    match tree:
        case dict():
            return {key: refilled(value, values) for key, value in tree.items()}
        case tuple() | list():
            return type(tree)(refilled(value, values) for value in tree)
        case np.ndarray() if tree.dtype.kind == "f":
            made = np.array([next(values) for _ in range(tree.size)], tree.dtype)
            return made.reshape(tree.shape)
        case float():
            return type(tree)(next(values))
    if _is_instance(tree):
        made = copy.copy(tree)
        vars(made).update({k: refilled(v, values) for k, v in vars(tree).items()})
        return made
    return tree


def differences(wanted: Outcome, found: Outcome, effects: bool) -> Iterator[str]:
    """How two outcomes differ; with `effects`, in arguments and aliases as well."""
    if type(wanted.error).__name__ != type(found.error).__name__:
        yield f"exception: {wanted.error!r} became {found.error!r}"
        return
    own = wanted.error is not None and not isinstance(wanted.error, WORDED)
    if own and str(wanted.error) != str(found.error):
        yield f"exception: {wanted.error!r} became {found.error!r}"
    if wanted.error is None and (path := unlike(wanted.result, found.result)) is not None:
        yield f"value: result{path}: {wanted.result!r} became {found.result!r}"
    if wanted.log != found.log:
        yield f"log: {wanted.log} became {found.log}"
    if effects and (path := unlike(wanted.after, found.after)) is not None:
        yield f"arguments: args{path}: {wanted.after!r} became {found.after!r}"
    if effects and wanted.error is None and wanted.ties != found.ties:
        yield f"aliases: {sorted(wanted.ties)} became {sorted(found.ties)}"


def unlike(wanted: Any, found: Any) -> str | None:
    """The first path at which two trees differ, but for rounding."""
    one, other = list(parts(wanted)), list(parts(found))
    for (path, left), (place, right) in zip(one, other, strict=False):
        if path != place or not _alike(left, right):
            return path
    return None if len(one) == len(other) else "(length)"


def _alike(one: Any, other: Any) -> bool:
    if _is_number(one) and _is_number(other):
        kinds = {np.asarray(v).dtype.kind for v in (one, other)}
        same = np.shape(one) == np.shape(other) and len(kinds) == 1
        return same and bool(np.allclose(one, other, 1e-10, 1e-10, equal_nan=True))
    if type(one).__name__ != type(other).__name__:
        return False
    if isinstance(one, np.ndarray):
        same = one.shape == other.shape and one.dtype == other.dtype
        return same and bool(np.allclose(one, other, 1e-10, 1e-10, equal_nan=True))
    if isinstance(one, dict):
        return list(one) == list(other)
    if isinstance(one, tuple | list):
        return len(one) == len(other)
    return type(one).__eq__ is object.__eq__ or bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex | np.generic) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def _is_instance(value: Any) -> bool:
    """Whether an object is of a class of a program."""
    return type(value).__module__.startswith(("fuzz_", "tests.")) and hasattr(value, "__dict__")


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def _ties(trees: dict[str, Any]) -> Iterator[tuple[str, str]]:
    held = [
        (path, part)
        for name, tree in trees.items()
        for path, part in parts(tree, name)
        if isinstance(part, np.ndarray | list | dict) or hasattr(part, "__dict__")
    ]
    for (one, left), (other, right) in combinations(held[:40], 2):
        arrays = isinstance(left, np.ndarray) and isinstance(right, np.ndarray)
        if left is right or (arrays and np.shares_memory(left, right)):
            yield one, other
