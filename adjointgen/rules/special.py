"""SciPy's functions of one or two numbers. Rows are names: nothing here imports SciPy.

The derivatives are those of the Digital Library of Mathematical Functions (dlmf.nist.gov), by the
number of its equation where they are not elementary.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjointgen.rules.declare import elementwise
from adjointgen.rules.infer import floating_type

_SPECIAL = "scipy.special."
_ROOT = 1.0 / math.sqrt(2.0 * math.pi)


def _scipy(name: str, x: Any, *more: Any) -> Any:
    """A function of this file, of handles."""
    return x.apply(name, x, *more)


def _row(name: str, partial: Any, on: tuple[float, float], **fields: Any) -> None:
    spellings = [_SPECIAL + name, *fields.pop("more", ())]
    elementwise(name, "x", spellings, partial, infer=floating_type, on=on, cost=20, **fields)


_row("ndtr", lambda y, x: _ROOT * np.exp(-0.5 * x * x), (-2, 2), more=["scipy.stats.norm.cdf"])
_row("log_ndtr", lambda y, x: _ROOT * np.exp(-0.5 * x * x - y), (-2, 2))
_row("ndtri", lambda y, x: np.exp(0.5 * y * y) / _ROOT, (0.1, 0.9), more=["scipy.stats.norm.ppf"])
_row("expit", lambda y, x: y * (1.0 - y), (-2, 2))
_row("logit", lambda y, x: 1.0 / (x * (1.0 - x)), (0.1, 0.9))
_row("erfinv", lambda y, x: 0.5 * math.sqrt(math.pi) * np.exp(y * y), (-0.9, 0.9))
_row("erfcx", lambda y, x: 2.0 * x * y - 2.0 / math.sqrt(math.pi), (-1, 2))
elementwise(
    "norm_pdf",
    "x",
    ["scipy.stats.norm.pdf"],
    lambda y, x: -x * y,
    infer=floating_type,
    on=(-2, 2),
    cost=20,
)

_row("digamma", lambda y, x: x.apply("polygamma", x, n=1), (0.5, 3), more=[_SPECIAL + "psi"])
elementwise(
    "polygamma",
    "n=0, x",
    [_SPECIAL + "polygamma"],
    lambda y, x, n: x.apply("polygamma", x, n=n + 1),
    infer=floating_type,
    on=(0.5, 3),
    cost=20,
)
_row("gammaln", lambda y, x: _scipy("digamma", x), (0.5, 3), more=[_SPECIAL + "loggamma"])
_row("gamma", lambda y, x: y * _scipy("digamma", x), (0.5, 3))

_row("j0", lambda y, x: -_scipy("j1", x), (0.5, 3))  # 10.6.3
_row("j1", lambda y, x: _scipy("j0", x) - y / x, (0.5, 3), edge="NaN at 0")  # 10.6.2
_row("i0", lambda y, x: _scipy("i1", x), (0.5, 3))  # 10.29.3
_row("i1", lambda y, x: _scipy("i0", x) - y / x, (0.5, 3), edge="NaN at 0")  # 10.29.2
_row("k0", lambda y, x: -_scipy("k1", x), (0.5, 3))  # 10.29.3
_row("k1", lambda y, x: -_scipy("k0", x) - y / x, (0.5, 3))  # 10.29.2
_row(  # 19.4.1, for m = k²
    "ellipk",
    lambda y, x: (_scipy("ellipe", x) - (1.0 - x) * y) / (2.0 * x * (1.0 - x)),
    (0.1, 0.9),
    edge="NaN at 0",
)
_row("ellipe", lambda y, x: (y - _scipy("ellipk", x)) / (2.0 * x), (0.1, 0.9), edge="NaN at 0")
