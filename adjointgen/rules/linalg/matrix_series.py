"""Taylor coefficients of solutions and determinants, by those of inverses."""

from __future__ import annotations

from typing import Any


def solution(terms: Any) -> Any:
    """`A^-1 b` where the matrix varies; where it does not, the operation is linear."""
    a, b = terms.args
    if terms.coefficients[0] is None:
        return None
    if b.type.rank != 1 or a.type.rank == 2:
        return terms.through(lambda: a.apply("inv", a) @ b)

    def of_column() -> Any:
        product = a.apply("inv", a) @ b.apply("expand_dims", b, axis=-1)
        return product.apply("load", product, index="..., 0")

    return terms.through(of_column)


def determinant(terms: Any) -> Any:
    """By the logarithm, of a matrix that is regular: where it is not, NumPy raises."""
    (a,) = terms.args

    def regular() -> Any:
        sign, log = a.several("slogdet", a)
        return sign * log.apply("exp", log)

    return terms.through(regular)
