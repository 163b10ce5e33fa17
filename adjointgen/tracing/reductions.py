"""Adjoints of sums, products, extremes, cumulative functions and sorted arrays.

Each rule has the parameters of NumPy's function, after the adjoint `g` of the value `y`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from adjointgen.tracing.apply import Rule
from adjointgen.tracing.tape import Part


def spread(g: Any, a: Any, axis: Any, keepdims: Any = False) -> Any:
    """The adjoint of a reduction over the shape of what was reduced."""
    g = np.asarray(g)
    if axis is not None and keepdims is not True:
        axes = axis if isinstance(axis, tuple) else (axis,)
        g = np.expand_dims(g, tuple(k % np.ndim(a) for k in axes))
    return np.broadcast_to(g if np.ndim(a) == g.ndim else g.reshape((1,) * np.ndim(a)), np.shape(a))


def _count(a: Any, axis: Any) -> Any:
    if axis is None:
        return np.size(a)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return np.prod([np.shape(a)[k] for k in axes])


def _sum(
    g: Any,
    y: Any,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = 0.0,
    where: Any = True,
) -> Any:
    return {"a": np.where(where, spread(g, a, axis, keepdims), 0.0), "initial": g}


def _mean(
    g: Any,
    y: Any,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
) -> Any:
    return {"a": spread(g, a, axis, keepdims) / _count(a, axis)}


def _var(
    g: Any,
    y: Any,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
) -> Any:
    middle = np.mean(a, axis=axis, keepdims=True)
    slope = 2.0 * np.conj(a - middle) / (_count(a, axis) - ddof)
    return {"a": spread(g, a, axis, keepdims) * slope}


def _std(
    g: Any,
    y: Any,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
) -> Any:
    half = np.where(np.equal(y, 0), 0.0, 0.5 * np.asarray(g) / np.where(np.equal(y, 0), 1.0, y))
    return _var(half, y, a, axis, dtype, out, ddof, keepdims)


def _others(a: Any, axis: int) -> Any:
    """Along an axis, the product of all other entries, without a division."""
    one = np.moveaxis(np.asarray(a), axis, 0)
    below, above = np.ones_like(one), np.ones_like(one)
    for k in range(1, len(one)):
        below[k] = below[k - 1] * one[k - 1]
        above[-k - 1] = above[-k] * one[-k]
    return np.moveaxis(below * above, 0, axis)


def _prod(
    g: Any,
    y: Any,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = 1.0,
    where: Any = True,
) -> Any:
    chosen, a = np.broadcast_to(where, np.shape(a)), np.where(where, a, 1.0)
    if axis is None:
        others = _others(a.reshape(-1), 0).reshape(a.shape)
    else:
        axes = axis if isinstance(axis, tuple) else (axis,)
        moved = np.moveaxis(a, axes, range(-len(axes), 0))
        flat = moved.reshape(*moved.shape[: a.ndim - len(axes)], -1)
        others = np.moveaxis(_others(flat, -1).reshape(moved.shape), range(-len(axes), 0), axes)
    whole = np.prod(a, axis=axis, keepdims=keepdims is True)
    made = np.where(chosen, spread(g, a, axis, keepdims) * others * initial, 0.0)
    return {"a": made, "initial": g * whole}


def _extreme(
    g: Any,
    y: Any,
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    hits = np.equal(a, spread(y, a, axis, keepdims)) & np.asarray(where)
    count = hits.sum(axis=axis, keepdims=True)
    other = 0 if initial is None else np.equal(initial, np.reshape(y, np.shape(count)))
    share = hits / np.maximum(count + other, 1)
    return {"a": spread(g, a, axis, keepdims) * share}


def _cumsum(g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    if axis is None:
        return {"a": np.cumsum(np.ravel(g)[::-1])[::-1].reshape(np.shape(a))}
    return {"a": np.flip(np.cumsum(np.flip(g, axis), axis), axis)}


def _cumprod(g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    flat = np.ravel(a) if axis is None else np.moveaxis(np.asarray(a), axis, 0)
    bar = np.ravel(g) if axis is None else np.moveaxis(np.asarray(g), axis, 0)
    made = np.zeros(flat.shape, np.result_type(flat, bar))
    for k in range(len(flat)):
        made[: k + 1] += bar[k] * _others(flat[: k + 1], 0)
    return {"a": made.reshape(np.shape(a)) if axis is None else np.moveaxis(made, 0, axis)}


def _sort(g: Any, y: Any, a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    a = np.asarray(a)
    flat = a.reshape(-1) if axis is None else a
    places = np.argsort(flat, axis=-1 if axis is None else axis, kind="stable")
    numbers = np.arange(a.size).reshape(flat.shape)
    return {"a": Part(np.take_along_axis(numbers, places, -1 if axis is None else axis), g)}


def _diff(g: Any, y: Any, a: Any, n: int = 1, axis: int = -1) -> Any:
    g = np.moveaxis(np.asarray(g), axis, -1)
    for _ in range(n):
        edge = np.zeros((*g.shape[:-1], 1), g.dtype)
        g = -np.diff(np.concatenate([edge, g, edge], -1))
    return {"a": np.moveaxis(g, -1, axis)}


def _trace(
    g: Any, y: Any, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, **_: Any
) -> Any:
    numbers = np.arange(np.size(a)).reshape(np.shape(a))
    places = np.diagonal(numbers, offset, axis1, axis2)
    return {"a": Part(places, np.broadcast_to(np.asarray(g)[..., None], places.shape))}


def _extreme_so_far(a: Any, greater: bool) -> Any:
    """Where each entry of a running extreme comes from, on the first axis."""
    places = np.zeros(a.shape, int)
    best = a[0].copy()
    for k in range(1, len(a)):
        new = a[k] > best if greater else a[k] < best
        best = np.where(new, a[k], best)
        places[k] = np.where(new, k, places[k - 1])
    return places


def running(greater: bool) -> Rule:
    """The rule of `np.maximum.accumulate` and `np.minimum.accumulate`."""

    def rule(g: Any, y: Any, a: Any, axis: int = 0) -> Any:
        moved = np.moveaxis(np.asarray(a), axis, 0)
        made = np.zeros(moved.shape)
        rest = np.indices(moved.shape)[1:]
        np.add.at(made, (_extreme_so_far(moved, greater), *rest), np.moveaxis(g, axis, 0))
        return {"a": np.moveaxis(made, 0, axis)}

    return rule


RULES: Final[dict[str, Rule]] = {
    "sum": _sum,
    "mean": _mean,
    "var": _var,
    "std": _std,
    "prod": _prod,
    "max": _extreme,
    "amax": _extreme,
    "min": _extreme,
    "amin": _extreme,
    "cumsum": _cumsum,
    "cumprod": _cumprod,
    "sort": _sort,
    "diff": _diff,
    "trace": _trace,
    "maximum.accumulate": running(True),
    "minimum.accumulate": running(False),
}
