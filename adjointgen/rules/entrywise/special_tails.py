"""Distribution functions and their inverses in `scipy.special`, by their densities.

By a parameter of the incomplete gamma or beta function there is no derivative in closed form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adjointgen.rules.entrywise.special_declarations import (
    SPECIAL,
    beta_density,
    counted_type,
    numbers,
)
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import as_numpy, op
from adjointgen.rules.framework.table import Infer
from adjointgen.rules.framework.type_rules import category, floating_type, weak_type

_PROBABILITY = (0.2, 0.8)
_SHAPE = (1.5, 3)


numbers(
    "betaincc",
    "a, b, x",
    None,
    None,
    lambda y, a, b, x: -beta_density(a, b, x),
    on=(_SHAPE, _SHAPE, _PROBABILITY),
)
numbers(
    "betainccinv",
    "a, b, p",
    None,
    None,
    lambda y, a, b, p: -1.0 / beta_density(a, b, y),
    on=(_SHAPE, _SHAPE, _PROBABILITY),
)
numbers(
    "gammainccinv",
    "a, p",
    None,
    lambda y, a, p: -np.exp(y + op("gammaln", a) - op("xlogy", a - 1.0, y)),
    on=(_SHAPE, _PROBABILITY),
    infer=weak_type,
)


def _inverse(density: str, sign: float, y: Any, *parameters: Any) -> Any:
    return sign / as_numpy(op(density, y, *parameters))


numbers("chdtr", "v, x", None, lambda y, v, x: op("chi2_pdf", x, v), on=(_SHAPE, (0.5, 3)))
numbers("chdtrc", "v, x", None, lambda y, v, x: -op("chi2_pdf", x, v), on=(_SHAPE, (0.5, 3)))
numbers(
    "chdtri",
    "v, p",
    None,
    lambda y, v, p: _inverse("chi2_pdf", -1.0, y, v),
    on=(_SHAPE, _PROBABILITY),
)
_F = (_SHAPE, _SHAPE)
numbers("fdtr", "n, d, x", None, None, lambda y, n, d, x: op("f_pdf", x, n, d), on=(*_F, (0.5, 2)))
numbers(
    "fdtrc", "n, d, x", None, None, lambda y, n, d, x: -op("f_pdf", x, n, d), on=(*_F, (0.5, 2))
)
numbers(
    "fdtri",
    "n, d, p",
    None,
    None,
    lambda y, n, d, p: _inverse("f_pdf", 1.0, y, n, d),
    on=(*_F, _PROBABILITY),
)
numbers(
    "stdtrit",
    "df, p",
    None,
    lambda y, df, p: _inverse("t_pdf", 1.0, y, df),
    on=(_SHAPE, _PROBABILITY),
)
numbers(  # Johnson, Kotz and Balakrishnan 1995, equation 29.23
    "chndtr",
    "x, df, nc",
    lambda y, x, df, nc: op("ncx2_pdf", x, df, nc),
    None,
    lambda y, x, df, nc: 0.5 * (op("chndtr", x, df + 2.0, nc) - y),
    on=((0.5, 3), _SHAPE, (0.5, 2)),
)
numbers(
    "chndtrix",
    "p, df, nc",
    lambda y, p, df, nc: _inverse("ncx2_pdf", 1.0, y, df, nc),
    None,
    None,
    on=(_PROBABILITY, _SHAPE, (0.5, 2)),
)


def _by_definition(
    name: str, signature: str, definition: Any, domain: Any, infer: Infer = floating_type
) -> None:
    composed(name, signature, [SPECIAL + name], definition, infer=infer, cost=40, domain=domain)


_by_definition(
    "gdtr", "a, b, x", lambda a, b, x: op("gammainc", b, a * x), [([0.7], 2.0, [0.5, 1.4])]
)
_by_definition(
    "gdtrc", "a, b, x", lambda a, b, x: op("gammaincc", b, a * x), [([0.7], 2.0, [0.5, 1.4])]
)
_by_definition(
    "gdtrix", "a, b, p", lambda a, b, p: op("gammaincinv", b, p) / a, [([0.7], 2.0, [0.3, 0.6])]
)


def _whole(k: Any) -> Any:
    return k if category(k.type.dtype) < 2 else np.floor(k)


_COUNTS = (1, [0.6, 1.7])
_by_definition("pdtr", "k, m", lambda k, m: op("gammaincc", _whole(k) + 1.0, m), [_COUNTS])
_by_definition("pdtrc", "k, m", lambda k, m: op("gammainc", _whole(k) + 1.0, m), [_COUNTS])
_by_definition(
    "pdtri",
    "k, y",
    lambda k, y: op("gammainccinv", _whole(k) + 1.0, y),
    [(1, [0.3, 0.6])],
    counted_type(1),
)
_EVENTS = (2, 5, [0.3, 0.6])
_by_definition(
    "bdtr",
    "k, n, p",
    lambda k, n, p: op("betaincc", _whole(k) + 1.0, n - _whole(k), p),
    [_EVENTS],
)
_by_definition(
    "bdtrc",
    "k, n, p",
    lambda k, n, p: op("betainc", _whole(k) + 1.0, n - _whole(k), p),
    [_EVENTS],
)
_by_definition(
    "nbdtr",
    "k, n, p",
    lambda k, n, p: op("betainc", n, k + 1.0, p),
    [_EVENTS],
    counted_type(2),
)
_by_definition(
    "nbdtrc",
    "k, n, p",
    lambda k, n, p: op("betaincc", n, k + 1.0, p),
    [_EVENTS],
    counted_type(2),
)
_by_definition(
    "nrdtrimn",
    "p, std, x",
    lambda p, std, x: x - std * op("ndtri", p),
    [([0.3, 0.6], [1.2], [0.4])],
)
_by_definition(
    "nrdtrisd",
    "mn, p, x",
    lambda mn, p, x: (x - mn) / op("ndtri", p),
    [([0.2], [0.7, 0.6], [0.9])],
)
_by_definition(
    "bdtri",
    "k, n, y",
    lambda k, n, y: op("betainccinv", _whole(k) + 1.0, n - _whole(k), y),
    [_EVENTS],
)
_by_definition(
    "gdtria", "p, b, x", lambda p, b, x: op("gammaincinv", b, p) / x, [([0.4], 2.0, [0.5, 1.4])]
)


def _tukey_slope(y: Any, x: Any, lmbda: Any) -> Any:
    """Of the inverse of `(q**lmbda - (1 - q)**lmbda) / lmbda`; zero beyond the support."""
    powers = y ** (lmbda - 1.0) + op("tklmbda", -x, lmbda) ** (lmbda - 1.0)
    return np.where(abs(x) * lmbda > 1.0, 0.0, 1.0 / powers)


numbers("tklmbda", "x, lmbda", _tukey_slope, None, on=((-0.8, 0.8), (0.3, 0.9)))
numbers(
    "smirnov",
    "n, d",
    None,
    lambda y, n, d: -op("ksone_pdf", d, n),
    domain=[(4, [0.2, 0.6])],
    infer=counted_type(1),
)
numbers(
    "ncfdtr",
    "dfn, dfd, nc, f",
    None,
    None,
    None,
    lambda y, n, m, nc, f: op("ncf_pdf", f, n, m, nc),
    on=(_SHAPE, _SHAPE, (0.5, 2), (0.5, 2)),
)
numbers(
    "nctdtr",
    "df, nc, t",
    None,
    None,
    lambda y, df, nc, t: op("nct_pdf", t, df, nc),
    domain=[(3.0, 0.4, [-0.4, 0.9])],
)
