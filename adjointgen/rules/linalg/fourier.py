"""Fourier transforms: linear, with a symmetric matrix, `F_jk = exp(-2 pi i j k / n)`.

By the convention of `complex_convention.py` the transpose has no conjugate, so that the adjoint of
a complex transform is the same transform. What was cut off has the adjoint zero, and what was
filled up is left out. Of `irfft` the entries that stand for two count twice:

    y_k = 1/n sum_j c_j Re(x_j exp(2 pi i j k / n))    x_j_bar = c_j/n conj(rfft(y_bar))_j

with c = 1 at both ends of the spectrum, and else 2. (Cooley and Tukey 1965; Sorensen et al. 1987.)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from adjointgen.ir.types import Dim
from adjointgen.rules.framework.batching import along
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import linear
from adjointgen.rules.framework.shape_helpers import is_given, length, op, rank_of
from adjointgen.rules.framework.type_rules import Types, as_array, fresh

Options = Mapping[str, Any]
_INVERSE = {None: "forward", "backward": "forward", "forward": None, "ortho": "ortho"}
_Z = [1.0 + 2.0j, 0.5 - 1.0j, -0.3 + 0.2j]


def _options(axis: Any, norm: Any) -> dict[str, Any]:
    """The options that are not the default."""
    return ({} if axis == -1 else {"axis": axis}) | ({} if norm is None else {"norm": norm})


def _placed(full: Any, a: Any, n: Any, axis: int) -> Any:
    """The entries that went into a transform of length n, at their places in `a`."""
    if not is_given(n):
        return full
    lead = ":, " * (axis % rank_of(a, "fft"))
    own = length(a, axis)
    part = full.apply("load", full, own, index=f"{lead}:_")
    zeros = full.apply("zeros_like", a, dtype=full.type.dtype)
    return zeros.apply("accumulate", zeros, part, n, index=f"{lead}:_")


def _complex_type(types: Types, options: Options) -> Types:
    a = types[0]
    dtype = "complex64" if a.dtype in ("float32", "complex64", "float16") else "complex128"
    return (fresh(dtype, _resized(types, options)),)


def _resized(types: Types, options: Options, change: Any = None) -> Any:
    """The shape with the axis of the transform in its new length."""
    a, *n = as_array(types[0]), *types[1:]
    if a.shape is None:
        return None
    axis = options.get("axis", -1) % len(a.shape)
    given = n[0].value if n and n[0].kind != "object" else None
    dim = given if n and n[0].kind != "object" else a.shape[axis]
    if change is not None:
        dim = change(dim, bool(n and n[0].kind != "object"))
    return tuple(dim if k == axis else d for k, d in enumerate(a.shape))


def _half(dim: Dim | None, given: bool) -> Dim | None:
    return None if dim is None or dim.known is None else Dim("", dim.known // 2 + 1)


def _double(dim: Dim | None, given: bool) -> Dim | None:
    if given or dim is None or dim.known is None:
        return dim if given else None
    return Dim("", 2 * (dim.known - 1))


def _half_type(types: Types, options: Options) -> Types:
    (whole,) = _complex_type(types, options)
    return (fresh(whole.dtype, _resized(types, options, _half)),)


def _real_type(types: Types, options: Options) -> Types:
    narrow = types[0].dtype in ("float32", "complex64", "float16")
    return (fresh("float32" if narrow else "float64", _resized(types, options, _double)),)


def _transformed(name: str, y_bar: Any, a: Any, n: Any = None, *, axis: int, norm: Any) -> Any:
    """The same transform of the adjoint."""
    return _placed(op(name, y_bar, **_options(axis, norm)), a, n, axis)


_SIGNATURE = "a, n=, axis=-1, norm=None"
_EXAMPLES: list[tuple[Any, ...]] = [
    ("float64[4]",),
    ("float64[4]", 6),
    ("float64[4]", 2),
    ("float64[3]", {"norm": "ortho"}),
    ("float64[3,2]", {"axis": 0, "norm": "forward"}),
]
for _name in ("fft", "ifft"):
    linear(
        _name,
        _SIGNATURE,
        [f"numpy.fft.{_name}", f"scipy.fft.{_name}"],
        {0: partial(_transformed, _name)},
        infer=_complex_type,
        cost=20,
        domain=[*_EXAMPLES, (_Z,)],
        batch=along,
    )


def _rfft_back(y_bar: Any, a: Any, n: Any = None, *, axis: int, norm: Any) -> Any:
    """The real part of the transform of `y_bar`, filled up with zeros."""
    number = n if is_given(n) else length(a, axis)
    full = op("fft", y_bar, number, **_options(axis, norm))
    return op("real", _placed(full, a, n, axis))


linear(
    "rfft",
    _SIGNATURE,
    ["numpy.fft.rfft", "scipy.fft.rfft"],
    {0: _rfft_back},
    infer=_half_type,
    batch=along,
    cost=20,
    domain=[*_EXAMPLES, ("float64[5]",)],
)


def _irfft_back(y_bar: Any, a: Any, n: Any = None, *, axis: int, norm: Any) -> Any:
    """`c_j/n conj(rfft(y_bar))_j`, where the end of an even spectrum stands for itself."""
    half = op("conj", op("rfft", y_bar, **_options(axis, _INVERSE[norm])))
    number, entries = length(y_bar, axis), length(half, axis)
    places = half.apply("arange", entries)
    once = (places == 0) | (places * 2 == number)
    weights = 2.0 - op("cast", once, dtype=y_bar.type.dtype)
    rank = rank_of(a, "irfft")
    after = rank - axis % rank - 1
    scaled = half * (weights[(..., *(None,) * after)] if after else weights)
    count = half.builder.handle(half.builder.lower(entries))
    return _placed(scaled, a, n if not is_given(n) else count, axis)


linear(
    "irfft",
    _SIGNATURE,
    ["numpy.fft.irfft", "scipy.fft.irfft"],
    {0: _irfft_back},
    infer=_real_type,
    cost=20,
    domain=[*_EXAMPLES, (_Z,), (_Z, 5), (_Z, 3), ("float64[4]", 7)],
)


def _hermitian(a: Any, n: Any = None, *, axis: int, norm: Any) -> Any:
    given = [n] if is_given(n) else []
    return op("irfft", op("conj", a), *given, **_options(axis, _INVERSE[norm]))


def _inverse_hermitian(a: Any, n: Any = None, *, axis: int, norm: Any) -> Any:
    given = [n] if is_given(n) else []
    return op("conj", op("rfft", a, *given, **_options(axis, _INVERSE[norm])))


for _name, _definition, _infer in (
    ("hfft", _hermitian, _real_type),
    ("ihfft", _inverse_hermitian, _half_type),
):
    composed(
        _name,
        _SIGNATURE,
        [f"numpy.fft.{_name}", f"scipy.fft.{_name}"],
        _definition,
        infer=_infer,
        cost=20,
        domain=_EXAMPLES,
    )


def _axes(a: Any, s: Any, axes: Any) -> list[tuple[int, Any]]:
    """The axes of a transform, and the length of each, if one is given."""
    if axes is None:
        rank = rank_of(a, "fftn")
        axes = range(rank) if s is None else range(rank - len(s), rank)
    return list(zip(axes, [None] * len(list(axes)) if s is None else s, strict=True))


def _each(name: str, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    """A transform along one axis after another."""
    for axis, n in _axes(a, s, axes):
        a = op(name, a, *([] if n is None else [n]), **_options(axis, norm))
    return a


def _real_each(a: Any, s: Any, axes: Any, norm: Any) -> Any:
    """The last axis first, which is real."""
    *rest, (axis, n) = _axes(a, s, axes)
    half = op("rfft", a, *([] if n is None else [n]), **_options(axis, norm))
    for axis, n in rest:
        half = op("fft", half, *([] if n is None else [n]), **_options(axis, norm))
    return half


def _inverse_real_each(a: Any, s: Any, axes: Any, norm: Any) -> Any:
    *rest, (axis, n) = _axes(a, s, axes)
    for before, m in rest:
        a = op("ifft", a, *([] if m is None else [m]), **_options(before, norm))
    return op("irfft", a, *([] if n is None else [n]), **_options(axis, norm))


def _unknown_lengths(dtype: Any, types: Types, options: Options) -> Types:
    (found,) = dtype(types, {})
    rank = types[0].rank
    return (fresh(found.dtype, None if rank is None else (None,) * rank),)


_SEVERAL: list[tuple[Any, ...]] = [
    ("float64[3,4]",),
    ("float64[3,4]", {"norm": "ortho"}),
    ("float64[2,3,4]", {"axes": (0, 2)}),
    ("float64[3,4]", {"s": (2, 6), "axes": (0, 1)}),
]
for _name, _whole, _type in (
    ("fft", partial(_each, "fft"), _complex_type),
    ("ifft", partial(_each, "ifft"), _complex_type),
    ("rfft", _real_each, _complex_type),
    ("irfft", _inverse_real_each, _real_type),
):
    for _suffix, _default in (("n", None), ("2", (-2, -1))):
        composed(
            f"{_name}{_suffix}",
            f"a, s=None, axes={_default}, norm=None",
            [f"numpy.fft.{_name}{_suffix}", f"scipy.fft.{_name}{_suffix}"],
            _whole,
            infer=partial(_unknown_lengths, _type),
            cost=40,
            domain=_SEVERAL,
        )
for _name, _back in (("fftshift", "ifftshift"), ("ifftshift", "fftshift")):
    linear(
        _name,
        "x, axes=None",
        [f"numpy.fft.{_name}", f"scipy.fft.{_name}"],
        {0: lambda y_bar, x, axes, _back=_back: op(_back, y_bar, axes=axes)},
        infer=lambda types, options: (as_array(types[0]),),
        domain=[("float64[5]",), ("float64[2,3]", {"axes": 1})],
    )
