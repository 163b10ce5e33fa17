"""Convolutions of vectors: products of one with all shifts of the other, bilinear.

`y_n = sum_k a_k v_(n-k)` has the adjoint `a_bar_k = sum_n y_bar_n v_(n-k)`, a correlation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import linear
from adjointgen.rules.framework.shape_helpers import length, op, rank_of
from adjointgen.rules.framework.type_rules import Types, fresh, of_ranks, result_dtype

Options = Mapping[str, Any]


def _window(a: Any, v: Any, mode: str) -> tuple[Any, Any]:
    """Where the part begins in the whole convolution, and how long it is."""
    m, n = length(a, 0), length(v, 0)
    if isinstance(m, int) and isinstance(n, int):
        low, high = min(m, n), max(m, n)
    else:
        first = m if hasattr(m, "apply") else n
        low, high = first.apply("min", m, n), first.apply("max", m, n)
    if mode == "same":
        return (low - 1) // 2, high
    return low - 1, high - low + 1


def _whole(y_bar: Any, a: Any, v: Any, mode: str) -> Any:
    """The adjoint of all of the convolution, of which only a part was wanted."""
    if mode == "full":
        return y_bar
    start, count = _window(a, v, mode)
    total = length(a, 0) + length(v, 0) - 1
    number = y_bar.builder.handle(y_bar.builder.lower(total))
    base = number.apply("zeros", number, dtype=y_bar.type.dtype)
    ends = [base.builder.handle(base.builder.lower(e)) for e in (start, start + count)]
    return base.apply("accumulate", base, y_bar, *ends, index="_:_")


def _by_left(y_bar: Any, a: Any, v: Any, mode: str) -> Any:
    """`y_n = sum_k a_k v_(n-k)`, so `a_bar_k = sum_n y_bar_n v_(n-k)`."""
    whole = _whole(y_bar, a, v, mode)
    return whole.apply("convolve", whole, op("flip", v), mode="valid")


def _by_right(y_bar: Any, a: Any, v: Any, mode: str) -> Any:
    whole = _whole(y_bar, a, v, mode)
    return whole.apply("convolve", whole, op("flip", a), mode="valid")


def _convolved_type(types: Types, options: Options) -> Types:
    dims = [t.shape[0] if t.shape else None for t in types]
    known = [None if d is None else d.known for d in dims]
    if None in known:
        return (fresh(result_dtype(types), (None,)),)
    m, n = (k or 0 for k in known)
    numbers = {"full": m + n - 1, "same": max(m, n), "valid": abs(m - n) + 1}
    return (fresh(result_dtype(types), (Dim("", numbers[options.get("mode", "full")]),)),)


_MODES = ("full", "same", "valid")
linear(
    "convolve",
    "a, v, mode='full'",
    ["numpy.convolve"],
    {0: _by_left, 1: _by_right},
    infer=_convolved_type,
    cost=20,
    domain=[
        *(("float64[5]", "float64[3]", {"mode": mode}) for mode in _MODES),
        *(("float64[2]", "float64[5]", {"mode": mode}) for mode in _MODES),
    ],
)


def _correlated(a: Any, v: Any, mode: str) -> Any:
    """The convolution with the second turned around; by its own middle for `same`."""
    if mode == "same":
        raise NoRule(
            "no derivative rule for np.correlate with mode 'same'",
            code="AG201",
            help="use np.convolve(a, v[::-1], 'same'), which has the same entries",
        )
    return op("convolve", a, op("flip", v), mode=mode)


composed(
    "correlate",
    "a, v, mode='valid'",
    ["numpy.correlate"],
    _correlated,
    infer=lambda types, options: _convolved_type(types, {"mode": options.get("mode", "valid")}),
    cost=20,
    domain=[("float64[5]", "float64[3]"), ("float64[5]", "float64[3]", {"mode": "full"})],
)


def _signal(a: Any, v: Any, mode: str) -> Any:
    """SciPy's `same` has the length of the first, NumPy's that of the longer."""
    if rank_of(a, "convolve") != 1:
        raise NoRule(
            "no derivative rule for this convolution of scipy.signal",
            code="AG201",
            help="arrays of one axis have a rule",
        )
    if mode != "same":
        return op("convolve", a, v, mode=mode)
    start = (length(v, 0) - 1) // 2
    return op("convolve", a, v)[start : start + length(a, 0)]


def _signal_type(types: Types, options: Options) -> Types:
    if options.get("mode") == "same" and types[0].shape:
        return (fresh(result_dtype(types), types[0].shape),)
    return _convolved_type(types, options)


composed(
    "signal_convolve",
    "a, v, mode='full'",
    ["scipy.signal.convolve"],
    _signal,
    infer=of_ranks(_signal_type, 1),
    cost=20,
    domain=[
        *(("float64[5]", "float64[3]", {"mode": mode}) for mode in _MODES),
        ("float64[3]", "float64[5]", {"mode": "same"}),
        ("float64[4]", "float64[2]", {"mode": "same"}),
    ],
)
