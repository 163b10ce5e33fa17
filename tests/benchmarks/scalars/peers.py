"""The functions as users of autograd and PyTorch write them, with the functions of each library.

`written(m)` gives all of them for one library; loops and branches are Python's for both. Tensors of
PyTorch are made before the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from tests.benchmarks.kernels.kernel import Arguments, is_float
from tests.benchmarks.scalars.programs import recurrence
from tests.benchmarks.timing import Run


def _formula(m: Any) -> Callable[..., Any]:
    def formula(x, y):
        r = m.sqrt(x * x + y * y + 1.0)
        s = m.sin(x * y) * m.exp(-0.5 * r)
        t = m.log(r + 2.0) / (1.0 + s * s)
        return t * m.cos(x - y) + s * r - 0.25 * x

    return formula


def _pendulum(m: Any) -> Callable[..., Any]:
    def pendulum(angle, speed, drag, steps):
        h = 0.01
        for _ in range(steps):
            a1 = -m.sin(angle) - drag * speed
            v2 = speed + 0.5 * h * a1
            a2 = -m.sin(angle + 0.5 * h * speed) - drag * v2
            v3 = speed + 0.5 * h * a2
            a3 = -m.sin(angle + 0.5 * h * v2) - drag * v3
            v4 = speed + h * a3
            a4 = -m.sin(angle + h * v3) - drag * v4
            angle, speed = (
                angle + h / 6.0 * (speed + 2.0 * v2 + 2.0 * v3 + v4),
                speed + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4),
            )
        return 0.5 * speed * speed - m.cos(angle)

    return pendulum


def _black_scholes(m: Any, erf: Callable[[Any], Any]) -> Callable[..., Any]:
    def black_scholes(spot, strike, rate, volatility, years):
        spread = volatility * m.sqrt(years)
        d1 = (m.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
        d2 = d1 - spread
        first = 0.5 * (1.0 + erf(d1 / 2.0**0.5))
        second = 0.5 * (1.0 + erf(d2 / 2.0**0.5))
        return spot * first - strike * m.exp(-rate * years) * second

    return black_scholes


def written(m: Any, erf: Callable[[Any], Any]) -> dict[str, Callable[..., Any]]:
    """All functions, for one library."""
    return {
        "formula": _formula(m),
        "recurrence": recurrence,
        "pendulum": _pendulum(m),
        "black_scholes": _black_scholes(m, erf),
    }


def in_autograd(name: str) -> Callable[[Arguments], Run]:
    """Calls of the value and the gradients of a function."""
    special = import_module("autograd.scipy.special")
    function = written(import_module("autograd.numpy"), special.erf)[name]
    transform = import_module("autograd").value_and_grad

    def prepare(arguments: Arguments) -> Run:
        both = transform(function, tuple(k for k, a in enumerate(arguments) if is_float(a)))
        return lambda: both(*arguments)

    return prepare


def in_torch(name: str) -> Callable[[Arguments], Run]:
    """Calls of the value and the gradients of a function, on tensors made beforehand."""
    torch = import_module("torch")
    torch.set_num_threads(1)
    function = written(torch, torch.erf)[name]

    def prepare(arguments: Arguments) -> Run:
        tensors = [
            torch.tensor(a, dtype=torch.float64, requires_grad=True) if is_float(a) else a
            for a in arguments
        ]
        inputs = [t for t, a in zip(tensors, arguments, strict=True) if is_float(a)]

        def run() -> Any:
            value = function(*tensors)
            return value.detach(), torch.autograd.grad(value, inputs)

        return run

    return prepare


def in_jax(name: str) -> Callable[[Arguments], Run]:
    """Calls of the jitted value and gradients, with Python's numbers."""
    jax = import_module("jax")
    function = import_module("tests.benchmarks.scalars.in_jax").FUNCTIONS[name]
    jax.config.update("jax_enable_x64", True)

    def prepare(arguments: Arguments) -> Run:
        floats = tuple(k for k, a in enumerate(arguments) if is_float(a))
        numbers = tuple(k for k, a in enumerate(arguments) if not is_float(a))
        both = jax.jit(jax.value_and_grad(function, floats), static_argnums=numbers)

        def run() -> Any:
            found = both(*arguments)
            found[0].block_until_ready()
            return found

        return run

    return prepare


def in_casadi(name: str) -> Callable[[Arguments], Run]:
    """Calls of a function of CasADi that has the value and the gradients."""
    found: Callable[[Arguments], Run] = import_module(
        "tests.benchmarks.scalars.in_casadi"
    ).prepared(name)
    return found


def in_tangent(name: str) -> Callable[[Arguments], Run]:
    """Calls of the gradient that tangent writes, which has the value last."""
    transform = import_module("tangent").grad
    function = import_module("tests.benchmarks.scalars.in_tangent").FUNCTIONS[name]

    def prepare(arguments: Arguments) -> Run:
        floats = tuple(k for k, a in enumerate(arguments) if is_float(a))
        both = transform(function, wrt=floats, preserve_result=True)

        def run() -> Any:
            *slopes, value = both(*arguments)
            return value, slopes

        return run

    return prepare
