"""The candidates of every case: how each is made, and the function that is timed then.

What is made includes all that is done once: reading and generating, tracing, compiling, patterns
and groups of columns, and a first call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from adjointgen import generate, grad, jacobian, jvp, taylor, vmap
from tests.benchmarks.modes import functions as of

Run = Callable[[], Any]
LIVE, MODULE = "adjointgen", "adjointgen, module"


@dataclass(frozen=True, slots=True)
class Case:
    """Candidates that give the same, each by how it is made."""

    name: str
    candidates: Mapping[str, Callable[[], Run]]


def cases(tiny: bool = False) -> Iterator[Case]:
    """All of them, with libraries that are there."""
    yield dense(4 if tiny else 200)
    yield samples(4 if tiny else 256)
    sizes = (30, 30, 30, 4) if tiny else (100_000, 3_000, 10_000, 100)
    yield sparse("tridiagonal", of.tridiagonal, of.tridiagonal_casadi, sizes[0])
    yield sparse("arrow", of.arrow, of.arrow_casadi, sizes[1])
    yield sparse("Brusselator on a line", of.brusselator_line, of.brusselator_line_casadi, sizes[2])
    plane = (2, sizes[3], sizes[3])
    yield sparse(
        "Brusselator on a square", of.brusselator_plane, of.brusselator_plane_casadi, plane
    )
    yield coefficients(3 if tiny else 10, 5 if tiny else 1000)


def _module(f: Any, name: str, *example: Any, wrt: str, mode: str) -> Any:
    made = ModuleType("made")
    source = generate(f, wrt=wrt, modes=mode, example=example).source
    exec(compile(source, "made.py", "exec"), vars(made))
    return getattr(made, name)


def _jax() -> Any:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


def _count(n: int) -> str:
    """A number in groups of three digits."""
    return f"{n:,}".replace(",", " ")


def _jitted(make: Callable[[Any], Any], *args: Any) -> Run:
    """A function of JAX, compiled for arguments that it has already."""
    jax = _jax()
    compiled, given = jax.jit(make(jax)), [jax.numpy.asarray(a) for a in args]
    return lambda: jax.block_until_ready(compiled(*given))


def _torch(make: Callable[[Any], Any], *args: Any) -> Run:
    torch = import_module("torch")
    f, given = make(torch), [torch.tensor(a) for a in args]
    return lambda: f(*given)


def _with(library: str, name: str, make: Callable[[], Run]) -> dict[str, Callable[[], Run]]:
    """A candidate, if its library is there."""
    return {name: make} if find_spec(library) else {}


def dense(n: int) -> Case:
    rng = np.random.default_rng(0)
    args = rng.normal(size=n), rng.normal(size=(n, n)) / n, rng.normal(size=(n, n)) / n

    def module() -> Run:
        f = _module(of.layered, "layered_jacobian", *args, wrt="x", mode="jacobian")
        return partial(f, *args)

    def layered(np_: Any) -> Any:
        return lambda x, first, second: second @ np_.tanh(first @ x) * x

    made = {LIVE: lambda: partial(jacobian(of.layered), *args), MODULE: module}
    forward = partial(_jitted, lambda jax: jax.jacfwd(layered(jax.numpy)), *args)
    made |= _with("jax", "JAX, jacfwd", forward)
    of_torch = partial(_torch, lambda torch: torch.func.jacfwd(layered(torch)), *args)
    return Case(f"dense Jacobian, {n} by {n}", made | _with("torch", "PyTorch", of_torch))


def samples(n: int) -> Case:
    rng = np.random.default_rng(0)
    args = rng.normal(size=(8, 32)), rng.normal(size=(n, 32)), rng.normal(size=(n, 8))
    axes = None, 0, 0

    def one_by_one() -> Run:
        gradient, (weights, xs, ys) = grad(of.misfit), args
        return lambda: np.stack([gradient(weights, x, y) for x, y in zip(xs, ys, strict=True)])

    def misfit(np_: Any) -> Any:
        return lambda weights, x, y: ((np_.tanh(weights @ x) - y) ** 2).sum()

    made = {LIVE: lambda: partial(vmap(grad(of.misfit), axes), *args)}
    made["adjointgen, in a loop"] = one_by_one
    mapped = partial(_jitted, lambda jax: jax.vmap(jax.grad(misfit(jax.numpy)), axes), *args)
    made |= _with("jax", "JAX, vmap", mapped)
    of_torch = partial(
        _torch, lambda torch: torch.func.vmap(torch.func.grad(misfit(torch)), axes), *args
    )
    return Case(f"gradients of {n} samples", made | _with("torch", "PyTorch", of_torch))


def sparse(name: str, f: Any, in_casadi: Any, shape: Any) -> Case:
    x = np.random.default_rng(0).uniform(0.5, 1.5, shape)

    def module() -> Run:
        of_module = f"{f.__name__}_jacobian_sparse"
        (wrt,) = f.__code__.co_varnames[:1]
        return partial(_module(f, of_module, x, wrt=wrt, mode="jacobian-sparse"), x)

    def by_casadi(kind: str) -> Run:
        casadi = import_module("casadi")
        symbol = getattr(casadi, kind).sym("x", x.size)
        matrix = casadi.jacobian(in_casadi(symbol, casadi), symbol)
        return partial(casadi.Function("f", [symbol], [matrix]), casadi.DM(x.ravel()))

    def by_asdex() -> Run:
        """Its pattern and colours come from the trace; both are found before."""
        in_jax, found = getattr(of, f"{f.__name__}_jax"), import_module("asdex")
        return _jitted(lambda jax: found.jacobian(in_jax, jax.numpy.asarray(x.ravel())), x.ravel())

    made = {LIVE: lambda: partial(jacobian(f, sparse=True), x), MODULE: module}
    for kind in ("SX", "MX"):
        made |= _with("casadi", f"CasADi, {kind}", partial(by_casadi, kind))
    made |= _with("asdex", "JAX, asdex", by_asdex)
    return Case(f"sparse Jacobian: {name}, {_count(x.size)} numbers", made)


def coefficients(order: int, n: int) -> Case:
    x = np.linspace(0.1, 1.3, n)
    line = np.zeros((order, n))
    line[0] = 1.0

    def module() -> Run:
        f = _module(of.smooth, "smooth_taylor", x, wrt="x", mode="taylor")
        return lambda: f(x, line)[1][-1]

    made = {LIVE: lambda: lambda: taylor(of.smooth, (x,), (line,))[1][-1], MODULE: module}
    factorial = float(np.prod(np.arange(1.0, order + 1.0)))
    if order < 5:
        made["adjointgen, nested tangents"] = lambda: nested(order, x, factorial)
    made |= _with("jax", "JAX, nested jvp", partial(_jitted, partial(_nested_jvp, order), x))
    made |= _with("jax", "JAX, jet", partial(_jitted, partial(_jet, order), x))
    return Case(f"Taylor coefficient of degree {order}, {_count(n)} numbers", made)


def nested(order: int, x: Any, factorial: float) -> Run:
    """Tangents of tangents along the same direction."""

    def slope(f: Any) -> Any:
        return lambda x: jvp(f, (x,), (np.ones_like(x),))[1]

    f: Any = of.smooth
    for _ in range(order):
        f = slope(f)
    return lambda: f(x) / factorial


def _smooth(jax: Any) -> Any:
    np_ = jax.numpy
    return lambda x: np_.exp(np_.sin(x)) / (1.0 + x * x)


def _nested_jvp(order: int, jax: Any) -> Any:
    def slope(f: Any) -> Any:
        return lambda x: jax.jvp(f, (x,), (jax.numpy.ones_like(x),))[1]

    f, factorial = _smooth(jax), 1.0
    for n in range(1, order + 1):
        f, factorial = slope(f), factorial * n
    return lambda x: f(x) / factorial


def _jet(order: int, jax: Any) -> Any:
    """Its coefficients are derivatives: those of degree n times its factorial."""
    jet = import_module("jax.experimental.jet").jet
    factorial = float(np.prod(np.arange(1.0, order + 1.0)))

    def last(x: Any) -> Any:
        one, zero = jax.numpy.ones_like(x), jax.numpy.zeros_like(x)
        return jet(_smooth(jax), (x,), ([one] + [zero] * (order - 1),))[1][-1] / factorial

    return last
