"""Both modes against central differences of the function itself."""

from collections.abc import Callable
from typing import Any

import numpy as np

from adjointgen import adjoint, tangent

STEP = 1e-5


def agrees(f: Callable[..., Any], *args: Any) -> None:
    """The value, and both modes with respect to every argument that is a float or an array."""
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    wrt = tuple(n for n, a in zip(names, args, strict=True) if isinstance(a, float | np.ndarray))
    value, *bars = adjoint(f, wrt)(*_fresh(args), *_seeds(f(*_fresh(args))))
    assert np.allclose(_flat(value), _flat(f(*_fresh(args))), rtol=1e-13)
    for name, bar in zip(wrt, bars, strict=True):
        place = names.index(name)
        for entry in np.ndindex(np.shape(args[place])):
            slope = _slope(f, args, place, entry)
            assert np.isclose(np.asarray(bar)[entry], np.sum(slope), rtol=1e-6, atol=1e-8)
            dots = [
                _unit(a, entry if n == name else None) for n, a in zip(names, args, strict=True)
            ]
            dots = [d for n, d in zip(names, dots, strict=True) if n in wrt]
            found = tangent(f, wrt)(*_fresh(args), *dots)[1]
            assert np.allclose(_flat(found), slope, rtol=1e-6, atol=1e-8)


def _fresh(args: tuple[Any, ...]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


def _flat(value: Any) -> Any:
    parts = value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.ravel(np.asarray(p, dtype=float)) for p in parts])


def _seeds(value: Any) -> list[Any]:
    """Ones for every result, so that the adjoint is the slope of their sum."""
    parts = value if isinstance(value, tuple) else (value,)
    return [np.ones_like(p) if isinstance(p, np.ndarray) else 1.0 for p in parts]


def _unit(like: Any, entry: tuple[int, ...] | None) -> Any:
    if not isinstance(like, np.ndarray):
        return 0.0 if entry is None else 1.0
    made = np.zeros_like(like)
    if entry is not None:
        made[entry] = 1.0
    return made


def _slope(f: Callable[..., Any], args: tuple[Any, ...], place: int, entry: Any) -> Any:
    """Richardson's extrapolation of two central differences."""

    def central(h: float) -> Any:
        ends = []
        for step in (h, -h):
            moved = _fresh(args)
            moved[place] = moved[place] + step * _unit(args[place], entry)
            ends.append(_flat(f(*moved)))
        return (ends[0] - ends[1]) / (2.0 * h)

    return (4.0 * central(STEP / 2) - central(STEP)) / 3.0
