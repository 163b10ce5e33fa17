"""The objectives in JAX, vectorised, with scans where something is carried; jitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import logsumexp

from tests.benchmarks.kernels.kernel import Arguments
from tests.benchmarks.objectives.gmm import constant
from tests.benchmarks.objectives.hand import BONES, angles_of
from tests.benchmarks.objectives.objective import Objective
from tests.benchmarks.timing import Run


def gmm(alphas, means, factors, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    rows, columns = np.tril_indices(d, -1)
    lower = jnp.zeros((k, d, d)).at[:, rows, columns].set(factors[:, d:])
    diagonal, sums = jnp.exp(factors[:, :d]), jnp.sum(factors[:, :d], axis=1)

    def exponents(mean, diagonal, lower):
        centred = x - mean
        y = centred * diagonal + centred @ lower.T
        return jnp.sum(y * y, axis=1)

    terms = alphas + sums - 0.5 * jax.vmap(exponents)(means, diagonal, lower).T
    squares = jnp.sum(diagonal * diagonal) + jnp.sum(factors[:, d:] ** 2)
    prior = 0.5 * gamma * gamma * squares - m * jnp.sum(sums)
    total = jnp.sum(logsumexp(terms, axis=1)) - n * logsumexp(alphas)
    return total + prior + constant(n, d, k, gamma, m)


def residual(camera, point, weight, seen):
    """Of one observation."""
    turn, centre, focal = camera[:3], camera[3:6], camera[6]
    angle = jnp.sqrt(jnp.sum(turn * turn))
    axis, offset = turn / angle, point - centre
    c, s = jnp.cos(angle), jnp.sin(angle)
    view = offset * c + jnp.cross(axis, offset) * s + axis * jnp.dot(axis, offset) * (1.0 - c)
    flat = view[:2] / view[2]
    r2 = jnp.sum(flat * flat)
    bent = flat * (1.0 + camera[9] * r2 + camera[10] * r2 * r2)
    return weight * (bent * focal + camera[7:9] - seen)


def lstm(weights, biases, extra, state, sequence):
    count, width = sequence.shape

    def layer(x, held):
        (hidden, cell), w, b = held
        forget = jax.nn.sigmoid(x * w[0] + b[0])
        enter = jax.nn.sigmoid(hidden * w[1] + b[1])
        leave = jax.nn.sigmoid(x * w[2] + b[2])
        cell = cell * forget + enter * jnp.tanh(hidden * w[3] + b[3])
        hidden = leave * jnp.tanh(cell)
        return hidden, jnp.stack((hidden, cell))

    def step(state, entries):
        now, after = entries
        x, state = lax.scan(layer, now * extra[0], (state, weights, biases), unroll=True)
        guess = x * extra[1] + extra[2]
        guess = guess - jnp.log(jnp.sum(jnp.exp(guess)) + 2.0)
        return state, jnp.sum(after * guess)

    start = state.reshape(-1, 2, width)
    _, totals = lax.scan(step, start, (sequence[:-1], sequence[1:]))
    return -jnp.sum(totals) / (width * (count - 1))


def _rotation(turn):
    angle = jnp.sqrt(jnp.sum(turn * turn))
    x, y, z = turn / angle
    cross = jnp.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return jnp.eye(3) + jnp.sin(angle) * cross + (1.0 - jnp.cos(angle)) * cross @ cross


def hand(pose, rest, parents, inverses, skin, vertices, nearest, measured):
    # Which number of the pose each angle is, found by numbering them; 0 where there is none.
    x, z = (jnp.where(k > 0, pose[k], 0.0) for k in ANGLES)
    cx, sx, cz, sz = jnp.cos(x), jnp.sin(x), jnp.cos(z), jnp.sin(z)
    o, i = jnp.zeros(BONES), jnp.ones(BONES)
    turn = ((cz, -sz * cx, sz * sx, o), (sz, cz * cx, -cz * sx, o), (o, sx, cx, o), (o, o, o, i))
    local = rest @ jnp.moveaxis(jnp.array(turn), 2, 0)
    frames: list[Any] = []
    for b in range(BONES):
        frames.append(local[b] if parents[b] < 0 else frames[parents[b]] @ local[b])
    moved = jnp.stack(frames) @ inverses
    places = jnp.einsum("bv,bij,jv->iv", skin, moved[:, :3], vertices)
    world = _rotation(pose[:3]) @ places[:, nearest] + pose[3:6, None]
    return measured - world.T


ANGLES = tuple(a.astype(int) for a in angles_of(np.arange(26.0)))


def _sparse(cameras, points, weights, seen):
    return jax.vmap(jax.jacrev(residual, (0, 1, 2)))(cameras, points, weights, seen)


def prepared(objective: Objective) -> Callable[[Arguments], Run]:
    """Calls of the compiled derivative, on arrays of the device."""
    jax.config.update("jax_enable_x64", True)

    def prepare(arguments: Arguments) -> Run:
        match objective.name:
            case "bundle adjustment":
                derivative = _sparse
            case "hand tracking":
                # The skeleton is known when the program is made.
                def derivative(pose: Any, *rest: Any) -> Any:
                    return jax.jacfwd(lambda p: hand(p, rest[0], arguments[2], *rest[1:]))(pose)

                arguments_left = (*arguments[:2], *arguments[3:])
                return _compiled(derivative, arguments_left)
            case name:
                function = {"Gaussian mixture": gmm, "LSTM": lstm}[name]
                derivative = jax.value_and_grad(function, tuple(range(objective.count)))
        return _compiled(derivative, arguments)

    return prepare


def _compiled(function: Callable[..., Any], arguments: Arguments) -> Run:
    numbers = tuple(k for k, a in enumerate(arguments) if not isinstance(a, np.ndarray))
    given = [a if k in numbers else jnp.asarray(a) for k, a in enumerate(arguments)]
    compiled = jax.jit(function, static_argnums=numbers).lower(*given).compile()
    passed = [a for k, a in enumerate(given) if k not in numbers]
    return lambda: jax.block_until_ready(compiled(*passed))
