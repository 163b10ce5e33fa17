"""The calls: gradients, products with Jacobians, Jacobians and Hessians, and the programs.

    grad      x -> x_bar                       the adjoint program with seed 1
    jvp       x, x_dot -> y, y_dot             the tangent program
    vjp       x -> y, (y_bar -> x_bar)         the adjoint program
    hvp       x, v -> (gradient)' v            the tangent of the gradient program

(Griewank and Walther 2008, chapters 3 and 5; forward over reverse for second order.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np

from adjointgen.api.binding import Binder, called
from adjointgen.api.derivative import Derivative, Generated
from adjointgen.api.recipes import Kind, Recipe, Step
from adjointgen.api.sweeps import Sweeps, plain, run
from adjointgen.config.compilers import PYTHON, Target, known_target

Wrt = Any
Disable = Sequence[str]


def _derivative(
    f: Callable[..., Any],
    kind: Kind,
    wrt: Wrt,
    disable: Disable,
    compile: Target,
    directions: int = 0,
) -> tuple[Derivative, bool]:
    """A derivative of a function, or of a derivative, and whether `wrt` is a tuple."""
    if directions and compile == PYTHON:
        raise ValueError("several directions at once are for compiled programs: compile='numba'")
    inner: Recipe = ()
    f = called(f)
    compile = known_target(compile)
    if isinstance(f, Derivative):
        inner, f = f.generated.recipe, f.generated.function
    binder = Binder(f)
    names, several = binder.wrt(wrt)
    recipe = (*inner, Step(kind, names, directions))
    return Derivative(Generated(f, recipe, tuple(disable), compile)), several


def grad(
    f: Callable[..., Any] | None = None,
    wrt: Wrt = 0,
    *,
    disable: Disable = (),
    compile: Target = PYTHON,
) -> Any:
    """The gradient of a scalar function: `grad(f)(x)` has the structure, shape and dtype of `x`.

    `wrt` names what is differentiated: a position, a name, a tuple of these (then the gradient is
    a tuple), a comma-separated string, or `...` for all float arguments. Works as a decorator, with
    or without arguments, and nests. `disable` names optimising passes to leave out;
    `compile="numba"` compiles the program with Numba at its first call, and `"numba-parallel"`
    has independent loops run in threads.

    Raises TypeMismatch (AG402, AG403) for a `wrt` that is no float parameter and (AG404) where the
    result is not one scalar; Unsupported, NoRule or NotDifferentiable where the function cannot be
    differentiated correctly, and (AG140) where it cannot be compiled; ValueError for another
    `compile`.
    """
    if f is None:
        return partial(grad, wrt=wrt, disable=disable, compile=compile)
    made, several = _derivative(f, "grad", wrt, disable, compile)
    made.pack = _as_tuple if several else None
    return made


def value_and_grad(
    f: Callable[..., Any] | None = None,
    wrt: Wrt = 0,
    *,
    disable: Disable = (),
    compile: Target = PYTHON,
) -> Any:
    """`(value, gradient)` of a scalar function in one run; see `grad`."""
    if f is None:
        return partial(value_and_grad, wrt=wrt, disable=disable, compile=compile)
    made, several = _derivative(f, "value_and_grad", wrt, disable, compile)
    made.pack = _value_and_tuple if several else None
    return made


def _as_tuple(made: Any) -> tuple[Any, ...]:
    return made if isinstance(made, tuple) else (made,)


def _value_and_tuple(made: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    return made[0], made[1:]


def tangent(
    f: Callable[..., Any],
    wrt: Wrt = ...,
    *,
    disable: Disable = (),
    compile: Target = PYTHON,
    directions: int = 0,
) -> Derivative:
    """The tangent program: `tangent(f)(x, x_dot)` gives `(y, y_dot)`.

    Of a function that takes `*args` the seeds are the last arguments, one for each name in `wrt`.
    With `directions`, which is for compiled programs, every seed and every derivative has an axis
    more, its last, of that length: one run follows that many directions.

    Raises NotSeveral (AG141) where a program cannot.
    """
    return _derivative(f, "tangent", wrt, disable, compile, directions)[0]


def adjoint(
    f: Callable[..., Any],
    wrt: Wrt = ...,
    *,
    disable: Disable = (),
    compile: Target = PYTHON,
    directions: int = 0,
) -> Derivative:
    """The adjoint program: `adjoint(f)(x, y_bar)` gives `(y, x_bar)`.

    With several inputs, `(y, x_bar, a_bar)`; with several results, one seed for each. A function
    that takes `*args` has one seed by position, the last; more are passed by name. For
    `directions` see `tangent`.
    """
    return _derivative(f, "adjoint", wrt, disable, compile, directions)[0]


def primal(f: Callable[..., Any], *, disable: Disable = ()) -> Derivative:
    """The function itself, read and written back: `primal(f)(x)` is what `f(x)` is.

    It has the value, the exceptions and the effects of the function, arguments written to included.
    What the frontend changes of a program shows here, apart from any derivative.
    """
    return _derivative(f, "primal", ..., disable, PYTHON)[0]


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """`(y, y_dot)` at `primals` in the direction `tangents`; None where there is no tangent."""
    y, y_dot = _pushed(f, primals, tangents)
    return y, y_dot


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., tuple[Any, ...]]]:
    """`(y, pullback)`; `pullback(y_bar)` gives the adjoints of all float arguments as a tuple.

    The pullback can be called any number of times; it keeps copies of the arguments.
    """
    program = adjoint(f)
    binder = program.generated.binder
    kept = deepcopy(binder.bind(primals, {}))

    def pullback(*seeds: Any) -> tuple[Any, ...]:
        if len(seeds) == 1 and type(seeds[0]) is tuple:
            seeds = seeds[0]
        made: tuple[Any, ...] = run(program, binder, kept, *seeds)[1:]
        return made

    return f(*primals), pullback


def hvp(f: Callable[..., Any], primals: Sequence[Any], vectors: Sequence[Any]) -> Any:
    """The product of the Hessian of a scalar function with a vector, forward over reverse.

    `vectors` has one entry per argument, None for an argument that is not differentiated. One
    product per differentiated argument: a single one as it is, several as a tuple.
    """
    names = Binder(plain(f)).own
    wrt = tuple(n for n, v in zip(names, vectors, strict=False) if v is not None)
    return _pushed(grad(f, wrt), primals, vectors)[1]


def _pushed(f: Callable[..., Any], primals: Sequence[Any], dots: Sequence[Any]) -> Any:
    """One run of the tangent program; parameters that are not given have their defaults."""
    binder = Binder(plain(f))
    wrt = tuple(n for n, d in zip(binder.own, dots, strict=False) if d is not None)
    values = binder.bind(tuple(primals), {})
    seeds = [d for d in dots if d is not None]
    return tangent(f, wrt).apply(values, *seeds)


def jacfwd(f: Callable[..., Any], wrt: Wrt = 0, *, compile: Target = PYTHON) -> Callable[..., Any]:
    """The dense Jacobian by one tangent run per input entry: shape `y.shape + x.shape`.

    With `compile="numba"` one run follows many entries at once.
    """
    name, part = _single(f, wrt)
    program = Sweeps(f, "tangent", name, known_target(compile))

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        values = program.binder.bind(args, kwargs)
        x = part(values)
        return _scalar(program.columns(values, x))

    return jacobian_of


def jacrev(f: Callable[..., Any], wrt: Wrt = 0, *, compile: Target = PYTHON) -> Callable[..., Any]:
    """The dense Jacobian by one adjoint run per result entry: shape `y.shape + x.shape`.

    With `compile="numba"` one run follows many entries at once.
    """
    name, _ = _single(f, wrt)
    program = Sweeps(f, "adjoint", name, known_target(compile))

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        values = program.binder.bind(args, kwargs)
        y = run(f, program.binder, values)
        found = program.columns(values, y)
        axes = np.ndim(y)
        # The entries of the result come last, as directions do, and are to be first.
        order = (*range(found.ndim - axes, found.ndim), *range(found.ndim - axes))
        return _scalar(np.ascontiguousarray(np.transpose(found, order)))

    return jacobian_of


def jacobian(
    f: Callable[..., Any], wrt: Wrt = 0, *, compile: Target = PYTHON
) -> Callable[..., Any]:
    """The dense Jacobian, by the mode that needs fewer runs at the sizes of the call."""
    part = _single(f, wrt)[1]
    forward, reverse = jacfwd(f, wrt, compile=compile), jacrev(f, wrt, compile=compile)

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        binder = Binder(plain(f))
        values = binder.bind(args, kwargs)
        y = run(f, binder, values)
        cheaper = forward if np.size(part(values)) <= np.size(y) else reverse
        return cheaper(*args, **kwargs)

    return jacobian_of


def hessian(f: Callable[..., Any], wrt: Wrt = 0) -> Callable[..., Any]:
    """The dense Hessian of a scalar function, forward over reverse."""
    return jacfwd(grad(f, wrt), wrt)


def _single(f: Callable[..., Any], wrt: Wrt) -> tuple[str, Callable[[tuple[Any, ...]], Any]]:
    """The one argument that is differentiated: its name, and how it is found among the values."""
    binder = Binder(plain(f))
    chosen, _ = binder.wrt(wrt)
    (name,) = chosen or binder.own[:1]
    head, _, rest = name.partition("[")
    position = binder.names.index(head)
    if not rest:
        return name, lambda values: values[position]
    entry = int(rest.rstrip("]"))
    return name, lambda values: values[position][entry]


def _scalar(value: Any) -> Any:
    return value[()] if value.ndim == 0 else value
