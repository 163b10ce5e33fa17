"""The calls: gradients, products with Jacobians, Jacobians and Hessians, and the programs.

    grad      x -> x_bar                       the adjoint program with seed 1
    jvp       x, x_dot -> y, y_dot             the tangent program
    vjp       x -> y, (y_bar -> x_bar)         the adjoint program
    hvp       x, v -> (gradient)' v            the tangent of the gradient program

(Griewank and Walther 2008, chapters 3 and 5; forward over reverse for second order.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Concatenate, Literal, overload

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.arguments.callable_functions import called, caller_of
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.generated import Generated
from adjointgen.api.calls.kept_states import Directives, directives_known, known_schedule
from adjointgen.api.calls.signatures import (
    A,
    ByFirst,
    Differentiated,
    GradBy,
    GradByFirst,
    GradBySeveral,
    GradWithAux,
    One,
    P,
    Several,
    ValueAndGradBy,
    X,
)
from adjointgen.api.calls.split_sweeps import Recorded, run_forward
from adjointgen.api.calls.vector_sweeps import plain
from adjointgen.api.programs.recipes import Kind, Recipe, Step
from adjointgen.api.seeds.seed_checks import refuse
from adjointgen.config.compilers import PYTHON, Target, known_target
from adjointgen.errors import Misuse, understood

Wrt = Any
Disable = Sequence[str]


def derivative_of(
    f: Callable[..., Any],
    kind: Kind,
    wrt: Wrt,
    disable: Disable,
    compile: Target,
    directions: int = 0,
    aux: bool = False,
    checkpoint: str = "",
    directives: Directives = (),
) -> Derivative:
    """A derivative of a function, or of a derivative."""
    if directions < 0:
        raise Misuse(f"directions is {directions}, and no number from 0", code="AG415")
    inner: Recipe = ()
    asked: tuple[Any, ...] = ()
    f, caller = called(f), caller_of(f)
    with understood():
        compile = known_target(compile)
        off: tuple[str, ...] = ()
        if disable:
            off = import_module("adjointgen.config.options").known_passes(disable)
    if isinstance(f, Derivative):
        made = f.generated
        inner, asked, f, caller = made.recipe, made.asked, made.function, made.caller
    binder = Binder(f)
    names, several = binder.wrt(wrt)
    kept = known_schedule(checkpoint), False, directives_known(directives)
    step = Step(kind, names, directions, several and "grad" in kind, aux, *kept)
    return Derivative(Generated(f, (*inner, step), off, compile, (*asked, wrt), 0, caller))


@overload
def grad(
    f: Callable[Concatenate[X, P], Any],
    wrt: Literal[0] = 0,
    *,
    has_aux: Literal[False] = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> ByFirst[X, P, X]: ...
@overload
def grad(
    f: Callable[P, tuple[Any, A]],
    wrt: One | Several = 0,
    *,
    has_aux: Literal[True],
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> Differentiated[P, tuple[Any, A]]: ...
@overload
def grad(
    f: Callable[P, Any],
    wrt: Several,
    *,
    has_aux: Literal[False] = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> Differentiated[P, tuple[Any, ...]]: ...
@overload
def grad(
    f: Callable[P, Any],
    wrt: One = 0,
    *,
    has_aux: bool = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> Differentiated[P, Any]: ...
@overload
def grad(
    f: None = None,
    wrt: Literal[0] = 0,
    *,
    has_aux: Literal[False] = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> GradByFirst: ...
@overload
def grad(
    f: None = None,
    wrt: One | Several = 0,
    *,
    has_aux: Literal[True],
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> GradWithAux: ...
@overload
def grad(
    f: None = None,
    *,
    wrt: Several,
    has_aux: Literal[False] = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> GradBySeveral: ...
@overload
def grad(
    f: None = None,
    wrt: One = 0,
    *,
    has_aux: bool = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> GradBy: ...
def grad(
    f: Any = None,
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> Any:
    """The gradient of a scalar function: `grad(f)(x)` has the structure, shape and dtype of `x`.

    `wrt` names what is differentiated: a position, a name, a tuple of these (then the gradient is
    a tuple), a comma-separated string, or `...` for all float arguments. Works as a decorator, with
    or without arguments, and nests. With `has_aux` the function returns a pair, its value and
    anything else, and the result is `(gradient, anything else)`. `disable` names optimising passes
    to leave out; `compile="numba"` compiles the program with Numba at its first call, and
    `"numba-parallel"` has independent loops run in threads. `checkpoint` is the schedule by which
    the outermost loops keep few of their states: `"log"`, `"binomial, snapshots=10"` ...
    `directives` say of the function what comments say of a statement: `"recompute(t), joint(g)"`.

    Raises TypeMismatch (AG402, AG403) for a `wrt` that is no float parameter, (AG404) where the
    result is not one scalar, and (AG414) for what is no function; Unsupported, NoRule or
    NotDifferentiable where the function cannot be differentiated correctly, and (AG140) where it
    cannot be compiled; SourceError (AG012) for directives that are about nothing in the function;
    TypeError for arguments that do not fit the signature, as Python does, and
    ValueError for another `compile`.
    """
    if f is None:
        return partial(_by, "grad", wrt, has_aux, disable, compile, checkpoint, directives)
    return _by("grad", wrt, has_aux, disable, compile, checkpoint, directives, f)


@overload
def value_and_grad(
    f: Callable[P, X],
    wrt: One | Several = 0,
    *,
    has_aux: bool = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> Differentiated[P, tuple[X, Any]]: ...
@overload
def value_and_grad(
    f: None = None,
    wrt: One | Several = 0,
    *,
    has_aux: bool = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> ValueAndGradBy: ...
def value_and_grad(
    f: Any = None,
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    checkpoint: str = "",
    directives: Directives = (),
) -> Any:
    """`(value, gradient)` of a scalar function in one run; see `grad`.

    With `has_aux` it is `((value, anything else), gradient)`.
    """
    if f is None:
        return partial(
            _by, "value_and_grad", wrt, has_aux, disable, compile, checkpoint, directives
        )
    return _by("value_and_grad", wrt, has_aux, disable, compile, checkpoint, directives, f)


def _by(
    kind: Kind,
    wrt: Wrt,
    aux: bool,
    disable: Disable,
    compile: Target,
    checkpoint: str,
    directives: Directives,
    f: Callable[..., Any],
    /,
) -> Derivative:
    """A gradient with options, which a decorator has before it has the function."""
    return derivative_of(f, kind, wrt, disable, compile, 0, aux, checkpoint, directives)


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
    With `directions` every seed and every derivative has an axis more, its last, of that length:
    one run follows that many directions.

    Raises NotSeveral (AG141) where a program cannot.
    """
    return derivative_of(f, "tangent", wrt, disable, compile, directions)


