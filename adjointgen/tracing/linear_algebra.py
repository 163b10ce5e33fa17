"""Adjoints of products, solutions and decompositions of matrices, and of Fourier transforms.

M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008; for complex matrices in the convention of `elementary.py`, in which a linear
map y = A x has the adjoint A^T y_bar, without a conjugate.
"""

from __future__ import annotations

import string
from typing import Any, Final

import numpy as np

from adjointgen.tracing.apply import Rule, lazily
from adjointgen.tracing.reductions import spread
from adjointgen.tracing.standins import no_rule


def _t(a: Any) -> Any:
    return np.swapaxes(a, -1, -2)


def _matmul(g: Any, y: Any, a: Any, b: Any, *_: Any, **__: Any) -> Any:
    a, b, g = np.asarray(a), np.asarray(b), np.asarray(g)
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    if a.ndim == 1:
        g = np.expand_dims(g, -1 if b.ndim == 1 else -2)
    if b.ndim == 1:
        g = g[..., None]
    by_a, by_b = np.matmul(g, _t(right)), np.matmul(_t(left), g)
    if a.ndim == 1:
        by_a = by_a[..., 0, :]
    if b.ndim == 1:
        by_b = by_b[..., 0]
    return {"a": by_a, "b": by_b}


def _dot(g: Any, y: Any, a: Any, b: Any, out: Any = None) -> Any:
    a, b, g = np.asarray(a), np.asarray(b), np.asarray(g)
    if a.ndim == 0 or b.ndim == 0:
        return {"a": g * b, "b": g * a}
    inner = b.ndim - 2 if b.ndim > 1 else 0
    return _tensordot(g, y, a, b, ((a.ndim - 1,), (inner,)))


def _tensordot(g: Any, y: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    a, b, g = np.asarray(a), np.asarray(b), np.asarray(g)
    if isinstance(axes, int):
        axes = (tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes)))
    one, two = (tuple(np.atleast_1d(k)) for k in axes)
    letters = string.ascii_letters
    of_a, of_b = list(letters[: a.ndim]), list(letters[a.ndim : a.ndim + b.ndim])
    for left, right in zip(one, two, strict=True):
        of_b[right] = of_a[left]
    shared = {of_a[k] for k in one}
    result = "".join(x for x in (*of_a, *of_b) if x not in shared)
    left, right = "".join(of_a), "".join(of_b)
    by_a = np.einsum(f"{result},{right}->{left}", g, b)
    return {"a": by_a, "b": np.einsum(f"{left},{result}->{right}", a, g)}


def _inner(g: Any, y: Any, a: Any, b: Any) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return {"a": g * np.asarray(b), "b": g * np.asarray(a)}
    return _tensordot(g, y, a, b, ((-1 % np.ndim(a),), (-1 % np.ndim(b),)))


def _vdot(g: Any, y: Any, a: Any, b: Any) -> Any:
    by_a = np.conj(g * np.asarray(b)) if np.iscomplexobj(a) else g * np.asarray(b)
    return {"a": by_a.reshape(np.shape(a)), "b": (g * np.conj(a)).reshape(np.shape(b))}


def _outer(g: Any, y: Any, a: Any, b: Any, out: Any = None) -> Any:
    by_a, by_b = g @ np.ravel(b), np.ravel(a) @ g
    return {"a": by_a.reshape(np.shape(a)), "b": by_b.reshape(np.shape(b))}


def _einsum(g: Any, y: Any, subscripts: Any, *operands: Any, **_: Any) -> Any:
    if not isinstance(subscripts, str) or "." in subscripts:
        raise no_rule("np.einsum", "subscripts are text without an ellipsis here")
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    if not arrow:
        result = "".join(sorted(c for c in set(given) - {","} if given.count(c) == 1))
    return {
        "operands": [lazily(_einsum_one, g, terms, result, operands, k) for k in range(len(terms))]
    }


def _einsum_one(g: Any, terms: list[str], result: str, operands: Any, k: int) -> Any:
    """The adjoint of one operand, over a grid of all its letters."""
    others = [
        (t, np.asarray(o)) for j, (t, o) in enumerate(zip(terms, operands, strict=True)) if j != k
    ]
    wanted, shape = terms[k], np.shape(operands[k])
    letters = "".join(dict.fromkeys(wanted))
    sizes = dict(zip(wanted, shape, strict=True))
    known = {*result, *(c for t, _ in others for c in t)}
    ones = [(c, np.ones(sizes[c])) for c in letters if c not in known]
    parts = [(result, np.asarray(g)), *others, *ones]
    text = ",".join(t for t, _ in parts) + "->" + letters
    bar = np.einsum(text, *(o for _, o in parts))
    if len(letters) == len(wanted):
        return bar
    whole = np.zeros(shape, bar.dtype)
    grid = np.indices(tuple(sizes[c] for c in letters))
    whole[tuple(grid[letters.index(c)] for c in wanted)] = bar
    return whole


