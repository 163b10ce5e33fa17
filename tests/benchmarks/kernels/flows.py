"""Flows of a fluid and of bodies: steps of time over steps of relaxation."""

import numpy as np

from tests.benchmarks.kernels.kernel import Kernel, at, normal


def _source(u, v, rho, dt, dx, dy):
    """The right side of the equation for the pressure, in the inside."""
    ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * dx)
    vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * dy)
    uy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2.0 * dy)
    vx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2.0 * dx)
    return rho * ((ux + vy) / dt - ux * ux - 2.0 * uy * vx - vy * vy)


def _relax(p, b, dx, dy):
    """One step of relaxation of the pressure, in the inside."""
    old = p.copy()
    p[1:-1, 1:-1] = (
        (old[1:-1, 2:] + old[1:-1, :-2]) * dy**2 + (old[2:, 1:-1] + old[:-2, 1:-1]) * dx**2
    ) / (2.0 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2.0 * (dx**2 + dy**2)) * b


def _transport(w, u, v, nu, dt, dx, dy):
    """What a velocity component becomes in one step without pressure, in the inside."""
    c, west, east = w[1:-1, 1:-1], w[1:-1, :-2], w[1:-1, 2:]
    south, north = w[:-2, 1:-1], w[2:, 1:-1]
    carried = u * dt / dx * (c - west) + v * dt / dy * (c - south)
    spread = dt / dx**2 * (east - 2.0 * c + west) + dt / dy**2 * (north - 2.0 * c + south)
    return c - carried + nu * spread


def _step(u, v, p, rho, nu, dt, dx, dy):
    """New velocities from old ones and the pressure, in the inside."""
    inner_u, inner_v = u[1:-1, 1:-1].copy(), v[1:-1, 1:-1].copy()
    px = dt / (2.0 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
    py = dt / (2.0 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
    new_u = _transport(u, inner_u, inner_v, nu, dt, dx, dy) - px
    new_v = _transport(v, inner_u, inner_v, nu, dt, dx, dy) - py
    u[1:-1, 1:-1] = new_u
    v[1:-1, 1:-1] = new_v


def cavity_flow(u, v, p, rho, nu, dt, steps, inner):
    """A fluid in a box whose lid moves."""
    u, v, p = u.copy(), v.copy(), p.copy()
    dx = 2.0 / (u.shape[1] - 1)
    dy = 2.0 / (u.shape[0] - 1)
    for _ in range(steps):
        b = _source(u, v, rho, dt, dx, dy)
        for _ in range(inner):
            _relax(p, b, dx, dy)
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0.0
        _step(u, v, p, rho, nu, dt, dx, dy)
        u[0, :] = 0.0
        u[:, 0] = 0.0
        u[:, -1] = 0.0
        u[-1, :] = 1.0
        v[0, :] = 0.0
        v[-1, :] = 0.0
        v[:, 0] = 0.0
        v[:, -1] = 0.0
    return np.sum(u * u) + np.sum(v * v) + np.sum(p * p)


def _around(w):
    """An array with its last column before the first one, and the first after the last."""
    n, m = w.shape
    out = np.zeros((n, m + 2))
    out[:, 1:-1] = w
    out[:, 0] = w[:, -1]
    out[:, -1] = w[:, 0]
    return out


def channel_flow(u, v, p, rho, nu, force, dt, steps, inner):
    """A fluid that a force drives through a channel whose ends are joined."""
    u, v, p = u.copy(), v.copy(), p.copy()
    dx = 2.0 / (u.shape[1] - 1)
    dy = 2.0 / (u.shape[0] - 1)
    for _ in range(steps):
        wide_u, wide_v = _around(u), _around(v)
        b = _source(wide_u, wide_v, rho, dt, dx, dy)
        for _ in range(inner):
            wide_p = _around(p)
            _relax(wide_p, b, dx, dy)
            p[1:-1, :] = wide_p[1:-1, 1:-1]
            p[-1, :] = p[-2, :]
            p[0, :] = p[1, :]
        _step(wide_u, wide_v, _around(p), rho, nu, dt, dx, dy)
        u[1:-1, :] = wide_u[1:-1, 1:-1] + force * dt
        v[1:-1, :] = wide_v[1:-1, 1:-1]
        u[0, :] = 0.0
        u[-1, :] = 0.0
        v[0, :] = 0.0
        v[-1, :] = 0.0
    return np.sum(u * u) + np.sum(v * v)


def _pull(mass, position, softening):
    """The acceleration of every body by all bodies."""
    x, y, z = position[:, 0:1], position[:, 1:2], position[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inverse = (dx**2 + dy**2 + dz**2 + softening**2) ** (-1.5)
    out = np.zeros_like(position)
    out[:, 0] = (dx * inverse) @ mass
    out[:, 1] = (dy * inverse) @ mass
    out[:, 2] = (dz * inverse) @ mass
    return out


def nbody(mass, position, velocity, dt, softening, steps):
    """Bodies that pull each other, by the leapfrog method; the kinetic energy at the end."""
    position, velocity = position.copy(), velocity.copy()
    pull = _pull(mass, position, softening)
    for _ in range(steps):
        velocity += 0.5 * dt * pull
        position += dt * velocity
        pull = _pull(mass, position, softening)
        velocity += 0.5 * dt * pull
    return 0.5 * np.sum(mass * np.sum(velocity**2, axis=1))


def _cavity(n, steps, inner):
    u, v, p = (0.1 * a for a in normal(51, (n, n), (n, n), (n, n)))
    return u, v, p, 1.0, 0.1, 0.001, steps, inner


def _channel(n, steps, inner):
    u, v, p = (0.1 * a for a in normal(52, (n, n), (n, n), (n, n)))
    return u, v, p, 1.0, 0.1, 1.0, 0.001, steps, inner


def _bodies(n, steps):
    position, velocity = normal(53, (n, 3), (n, 3))
    mass = np.random.default_rng(54).uniform(0.5, 1.5, n) * 20.0 / n
    return mass, position, velocity, 0.01, 0.1, steps


KERNELS = (
    Kernel(cavity_flow, _cavity, at((6, 2, 2), (61, 20, 20), (101, 40, 30)), sweeps=True),
    Kernel(channel_flow, _channel, at((6, 2, 2), (61, 20, 20), (101, 40, 30)), sweeps=True),
    Kernel(nbody, _bodies, at((3, 2), (80, 20), (150, 50)), sweeps=True),
)