def adjoint(
    f: Callable[..., Any],
    wrt: Wrt = ...,
    *,
    has_aux: bool = False,
    disable: Disable = (),
    compile: Target = PYTHON,
    directions: int = 0,
    checkpoint: str = "",
    directives: Directives = (),
) -> Derivative:
    """The adjoint program: `adjoint(f)(x, y_bar)` gives `(y, x_bar)`.

    With several inputs, `(y, x_bar, a_bar)`; with several results, one seed for each. A function
    that takes `*args` has one seed by position, the last; more are passed by name. With
    `has_aux` the function returns `(y, aux)`, and its program `(y, x_bar, aux)`. For `directions`
    see `tangent`, for `checkpoint` and `directives` see `grad`.
    """
    return derivative_of(
        f, "adjoint", wrt, disable, compile, directions, has_aux, checkpoint, directives
    )


def split(f: Callable[..., Any], wrt: Wrt = ..., *, has_aux: bool = False) -> Derivative:
    """The adjoint program in two functions, of which the second reads the tape of the first."""
    return derivative_of(f, "forward", wrt, (), PYTHON, aux=has_aux)


def forward(f: Callable[..., Any], wrt: Wrt = ...) -> Callable[..., tuple[Any, Recorded]]:
    """The forward sweep: `forward(f)(x)` gives `(y, tape)`, and runs the function once.

    The tape shares no memory with arguments and results. `reverse` reads it, any number of times;
    its memory, `tape.nbytes`, is free when it is dropped.
    """
    generated = split(f, wrt).generated

    def sweep(*args: Any, **kwargs: Any) -> tuple[Any, Recorded]:
        recorded = run_forward(generated, generated.binder.bind(args, kwargs))
        return recorded.value, recorded

    return sweep


