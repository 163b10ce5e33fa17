"""The functions in JAX: loops are `fori_loop`, branches select."""

import jax.numpy as jnp
from jax import lax
from jax.scipy.special import erf

from tests.benchmarks.scalars.peers import written


def recurrence(x, a, steps):
    def step(_, state):
        x, total = state
        x = jnp.where(x > 1.0, 0.5 * x - 0.1 * a, x * x + a)
        return x, total + x * x

    return lax.fori_loop(0, steps, step, (x, 0.0))[1]


def pendulum(angle, speed, drag, steps):
    h = 0.01

    def pull(angle, speed):
        return -jnp.sin(angle) - drag * speed

    def step(_, state):
        angle, speed = state
        a1 = pull(angle, speed)
        v2 = speed + 0.5 * h * a1
        a2 = pull(angle + 0.5 * h * speed, v2)
        v3 = speed + 0.5 * h * a2
        a3 = pull(angle + 0.5 * h * v2, v3)
        v4 = speed + h * a3
        a4 = pull(angle + h * v3, v4)
        angle = angle + h / 6.0 * (speed + 2.0 * v2 + 2.0 * v3 + v4)
        return angle, speed + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)

    angle, speed = lax.fori_loop(0, steps, step, (angle, speed))
    return 0.5 * speed * speed - jnp.cos(angle)


FUNCTIONS = {**written(jnp, erf), "recurrence": recurrence, "pendulum": pendulum}
