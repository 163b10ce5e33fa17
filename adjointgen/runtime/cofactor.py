"""The cofactors of a matrix, which are the derivative of its determinant, for singular ones too.

With `A = U S V^T` they are `det(U) det(V) U C V^T`, where C has for each singular value the product
of the others; of a regular matrix that is `det(A) A^-T`. Nothing here imports the package: the
source is copied into the generated modules that call it. (Stewart 1998, On the adjugate matrix.)
"""

from typing import Any

import numpy as np


def cofactor(a: Any) -> Any:
    """The cofactors of each matrix of a stack."""
    u, s, vt = np.linalg.svd(a)
    others = [np.prod(np.delete(s, k, axis=-1), axis=-1) for k in range(s.shape[-1])]
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return sign[..., None, None] * ((u * np.stack(others, axis=-1)[..., None, :]) @ vt)
