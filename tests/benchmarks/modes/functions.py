"""What the modes are measured on, in NumPy, and the same in JAX and CasADi where they differ."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np


def layered(x: Any, first: Any, second: Any) -> Any:
    """Two layers, from vector to vector."""
    return second @ np.tanh(first @ x) * x


def misfit(weights: Any, x: Any, y: Any) -> Any:
    """The loss of one sample."""
    return np.sum((np.tanh(weights @ x) - y) ** 2)


def tridiagonal(u: Any) -> Any:
    found = u - u**3
    found[1:-1] += 0.5 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return found


def tridiagonal_casadi(u: Any, casadi: Any) -> Any:
    inner = 0.5 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u - u**3 + casadi.vertcat(0.0, inner, 0.0)


def tridiagonal_jax(u: Any) -> Any:
    return (u - u**3).at[1:-1].add(0.5 * (u[2:] - 2.0 * u[1:-1] + u[:-2]))


def arrow(u: Any) -> Any:
    """Each result depends on the first number and on its own; the first on all."""
    found = np.exp(u) * u[0]
    found[0] = np.sum(u * u)
    return found


def arrow_casadi(u: Any, casadi: Any) -> Any:
    return casadi.vertcat(casadi.sumsqr(u), (casadi.exp(u) * u[0])[1:])


def arrow_jax(u: Any) -> Any:
    return (jnp().exp(u) * u[0]).at[0].set((u * u).sum())


def jnp() -> Any:
    return import_module("jax.numpy")


def brusselator_line(w: Any) -> Any:
    """Two fields on a line with held ends, one after the other."""
    n = len(w) // 2
    u, v = w[:n], w[n:]
    found = np.empty_like(w)
    found[:n] = 1.0 + u * u * v - 4.0 * u
    found[n:] = 3.0 * u - u * u * v
    found[1 : n - 1] += 0.02 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    found[n + 1 : -1] += 0.02 * (v[2:] - 2.0 * v[1:-1] + v[:-2])
    return found


def brusselator_line_casadi(w: Any, casadi: Any) -> Any:
    n = w.shape[0] // 2
    u, v = w[:n], w[n:]

    def spread(a: Any) -> Any:
        return casadi.vertcat(0.0, 0.02 * (a[2:] - 2.0 * a[1:-1] + a[:-2]), 0.0)

    return casadi.vertcat(1.0 + u * u * v - 4.0 * u + spread(u), 3.0 * u - u * u * v + spread(v))


def brusselator_line_jax(w: Any) -> Any:
    u, v = w.reshape(2, -1)

    def spread(a: Any) -> Any:
        return (0.0 * a).at[1:-1].add(0.02 * (a[2:] - 2.0 * a[1:-1] + a[:-2]))

    rates = 1.0 + u * u * v - 4.0 * u + spread(u), 3.0 * u - u * u * v + spread(v)
    return jnp().concatenate(rates)


def brusselator_plane(w: Any) -> Any:
    """Two fields on a square whose ends meet."""
    u, v = w
    found = np.empty_like(w)
    found[0] = 1.0 + u * u * v - 4.0 * u + 0.02 * _spread(u)
    found[1] = 3.0 * u - u * u * v + 0.02 * _spread(v)
    return found


def _spread(a: Any) -> Any:
    around = np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1)
    return around - 4.0 * a


def brusselator_plane_casadi(w: Any, casadi: Any) -> Any:
    n = round((w.shape[0] // 2) ** 0.5)
    u, v = w[: n * n], w[n * n :]
    places = np.arange(n * n).reshape(n, n)
    moved = [np.roll(places, by, axis).ravel().tolist() for by in (1, -1) for axis in (0, 1)]

    def spread(a: Any) -> Any:
        return 0.02 * (sum((a[m] for m in moved), -4.0 * a))

    return casadi.vertcat(1.0 + u * u * v - 4.0 * u + spread(u), 3.0 * u - u * u * v + spread(v))


def brusselator_plane_jax(w: Any) -> Any:
    n = round((len(w) // 2) ** 0.5)
    u, v = w.reshape(2, n, n)

    def spread(a: Any) -> Any:
        roll = jnp().roll
        return 0.02 * (roll(a, 1, 0) + roll(a, -1, 0) + roll(a, 1, 1) + roll(a, -1, 1) - 4.0 * a)

    rates = 1.0 + u * u * v - 4.0 * u + spread(u), 3.0 * u - u * u * v + spread(v)
    return jnp().stack(rates).ravel()


def smooth(x: Any) -> Any:
    return np.exp(np.sin(x)) / (1.0 + x * x)
