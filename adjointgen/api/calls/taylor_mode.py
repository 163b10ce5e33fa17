"""Taylor coefficients of a function along a polynomial path through its arguments.

    x(t) = x + x_1 t + x_2 t^2 + ...   ->   f(x(t)) = y + y_1 t + y_2 t^2 + ...

(Griewank and Walther 2008, chapter 13.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.modes import Disable, Wrt, derivative_of, pushed
from adjointgen.config.compilers import PYTHON


def taylor_program(f: Callable[..., Any], wrt: Wrt = ..., *, disable: Disable = ()) -> Derivative:
    """The program of Taylor coefficients: `(x, x_series)` gives `(y, y_series)`; see `taylor`."""
    return derivative_of(f, "taylor", wrt, disable, PYTHON)


def taylor(
    f: Callable[..., Any], primals: Sequence[Any], coefficients: Sequence[Any]
) -> tuple[Any, Any]:
    """`(y, y_coefficients)`: Taylor coefficients of `f` along a path through its arguments.

    `coefficients` has one entry for each argument, None for one that is constant. Of an argument
    `x` the entry has the shape `(K, *x.shape)`: the coefficients of degree 1 to K of the path
    `x + x_1 t + x_2 t**2 + ...`. The result has those of `f`, of the shape `(K, *y.shape)`; the
    derivative of order n is `factorial(n)` times the coefficient of degree n.

    Raises TypeMismatch (AG407) for coefficients that have not the structure, shape and kind of the
    arguments, ValueError where arguments have different numbers of them, and NoRule (AG201) where
    an operation has none. (Griewank and Walther 2008, chapter 13.)
    """
    y, found = pushed(taylor_program, f, primals, coefficients)
    return y, found
