"""The dot product test: the adjoint program is the transpose of the tangent program.

    x_bar = J^T y_bar,  y_dot = J x_dot    =>    <x_bar, x_dot> = <y_bar, y_dot>

No differences and no step: the two programs agree to rounding or one of them is wrong.  Both sides
are sums that may cancel, so the mismatch is measured by the sizes of their summands.

Source: J. F. Claerbout (1992), "Earth Soundings Analysis", section 5.1.1; the form for programs in
L. Hascoët, V. Pascual (2013), "The Tapenade automatic differentiation tool", ACM TOMS 39(3).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjointgen.verify.structures import Vector, flatten, fresh, signs


@dataclass(frozen=True, slots=True)
class DotProduct:
    """Both inner products, and the size of the larger sum without its signs."""

    of_arguments: float
    of_results: float
    size: float

    @property
    def mismatch(self) -> float:
        """The difference relative to the size; 0 where everything vanishes."""
        apart = abs(self.of_arguments - self.of_results)
        return apart / self.size if apart > 0.0 else apart


def dot_product(x_bar: Any, x_dot: Any, y_bar: Any, y_dot: Any) -> DotProduct:
    """<x_bar, x_dot> and <y_bar, y_dot>; each adjoint has the structure of its tangent.

    Of complex numbers the product is Re(z_bar z_dot), without a conjugate (docs/guide.md).
    """
    x_bars = signs(x_dot) * flatten(x_bar, like=x_dot)
    y_bars = signs(y_bar) * flatten(y_bar)
    return dot_product_of_vectors(x_bars, flatten(x_dot), y_bars, flatten(y_dot, like=y_bar))


def dot_product_test(
    tangent: Callable[..., Any],
    adjoint: Callable[..., Any],
    args: Sequence[Any],
    x_dot: Any,
    y_bar: Any,
) -> DotProduct:
    """The inner products of `tangent(args, x_dot)` and `adjoint(args, y_bar)`, on copies.

    Both return the value first and then their derivative.
    """
    _, y_dot = tangent(*fresh((tuple(args), x_dot)))
    y_dot = fresh(y_dot)
    _, x_bar = adjoint(*fresh((tuple(args), y_bar)))
    return dot_product(x_bar, x_dot, y_bar, y_dot)


def dot_product_of_vectors(
    x_bar: Vector, x_dot: Vector, y_bar: Vector, y_dot: Vector
) -> DotProduct:
    """The same for flattened trees; a zero adjoint hides a result, even one that is not finite."""
    with np.errstate(all="ignore"):
        arguments = x_bar * x_dot
        results = np.where(y_bar == 0.0, 0.0, y_bar * y_dot)
        size = max(float(np.sum(np.abs(arguments))), float(np.sum(np.abs(results))))
        return DotProduct(float(np.sum(arguments)), float(np.sum(results)), size)
