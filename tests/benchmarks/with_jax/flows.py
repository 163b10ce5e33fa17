"""Flows in JAX: steps of time and of relaxation are scans."""

import jax.numpy as jnp
from jax import lax


def _source(u, v, rho, dt, dx, dy):
    ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * dx)
    vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * dy)
    uy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2.0 * dy)
    vx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2.0 * dx)
    return rho * ((ux + vy) / dt - ux * ux - 2.0 * uy * vx - vy * vy)


def _relaxed(p, b, dx, dy):
    total = (p[1:-1, 2:] + p[1:-1, :-2]) * dy**2 + (p[2:, 1:-1] + p[:-2, 1:-1]) * dx**2
    return (total - dx**2 * dy**2 * b) / (2.0 * (dx**2 + dy**2))


def _transport(w, u, v, nu, dt, dx, dy):
    c, west, east = w[1:-1, 1:-1], w[1:-1, :-2], w[1:-1, 2:]
    south, north = w[:-2, 1:-1], w[2:, 1:-1]
    carried = u * dt / dx * (c - west) + v * dt / dy * (c - south)
    spread = dt / dx**2 * (east - 2.0 * c + west) + dt / dy**2 * (north - 2.0 * c + south)
    return c - carried + nu * spread


def _stepped(u, v, p, rho, nu, dt, dx, dy):
    inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
    px = dt / (2.0 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
    py = dt / (2.0 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
    new_u = _transport(u, inner_u, inner_v, nu, dt, dx, dy) - px
    new_v = _transport(v, inner_u, inner_v, nu, dt, dx, dy) - py
    return new_u, new_v


def cavity_flow(u, v, p, rho, nu, dt, steps, inner):
    dx = 2.0 / (u.shape[1] - 1)
    dy = 2.0 / (u.shape[0] - 1)

    def relax(p, b):
        p = p.at[1:-1, 1:-1].set(_relaxed(p, b, dx, dy))
        p = p.at[:, -1].set(p[:, -2])
        p = p.at[0, :].set(p[1, :])
        p = p.at[:, 0].set(p[:, 1])
        return p.at[-1, :].set(0.0)

    def step(_, state):
        u, v, p = state
        b = _source(u, v, rho, dt, dx, dy)
        p = lax.fori_loop(0, inner, lambda _, p: relax(p, b), p)
        new_u, new_v = _stepped(u, v, p, rho, nu, dt, dx, dy)
        # All of the border is set: zeros, and ones at the lid.
        return jnp.pad(new_u, 1).at[-1, :].set(1.0), jnp.pad(new_v, 1), p

    u, v, p = lax.fori_loop(0, steps, step, (u, v, p))
    return jnp.sum(u * u) + jnp.sum(v * v) + jnp.sum(p * p)


def _around(w):
    return jnp.concatenate((w[:, -1:], w, w[:, :1]), axis=1)


def channel_flow(u, v, p, rho, nu, force, dt, steps, inner):
    dx = 2.0 / (u.shape[1] - 1)
    dy = 2.0 / (u.shape[0] - 1)

    def relax(p, b):
        p = p.at[1:-1, :].set(_relaxed(_around(p), b, dx, dy))
        p = p.at[-1, :].set(p[-2, :])
        return p.at[0, :].set(p[1, :])

    def step(_, state):
        u, v, p = state
        wide_u, wide_v = _around(u), _around(v)
        b = _source(wide_u, wide_v, rho, dt, dx, dy)
        p = lax.fori_loop(0, inner, lambda _, p: relax(p, b), p)
        new_u, new_v = _stepped(wide_u, wide_v, _around(p), rho, nu, dt, dx, dy)
        rim = ((1, 1), (0, 0))
        return jnp.pad(new_u + force * dt, rim), jnp.pad(new_v, rim), p

    u, v, _ = lax.fori_loop(0, steps, step, (u, v, p))
    return jnp.sum(u * u) + jnp.sum(v * v)


def _pull(mass, position, softening):
    apart = position.T[:, None, :] - position.T[:, :, None]
    inverse = (jnp.sum(apart**2, axis=0) + softening**2) ** (-1.5)
    return ((apart * inverse) @ mass).T


def nbody(mass, position, velocity, dt, softening, steps):
    def step(_, state):
        position, velocity, pull = state
        velocity = velocity + 0.5 * dt * pull
        position = position + dt * velocity
        pull = _pull(mass, position, softening)
        return position, velocity + 0.5 * dt * pull, pull

    start = position, velocity, _pull(mass, position, softening)
    _, velocity, _ = lax.fori_loop(0, steps, step, start)
    return 0.5 * jnp.sum(mass * jnp.sum(velocity**2, axis=1))


FUNCTIONS = (cavity_flow, channel_flow, nbody)
