"""Derivatives with the signatures that solvers ask for.

    minimize(fun, x0, args, jac=True, hessp=...)       hessp(x, p, *args) = fun''(x, *args) p

(Nocedal and Wright 2006, section 7.1: Newton's method needs products with the Hessian alone.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.calls.modes import Disable, grad, tangent
from adjointgen.api.calls.vector_sweeps import plain
from adjointgen.config.compilers import PYTHON, Target


def hessp(
    f: Callable[..., Any], *, disable: Disable = (), compile: Target = PYTHON
) -> Callable[..., Any]:
    """`hessp(f)(x, p, *args)`: the product of a Hessian with `p`, as `scipy.optimize` asks for it.

    The Hessian is that of a scalar function by its first argument, and the product has the shape of
    it: forward over reverse, in one run. `args` are the further arguments of the function.

    Raises TypeMismatch (AG407) where `p` has not the structure, shape and kind of `x`.
    """
    program = tangent(grad(f, 0), 0, disable=disable, compile=compile)
    binder = Binder(plain(f))

    def product(x: Any, p: Any, /, *args: Any, **kwargs: Any) -> Any:
        return program.apply(binder.bind((x, *args), kwargs), p)[1]

    return product
