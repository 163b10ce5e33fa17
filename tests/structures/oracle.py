"""Derivatives of functions of structures against central differences, in both modes and twice.

Structures are taken apart here by a walk of its own, which knows nothing of how programs do it.
"""

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjointgen import grad, hvp, jvp

Vector = NDArray[np.float64]
STEP = 1e-5


def children(tree: Any) -> dict[Any, Any] | None:
    """The entries of a structure; None for what is none."""
    if isinstance(tree, dict):
        return dict(tree)
    if isinstance(tree, tuple) and hasattr(tree, "_asdict"):
        return dict(enumerate(tree))
    if isinstance(tree, list | tuple):
        return dict(enumerate(tree))
    if dataclasses.is_dataclass(tree) or type(tree).__module__.startswith("tests."):
        return dict(vars(tree))
    return None


def is_float(leaf: Any) -> bool:
    return isinstance(leaf, float) or (isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f")


def floats(tree: Any) -> Iterator[Any]:
    """The floats and arrays of floats in a structure."""
    inner = children(tree)
    if inner is None:
        if is_float(tree):
            yield tree
        return
    for entry in inner.values():
        yield from floats(entry)


def flat(tree: Any, like: Any) -> Vector:
    """The numbers of a structure that stand where `like` has floats."""
    inner = children(like)
    if inner is None:
        return np.ravel(np.asarray(tree, float)) if is_float(like) else np.empty(0)
    assert type(tree) is type(like), (tree, like)
    entries = children(tree) or {}
    assert list(entries) == list(inner), (tree, like)
    return np.concatenate([np.empty(0), *(flat(entries[k], inner[k]) for k in inner)])


def filled(like: Any, numbers: Iterator[float]) -> Any:
    """A structure like another, with other numbers."""
    inner = children(like)
    if inner is None:
        if isinstance(like, np.ndarray) and is_float(like):
            return np.array([next(numbers) for _ in range(like.size)]).reshape(like.shape)
        return float(next(numbers)) if is_float(like) else copy.copy(like)
    parts = {key: filled(entry, numbers) for key, entry in inner.items()}
    if isinstance(like, dict):
        return parts
    if hasattr(like, "_make"):
        return like._make(parts.values())
    if isinstance(like, list | tuple):
        return type(like)(parts.values())
    made = copy.copy(like)
    for key, part in parts.items():
        object.__setattr__(made, key, part)
    return made


def derivatives_agree(f: Callable[..., Any], *args: Any, wrt: int = 0) -> Any:
    """Check gradient, tangent and Hessian product of a scalar function; gives the gradient."""
    like = args[wrt]
    point = flat(like, like)
    assert point.size

    def at(vector: Vector) -> tuple[Any, ...]:
        new = filled(like, iter(vector))
        return tuple(new if k == wrt else copy.deepcopy(a) for k, a in enumerate(args))

    def difference(g: Callable[[Vector], Any], way: Vector) -> Any:
        return (np.asarray(g(point + STEP * way)) - g(point - STEP * way)) / (2 * STEP)

    units = np.eye(point.size)
    wanted = np.array([difference(lambda v: f(*at(v)), unit) for unit in units])
    found = grad(f, wrt=wrt)(*at(point))
    np.testing.assert_allclose(flat(found, like), wanted, rtol=2e-6, atol=2e-7)

    way = np.random.default_rng(point.size).normal(size=point.size)
    dots: list[Any] = [None] * len(args)
    dots[wrt] = filled(like, iter(way))
    value, value_dot = jvp(f, at(point), dots)
    np.testing.assert_allclose(value, f(*at(point)), rtol=1e-12)
    np.testing.assert_allclose(value_dot, wanted @ way, rtol=2e-6, atol=2e-7)

    def gradient(vector: Vector) -> Vector:
        return flat(grad(f, wrt=wrt)(*at(vector)), like)

    product = flat(hvp(f, at(point), dots), like)
    np.testing.assert_allclose(product, difference(gradient, way), rtol=2e-5, atol=2e-6)
    return found