def reverse(f: Callable[..., Any], wrt: Wrt = ...) -> Callable[..., tuple[Any, ...]]:
    """The reverse sweep: `reverse(f)(tape, y_bar)` gives the adjoints of the arguments in `wrt`.

    They are a tuple, of one as well. Raises TypeMismatch (AG407) for the tape of another function,
    and for seeds that have not the structure, shape and kind of `y`.
    """
    generated = split(f, wrt).generated

    def sweep(tape: Recorded, *seeds: Any) -> tuple[Any, ...]:
        if not isinstance(tape, Recorded) or not tape.is_of(generated):
            refuse("this is no tape of the forward sweep of this function by these arguments")
        return tape.reverse(*seeds)

    return sweep


def primal(f: Callable[..., Any], wrt: Wrt = ..., *, disable: Disable = ()) -> Derivative:
    """The function itself, read and written back: `primal(f)(x)` is what `f(x)` is.

    It has the value, the exceptions and the effects of the function, arguments written to included.
    What the frontend changes of a program shows here, apart from any derivative. Structures that
    are not in `wrt` are not taken apart.
    """
    function = called(f)
    names = () if wrt == () else Binder(function).wrt(wrt)[0]
    return Derivative(Generated(function, (Step("primal", names),), tuple(disable)))


def jvp(f: Callable[..., X], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[X, Any]:
    """`(y, y_dot)` at `primals` in the direction `tangents`; None where there is no tangent.

    Raises TypeMismatch (AG407) for tangents that have not the structure, shape and kind of the
    arguments.
    """
    y, y_dot = pushed(tangent, f, primals, tangents)
    return y, y_dot


Pullback = Callable[..., tuple[Any, ...]]


@overload
def vjp(
    f: Callable[..., X], *primals: Any, has_aux: Literal[False] = False
) -> tuple[X, Pullback]: ...
@overload
def vjp(
    f: Callable[..., tuple[X, A]], *primals: Any, has_aux: Literal[True]
) -> tuple[X, Pullback, A]: ...
def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """`(y, pullback)`; `pullback(y_bar)` gives the adjoints of all float arguments as a tuple.

    The function runs once, and leaves arrays that are arguments as they were. The pullback can be
    called any number of times, whatever becomes of arguments and results meanwhile. It raises
    TypeMismatch (AG407) for an adjoint that has not the structure, shape and kind of `y`. With
    `has_aux` the function returns `(y, aux)`, and the result is `(y, pullback, aux)`.
    """
    generated = split(f, has_aux=has_aux).generated
    recorded = run_forward(generated, generated.binder.bind(primals, {}))
    if has_aux:
        return recorded.value[0], recorded.reverse, recorded.value[1]
    return recorded.value, recorded.reverse


def hvp(f: Callable[..., Any], primals: Sequence[Any], vectors: Sequence[Any]) -> Any:
    """The product of the Hessian of a scalar function with a vector, forward over reverse.

    `vectors` has one entry per argument, None for an argument that is not differentiated. One
    product per differentiated argument: a single one as it is, several as a tuple. Raises
    TypeMismatch (AG407) for vectors that have not the structure, shape and kind of the arguments.
    """
    names = _tangential(Binder(plain(f)), primals, vectors)
    gradient = grad(f, names if len(names) > 1 else names[0])
    return pushed(tangent, gradient, primals, vectors)[1]


def pushed(
    mode: Callable[[Callable[..., Any], Wrt], Derivative],
    f: Callable[..., Any],
    primals: Sequence[Any],
    dots: Sequence[Any],
) -> Any:
    """One run of a forward program; parameters that are not given have their defaults."""
    binder = Binder(plain(f))
    wrt = _tangential(binder, primals, dots)
    values = binder.bind(tuple(primals), {})
    seeds = [d for d in dots if d is not None]
    return mode(f, wrt).apply(values, *seeds)


def _tangential(binder: Binder, primals: Sequence[Any], dots: Sequence[Any]) -> tuple[str, ...]:
    """The arguments that have tangents.

    Raises TypeMismatch (AG407) where there are more of them than arguments.
    """
    if not (isinstance(primals, tuple | list) and isinstance(dots, tuple | list)):
        refuse("arguments and tangents are a tuple each, with an entry for every argument")
    if len(dots) > len(primals):
        refuse(f"{len(dots)} tangents for {len(primals)} arguments")
    found = binder.wrt(tuple(k for k, d in enumerate(dots) if d is not None))[0]
    if not found:
        refuse("there is no tangent: all of them are None")
    return found