def _inv(g: Any, y: Any, a: Any) -> Any:
    return {"a": -_t(y) @ g @ _t(y)}


def _solve(g: Any, y: Any, a: Any, b: Any) -> Any:
    vector = np.ndim(b) == 1
    bar = np.linalg.solve(_t(np.asarray(a)), g[..., None] if vector else g)
    found = y[..., None] if vector else y
    return {"a": -bar @ _t(found), "b": bar[..., 0] if vector else bar}


def _det(g: Any, y: Any, a: Any) -> Any:
    return {"a": np.asarray(g)[..., None, None] * cofactors(np.asarray(a))}


def cofactors(a: Any) -> Any:
    """The matrix of cofactors, of singular matrices too: from the singular values."""
    u, s, vh = np.linalg.svd(a)
    others = np.empty_like(s)
    for k in range(s.shape[-1]):
        others[..., k] = np.prod(np.delete(s, k, -1), -1)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return sign[..., None, None] * np.conj((u * others[..., None, :]) @ vh)


def _slogdet(g: Any, y: Any, a: Any) -> Any:
    return {"a": np.asarray(g[1])[..., None, None] * _t(np.linalg.inv(a))}


def _cholesky(g: Any, y: Any, a: Any, *, upper: bool = False) -> Any:
    low = _t(np.conj(y)) if upper else y
    bar = np.tril(_t(np.conj(g)) if upper else g)
    if np.iscomplexobj(y):
        raise no_rule("np.linalg.cholesky", "the matrix is complex")
    half = np.tril(_t(low) @ bar)
    half = half - 0.5 * half * np.eye(half.shape[-1])
    inverse = np.linalg.inv(low)
    made = _t(inverse) @ half @ inverse
    return {"a": np.triu(_t(made), 1) * 0 + _lower(made) if not upper else _t(_lower(made))}


def _lower(made: Any) -> Any:
    """The adjoint by a triangle alone, of the adjoint by a symmetric matrix."""
    diagonal = made * np.eye(made.shape[-1])
    return np.tril(made + _t(made)) - diagonal


def _eigh(g: Any, y: Any, a: Any, UPLO: str = "L") -> Any:
    if np.iscomplexobj(a):
        raise no_rule("np.linalg.eigh", "the matrix is complex")
    w, v = y
    made = (v * g[0][..., None, :]) @ _t(v)
    if np.any(g[1]):
        gaps = w[..., None, :] - w[..., :, None]
        made = made + v @ ((_t(v) @ g[1]) / np.where(gaps == 0, np.inf, gaps)) @ _t(v)
    low = _lower((made + _t(made)) / 2)
    return {"a": low if UPLO == "L" else _t(low)}


