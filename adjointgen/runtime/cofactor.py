"""The cofactors of a matrix, which are the derivative of its determinant, for singular ones too.

With `A = U S V^H` they are `det(U) det(V^H)` times the conjugate of `U C V^H`, where C has for each
singular value the product of the others; of a regular matrix that is `det(A) A^-T`. Nothing here
imports the package: the source is copied into the generated modules that call it. (Stewart 1998, On
the adjugate matrix.)
"""

from typing import Any

import numpy as np


def cofactor(a: Any) -> Any:
    """The cofactors of each matrix of a stack."""
    u, s, vt = np.linalg.svd(a)
    others = np.empty_like(s)
    for k in range(s.shape[-1]):
        others[..., k] = np.prod(np.delete(s, k, axis=-1), axis=-1)
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return sign[..., None, None] * np.conj((u * others[..., None, :]) @ vt)


def cofactor_along(a: Any, d: Any) -> Any:
    """How the cofactors change along `d`; symmetric in what it is summed with and `d`.

    With `P = U^H D V` and the products of the singular values but those of a pair, `Q_ij`, they
    change by `det(U) det(V^H) conj(U) K V^T` with `K_ii = sum_k P_kk Q_ik` and `K_ij = -P_ji Q_ij`.
    """
    u, s, vt = np.linalg.svd(a)
    n = s.shape[-1]
    inner = np.conj(np.swapaxes(u, -1, -2)) @ d @ np.conj(np.swapaxes(vt, -1, -2))
    k = np.zeros_like(inner)
    for i in range(n):
        for j in range(n):
            if i != j:
                others = np.prod(np.delete(s, [i, j], axis=-1), axis=-1)
                k[..., i, i] += inner[..., j, j] * others
                k[..., i, j] = -inner[..., j, i] * others
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return sign[..., None, None] * (np.conj(u) @ k @ np.conj(vt))
