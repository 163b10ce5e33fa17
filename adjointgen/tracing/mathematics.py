"""Functions of `math` and `cmath`, and Python's `max` and `min`, of stand-ins."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from adjointgen.tracing.apply import Rule, apply, lazily
from adjointgen.tracing.elementary import RULES as ELEMENTARY
from adjointgen.tracing.elementary import ZERO
from adjointgen.tracing.reductions import _others
from adjointgen.tracing.standins import is_standin, lowered, node, raw


def _log(g: Any, y: Any, x: Any, base: Any = None) -> Any:
    if base is None:
        return {"x": np.divide(g, x)}
    scale = np.log(base)
    return {"x": lazily(lambda: g / (x * scale)), "base": lazily(lambda: -g * y / (base * scale))}


def _hypot(g: Any, y: Any, *coordinates: Any) -> Any:
    return {"coordinates": [g * c / y if y else 0.0 * g for c in coordinates]}


def _dist(g: Any, y: Any, p: Any, q: Any) -> Any:
    gaps = [a - b for a, b in zip(p, q, strict=True)]
    found = [g * gap / y if y else 0.0 * g for gap in gaps]
    return {"p": found, "q": [-one for one in found]}


def _fsum(g: Any, y: Any, seq: Any) -> Any:
    return {"seq": [g for _ in seq]}


def _prod(g: Any, y: Any, iterable: Any, *, start: Any = 1) -> Any:
    others = _others(np.array([start, *iterable]), 0)
    return {"iterable": list(g * others[1:]), "start": g * others[0]}


def _sumprod(g: Any, y: Any, p: Any, q: Any) -> Any:
    return {"p": [g * b for b in q], "q": [g * a for a in p]}


def _ieee(g: Any, y: Any, x: Any, other: Any) -> Any:
    return {"x": g, "other": lazily(lambda: -g * round((x - y) / other))}


def _first(g: Any, y: Any, x: Any) -> Any:
    return {"x": g[0]}


def _frexp(g: Any, y: Any, x: Any) -> Any:
    return {"x": math.ldexp(1.0, -y[1]) * g[0]}


def _polar(g: Any, y: Any, z: Any) -> Any:
    size = np.conj(z) / y[0] if y[0] else 0.0
    return {"z": g[0] * size + (g[1] * -1j / z if y[0] else 0.0)}


def _rect(g: Any, y: Any, r: Any, phi: Any) -> Any:
    turn = np.exp(1j * phi)
    return {"r": np.real(g * turn), "phi": np.real(g * 1j * r * turn)}


OWN: Final[dict[str, Rule]] = {
    "log": _log,
    "hypot": _hypot,
    "dist": _dist,
    "fsum": _fsum,
    "prod": _prod,
    "sumprod": _sumprod,
    "remainder": _ieee,
    "modf": _first,
    "frexp": _frexp,
    "polar": _polar,
    "rect": _rect,
    "phase": ELEMENTARY["angle"],
}
_VALUES: Final = [
    "isnan",
    "isinf",
    "isfinite",
    "isclose",
    "floor",
    "ceil",
    "trunc",
    "ulp",
    "nextafter",
    "comb",
    "perm",
]
MATH: Final = frozenset([*OWN, *ELEMENTARY, *ZERO, *_VALUES])


def called(original: Any, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """A function of `math`; those of an iterable take it as a list."""
    short = name.rpartition(".")[2]
    if short in ("fsum", "prod", "dist", "sumprod"):
        args = tuple(list(one) if not is_standin(one) or np.ndim(raw(one)) else one for one in args)
    if short in ("floor", "ceil", "trunc"):
        return original(*lowered(args))
    zero = short in ZERO or short in ("ulp", "nextafter")
    return apply(name, original, args, kwargs, OWN.get(short) or ELEMENTARY.get(short), name, zero)


def extreme(original: Callable[..., Any]) -> Callable[..., Any]:
    """Python's `max` or `min`: equal numbers share the derivative."""

    def chosen(*args: Any, **kwargs: Any) -> Any:
        if kwargs or not args:
            return original(*args, **kwargs)
        items = list(args) if len(args) > 1 else list(args[0])
        if not items or not any(is_standin(one) for one in items):
            return original(items) if len(args) == 1 else original(*args)
        best = original(items)
        ties = [one for one in items if _equal(one, best)]
        if len(ties) == 1 or not any(is_standin(one) and node(one).active for one in ties):
            return best
        if np.ndim(raw(best)):
            return best
        return apply(
            original.__name__, lambda _: raw(best), (ties,), rule=_shared, form=original.__name__
        )

    return chosen


def _equal(one: Any, best: Any) -> bool:
    same = raw(one) == raw(best)
    return bool(same) if np.ndim(same) == 0 else False


def _shared(g: Any, y: Any, ties: Any) -> Any:
    return {"ties": [g / len(ties) for _ in ties]}