def _eigvalsh(g: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
    pair = np.linalg.eigh(a, UPLO)
    return _eigh([np.asarray(g), np.zeros_like(pair[1])], pair, a, UPLO)


def _svd(g: Any, y: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if np.iscomplexobj(a):
        raise no_rule("np.linalg.svd", "the matrix is complex")
    if not compute_uv:
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        return {"a": (u * np.asarray(g)[..., None, :]) @ vh}
    u, s, vh = y
    k = s.shape[-1]
    wide = u.shape[-1] != k or vh.shape[-2] != k
    if wide and (np.any(g[0][..., k:]) or np.any(g[2][..., k:, :])):
        raise no_rule("np.linalg.svd", "vectors beyond the singular values are used")
    u, vh, bar_u, bar_v = u[..., :k], vh[..., :k, :], g[0][..., :k], _t(g[2][..., :k, :])
    v, square = _t(vh), s * s
    gaps = square[..., None, :] - square[..., :, None]
    f = np.where(gaps == 0, 0.0, 1.0 / np.where(gaps == 0, 1.0, gaps))
    one, two = f * (_t(u) @ bar_u), f * (_t(v) @ bar_v)
    middle = (one + _t(one)) * s[..., None, :] + s[..., :, None] * (two + _t(two))
    middle = middle + np.eye(k) * g[1][..., None, :]
    made = u @ middle @ vh
    made = made + ((bar_u - u @ (_t(u) @ bar_u)) / s[..., None, :]) @ vh
    return {"a": made + (u / s[..., None, :]) @ _t(bar_v - v @ (_t(v) @ bar_v))}


def _qr(g: Any, y: Any, a: Any, mode: str = "reduced") -> Any:
    if mode != "reduced" or np.shape(a)[-2] < np.shape(a)[-1] or np.iscomplexobj(a):
        raise no_rule("np.linalg.qr", "only real, tall matrices in the mode 'reduced'")
    q, r = y
    m = r @ _t(g[1]) - _t(g[0]) @ q
    m = np.tril(m, -1) + _t(np.tril(m, -1)) + m * np.eye(m.shape[-1])
    return {"a": _t(np.linalg.solve(r, _t(g[0] + q @ m)))}


def _pinv(g: Any, y: Any, a: Any, *_: Any, **__: Any) -> Any:
    if np.iscomplexobj(a):
        raise no_rule("np.linalg.pinv", "the matrix is complex")
    a, rows, columns = np.asarray(a), np.shape(a)[-2], np.shape(a)[-1]
    made = -_t(y) @ g @ _t(y)
    made = made + _t((np.eye(columns) - y @ a) @ g @ (_t(y) @ y).swapaxes(-1, -2) @ np.eye(rows))
    return {"a": made + _t((y @ _t(y)) @ g @ (np.eye(rows) - a @ y))}


def _transform(name: str) -> Rule:
    """The rule of a transform of one axis, whose matrix is symmetric."""

    def rule(g: Any, y: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        return {"a": _cut(getattr(np.fft, name)(g, None, axis, norm), np.shape(a)[axis], axis)}

    return rule


def _cut(bar: Any, length: int, axis: int) -> Any:
    """As long as the operand: what was padded is cut off, what was cut off has no adjoint."""
    cut = np.take(bar, range(min(length, np.shape(bar)[axis])), axis)
    widths = [(0, 0)] * np.ndim(cut)
    widths[axis] = (0, length - np.shape(cut)[axis])
    return np.pad(cut, widths)


def _rfft(g: Any, y: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    whole = np.shape(a)[axis] if n is None else n
    return {"a": _cut(np.fft.fft(_cut(g, whole, axis), None, axis, norm), np.shape(a)[axis], axis)}


def _irfft(g: Any, y: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    whole = np.shape(y)[axis]
    bar = np.moveaxis(np.fft.ifft(g, None, axis, norm), axis, -1)[..., : whole // 2 + 1]
    twice = np.full(bar.shape[-1], 2.0)
    twice[0] = 1.0
    if whole % 2 == 0:
        twice[-1] = 1.0
    return {"a": _cut(np.moveaxis(bar * twice, -1, axis), np.shape(a)[axis], axis)}


def _norm(g: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """The Euclidean norm; 0 has the derivative 0."""
    y, g = spread(y, x, axis, keepdims), spread(g, x, axis, keepdims)
    return {"x": np.where(y == 0, 0.0, g * np.conj(x) / np.where(y == 0, 1.0, y))}


def _convolve(g: Any, y: Any, a: Any, v: Any, mode: str = "full") -> Any:
    m, n = np.size(a), np.size(v)
    start = {"full": 0, "same": (min(m, n) - 1) // 2, "valid": min(m, n) - 1}[mode]
    whole = np.zeros(m + n - 1, np.asarray(g).dtype)
    whole[start : start + np.size(g)] = g
    by_a = np.correlate(whole, np.conj(v), "valid") if m >= 1 else whole
    return {"a": by_a, "v": np.correlate(whole, np.conj(a), "valid")}


RULES: Final[dict[str, Rule]] = {
    "matmul": _matmul,
    "dot": _dot,
    "tensordot": _tensordot,
    "inner": _inner,
    "vdot": _vdot,
    "outer": _outer,
    "einsum": _einsum,
    "linalg.inv": _inv,
    "linalg.solve": _solve,
    "linalg.det": _det,
    "linalg.slogdet": _slogdet,
    "linalg.cholesky": _cholesky,
    "linalg.eigh": _eigh,
    "linalg.eigvalsh": _eigvalsh,
    "linalg.svd": _svd,
    "linalg.qr": _qr,
    "linalg.pinv": _pinv,
    "linalg.norm": _norm,
    "convolve": _convolve,
    "fft.fft": _transform("fft"),
    "fft.ifft": _transform("ifft"),
    "fft.rfft": _rfft,
    "fft.irfft": _irfft,
}
